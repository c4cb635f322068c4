"""Write a page that compares runs question by question: who is right, and where they diverge."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from remem.benchmarks.category_names import category_name
from remem.files.plain_text import cut, printable
from remem.reports.html.calls import Items, ReadItems, named_items, read_items
from remem.reports.html.page import render
from remem.reports.html.questions import (
    Json,
    history_numbers,
    is_generated,
    licences_withheld,
    question_values,
    without_texts,
)
from remem.reports.html.report import Head, head_of
from remem.results.flips import (
    RIGHT,
    Better,
    Flip,
    FlipRow,
    count_common_questions,
    evidence_found,
    flip_rows,
    flips,
    parting,
)
from remem.results.run import Run
from remem.results.run_names import RunNames, run_names
from remem.results.standings import Standings
from remem.tables.notes import NOTE, compared_costs
from remem.types import Record

OF_QUESTION = ("id", "category", "question", "gold")
"""What all runs share of a question; the rest is of the answer of each."""


@dataclass(frozen=True, slots=True)
class Flipped:
    """What flipped between the first run and another, whose names are `names`.

    `asked` counts the questions that both have a score for, by category. `evidence` counts the
    flips in which only the run that is right retrieved some of the gold evidence.
    """

    names: RunNames
    all: FlipRow
    asked: Counter[str]
    by_category: Sequence[FlipRow]
    by_parting: Sequence[FlipRow]
    evidence: FlipRow


def diff_page(
    runs: Sequence[Run],
    standings: Standings,
    *,
    score: str,
    category: str | None,
    notes: Sequence[str],
    with_text: bool = False,
    items_of: ReadItems = read_items,
) -> bytes:
    """Return a page of two or more runs on the same questions, side by side.

    Args:
        runs: The runs, scored by the same convention. The others are compared with the first.
        standings: Their scores and tests.
        score: The score that decides right or wrong.
        category: The only category to compare; None compares all questions.
        notes: Further sentences on the comparison.
        with_text: Whether to include retrieved items, and texts of data sets that have a licence.
            Texts of generated data are always included.
        items_of: Returns the stored items of a run.

    Raises:
        UsageError: A run names a component that cannot be built.
        FileNotFoundError: Texts are requested, but the data is missing.
    """
    heads, names = [head_of(run) for run in runs], standings.names
    licences = (licences_withheld(run, with_text=with_text) for run in runs)
    withheld = tuple(dict.fromkeys(chain.from_iterable(licences)))
    read = items_of if with_text else _of_generated(items_of)
    dataset = runs[0].config.dataset
    return render(
        "diff.html.j2",
        ["trace.js", "diff.js"],
        _data(runs, names, score, category, withheld=bool(withheld), read=read),
        styles=["cards.css", "diff.css"],
        names=names,
        dataset=dataset,
        heads=heads,
        facts=_facts(heads, names),
        score=standings.heading,
        category=category and category_name(dataset, category),
        half=RIGHT,
        standings=standings,
        notes=notes,
        withheld=withheld,
        flipped=[
            _flipped(runs[0], other, (names[0], name), score, category)
            for other, name in zip(runs[1:], names[1:], strict=True)
        ],
        costs=compared_costs(names, runs, category),
        cost_note=NOTE,
    )


def _of_generated(items_of: ReadItems) -> ReadItems:
    """Return a reader of the items of generated data only."""
    return lambda run, numbers: items_of(run, numbers) if is_generated(run) else Items()


def _flipped(first: Run, other: Run, names: RunNames, score: str, category: str | None) -> Flipped:
    """Count the flips in total, by category, and by where the runs diverged."""
    all_flips, dataset = flips(first, other, score, category), first.config.dataset
    asked = Counter[str]()
    for name, count in count_common_questions(first, other, score, category).items():
        asked[category_name(dataset, name)] += count
    of = [category_name(dataset, flip.first.gold.category) for flip in all_flips]
    rows = {row.name: row for row in flip_rows(all_flips, of)}
    return Flipped(
        names,
        next(flip_rows(all_flips, [ALL] * len(all_flips)), FlipRow(ALL, 0, 0)),
        asked,
        [rows.get(name, FlipRow(name, 0, 0)) for name in sorted(asked)],
        list(flip_rows(all_flips, [flip.parting.what for flip in all_flips])),
        _with_evidence(all_flips),
    )


def _with_evidence(all_flips: Sequence[Flip]) -> FlipRow:
    """Count the flips in which only the better run retrieved some of the gold evidence."""
    with_more: list[Better] = [
        flip.better
        for flip in all_flips
        if (flip.only_first if flip.better == "first" else flip.only_second)
    ]
    return FlipRow("evidence", with_more.count("first"), with_more.count("second"))


def _facts(heads: Sequence[Head], names: RunNames) -> dict[str, dict[str, list[str]]]:
    """Return the values of each fact, and the names of the runs that each value is of."""
    facts = [dict(head.facts) for head in heads]
    values: dict[str, dict[str, list[str]]] = {}
    for fact in dict.fromkeys(chain.from_iterable(facts)):
        for of_run, name in zip(facts, names, strict=True):
            value = of_run.get(fact, "none")
            values.setdefault(fact, {}).setdefault(value, []).append(name)
    return values


def _data(
    runs: Sequence[Run],
    names: RunNames,
    score: str,
    category: str | None,
    *,
    withheld: bool,
    read: ReadItems,
) -> Json:
    common = list(_asked_of_all(runs, category))
    histories = history_numbers([records[0] for records in common])
    shown = without_texts if withheld else dict
    items: dict[int, Json] = {}
    answers = []
    for place, run in enumerate(runs):
        # The same id can be another item in the index of another run, so every run has numbers of
        # its own for its histories.
        numbers = {name: place * len(histories) + at for name, at in histories.items()}
        values = question_values(run, [records[place] for records in common], numbers, [score])
        items |= named_items(read(run, numbers), values)
        answers.append([shown(value) for value in values])
    dataset = runs[0].config.dataset
    return {
        "names": names,
        "score": runs[0].convention.heading(score),
        "half": RIGHT,
        "categories": {
            name: category_name(dataset, name)
            for name in {value["category"] for value in answers[0]}
        },
        "histories": [*histories] * len(runs),
        "items": items,
        "questions": [
            {
                **{name: of_runs[0][name] for name in OF_QUESTION},
                "answers": [
                    {name: value for name, value in of_run.items() if name not in OF_QUESTION}
                    for of_run in of_runs
                ],
                "partings": [
                    [parted.step, parted.what]
                    for other, name in zip(records[1:], names[1:], strict=True)
                    for parted in (parting(records[0], other, (names[0], name)),)
                ],
            }
            for of_runs, records in zip(zip(*answers, strict=True), common, strict=True)
        ],
    }


def _asked_of_all(runs: Sequence[Run], category: str | None) -> Iterator[tuple[Record, ...]]:
    """Yield the records of each question of a category that all runs have asked."""
    records = [{record.query_id: record for record in run.records} for run in runs]
    for record in runs[0].records:
        if category in (None, record.gold.category) and all(
            record.query_id in of_run for of_run in records
        ):
            yield tuple(of_run[record.query_id] for of_run in records)


ALL = "all"
DIRECTIONS: tuple[Better, Better] = ("first", "second")


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The questions that only one of two runs answers correctly.

    `parts` says what answered in each run. `asked` counts the questions that both runs have a score
    for, by category. `sample` has the drawn questions, those that only the first run has right
    before those of the second.
    """

    names: RunNames
    parts: tuple[str, str]
    heading: str
    seed: int
    asked: Counter[str]
    rows: Mapping[str, FlipRow]
    sample: tuple[Flip, ...]


def meet(first: Run, second: Run, *, score: str, category: str | None, sampled: int) -> HeadToHead:
    """Count the questions that only one run answers correctly, and draw a sample of each kind.

    Args:
        first: The first run.
        second: A run over the same questions, scored by the same convention.
        score: The score that decides: an answer with 0.5 or more is right.
        category: The only category to compare; None compares all questions.
        sampled: The number of questions to draw of each kind; the seed is that of the convention of
            the first run.
    """
    all_flips = flips(first, second, score, category)
    by_category = flip_rows(all_flips, [flip.first.gold.category for flip in all_flips])
    questions = count_common_questions(first, second, score, category)
    return HeadToHead(
        names=run_names(first, second),
        parts=(_parts(first), _parts(second)),
        heading=first.convention.heading(score),
        seed=first.convention.seed,
        asked=questions + Counter({ALL: questions.total()}),
        rows={
            row.name: row for row in (*by_category, *flip_rows(all_flips, [ALL] * len(all_flips)))
        },
        sample=tuple(_draw_flips(all_flips, sampled, first.convention.seed)),
    )


def for_terminal(met: HeadToHead) -> RenderableType:
    """Return the counts and the drawn questions with both answers, for the terminal."""
    counts = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    only = [f"only {name} right" for name in met.names]
    for heading in ("category", "n", *only):
        counts.add_column(Text(heading), justify="left" if heading == "category" else "right")
    for name in (*sorted(met.asked.keys() - {ALL}), ALL):
        row = met.rows.get(name, FlipRow(name, 0, 0))
        counts.add_row(name, str(met.asked[name]), str(row.first), str(row.second))
    named = (f"{name}: {parts}" for name, parts in zip(met.names, met.parts, strict=True))
    sentence = (
        f"right is {met.heading} of {RIGHT} or more; the questions are drawn with seed {met.seed}"
    )
    lines = (line for flip in met.sample for line in _format_flip(flip, met.names))
    return Group(*map(Text, named), counts, *map(Text, (sentence, *lines)))


def _parts(run: Run) -> str:
    return f"reader {run.config.settings.reader.name}, llm {run.config.llm}"


def _draw_flips(all_flips: Sequence[Flip], sampled: int, seed: int) -> Iterator[Flip]:
    """Draw questions of each kind without replacement, in the order of the records."""
    rng = np.random.default_rng(seed)
    for better in DIRECTIONS:
        of_kind = [flip for flip in all_flips if flip.better == better]
        chosen = rng.choice(len(of_kind), size=min(sampled, len(of_kind)), replace=False)
        yield from (of_kind[at] for at in sorted(chosen))


def _format_flip(flip: Flip, names: RunNames) -> Iterator[str]:
    asked, better = flip.first, names[DIRECTIONS.index(flip.better)]
    yield ""
    yield f"only {better} right: {asked.query_id}, category {asked.gold.category}"
    yield f"  question: {_short(asked.question)}"
    yield f"  gold: {' | '.join(map(_short, asked.gold.answers))}"
    for name, record in zip(names, (flip.first, flip.second), strict=True):
        yield f"  {name}: {_short(record.answer) or '(empty)'}"
        yield f"    {_evidence(record)}"
    step = "" if flip.parting.step is None else f" at step {flip.parting.step}"
    yield f"  diverged{step}: {flip.parting.what}"


def _evidence(record: Record) -> str:
    """Return a sentence on which of the gold evidence the run retrieved."""
    gold = record.gold.evidence
    if not gold:
        return "no gold evidence is known"
    share = evidence_found(record)
    there = [message for message in gold if message in share]
    named = f": {', '.join(there)}" if there else ""
    return f"evidence found: {len(there)} of {len(gold)}{named}"


def _short(text: str) -> str:
    return cut(printable(text))
