"""Write a page that compares two runs: which questions flipped, where the runs diverge, and why."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from remem.files.plain_text import cut, printable
from remem.metrics.convention import ScoreConvention
from remem.reports.html.calls import Items, ReadItems, named_items, read_items
from remem.reports.html.page import render, write_page
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
)
from remem.results.run import Run
from remem.results.run_names import RunNames, run_names
from remem.tables.notes import NOTE, compared_costs
from remem.types import Record

COLUMNS = ("category", "gold", "first", "second", "diverged", "evidence")
"""The columns of a flip, below its question; a column without any value is left out."""


def write_diff(
    folders: tuple[Path, Path],
    path: Path,
    *,
    score: str,
    category: str | None,
    convention: ScoreConvention,
    notes: Sequence[str],
    with_text: bool = False,
    packages: Sequence[str] = (),
) -> None:
    """Write a page with the questions that only one of two runs answers correctly.

    Args:
        folders: The folders of the two runs.
        path: The file to write.
        score: The score that decides right or wrong.
        category: The only category to compare; None compares all questions.
        convention: How to score answers.
        notes: The sentences of the statistical comparison, from `format_comparison`.
        with_text: Whether to include retrieved items, and texts of data sets that have a licence.
            Texts of generated data are always included.
        packages: The packages whose classes the runs may name.

    Raises:
        UsageError: A run names a component that cannot be built.
        FileNotFoundError: Texts are requested, but the data is missing.
    """
    first, second = (Run.open(folder, packages, scoring=convention) for folder in folders)
    write_page(
        path,
        diff_page(first, second, score=score, category=category, notes=notes, with_text=with_text),
    )


def diff_page(
    first: Run,
    second: Run,
    *,
    score: str,
    category: str | None,
    notes: Sequence[str],
    with_text: bool = False,
    items_of: ReadItems = read_items,
) -> bytes:
    """Return the page of `write_diff` for two runs that are scored by the same convention.

    Args:
        first: The first run.
        second: The second run.
        score: The score that decides right or wrong.
        category: The only category to compare; None compares all questions.
        notes: The sentences of the statistical comparison.
        with_text: Whether to include retrieved items, and texts of data sets that have a licence.
        items_of: Returns the stored items of a run.
    """
    heads = head_of(first), head_of(second)
    all_flips = flips(first, second, score, category)
    licences = (licences_withheld(run, with_text=with_text) for run in (first, second))
    withheld = tuple(dict.fromkeys(chain.from_iterable(licences)))
    read = items_of if with_text else _of_generated(items_of)
    return render(
        "diff.html.j2",
        ["trace.js", "diff.js"],
        _data(first, second, all_flips, score, withheld=bool(withheld), read=read),
        styles=["cards.css"],
        names=run_names(first, second),
        dataset=first.config.dataset,
        heads=heads,
        facts=_facts(*heads),
        score=first.convention.heading(score),
        category=category,
        half=RIGHT,
        said=notes,
        withheld=withheld,
        evidence=_with_evidence(all_flips),
        costs=compared_costs(run_names(first, second), (first, second), category),
        cost_note=NOTE,
        **_counted(all_flips, count_common_questions(first, second, score, category)),
    )


def _of_generated(items_of: ReadItems) -> ReadItems:
    """Return a reader of the items of generated data only."""
    return lambda run, numbers: items_of(run, numbers) if is_generated(run) else Items()


def _counted(all_flips: Sequence[Flip], questions: Counter[str]) -> Json:
    """Count the flips in total, by category, and by where the runs diverged."""
    flipped = {
        row.name: row
        for row in flip_rows(all_flips, [flip.first.gold.category for flip in all_flips])
    }
    return {
        "flips": next(flip_rows(all_flips, ["all"] * len(all_flips)), FlipRow("all", 0, 0)),
        "asked": questions,
        "by_category": [flipped.get(name, FlipRow(name, 0, 0)) for name in sorted(questions)],
        "by_parting": list(flip_rows(all_flips, [flip.parting.what for flip in all_flips])),
    }


def _facts(first: Head, second: Head) -> list[tuple[str, tuple[str, ...]]]:
    """Return the facts of both runs: one value if they agree, else the value of each run."""
    ours, theirs = dict(first.facts), dict(second.facts)
    listed = [(name, (ours.get(name, "none"), theirs.get(name, "none"))) for name in ours | theirs]
    return [(name, values[:1] if values[0] == values[1] else values) for name, values in listed]


def _with_evidence(all_flips: Sequence[Flip]) -> FlipRow:
    """Count the flips in which only the better run retrieved some of the gold evidence."""
    with_more: list[Better] = [
        flip.better
        for flip in all_flips
        if (flip.only_first if flip.better == "first" else flip.only_second)
    ]
    return FlipRow("evidence", with_more.count("first"), with_more.count("second"))


def _data(
    first: Run,
    second: Run,
    all_flips: Sequence[Flip],
    score: str,
    *,
    withheld: bool,
    read: ReadItems,
) -> Json:
    numbers = history_numbers([flip.first for flip in all_flips])
    # The same id can be another item in the second index, so its histories get other numbers.
    others = {history: len(numbers) + number for history, number in numbers.items()}
    ours = question_values(first, [flip.first for flip in all_flips], numbers, [score])
    theirs = question_values(second, [flip.second for flip in all_flips], others, [score])
    items: dict[int, Json] = {}
    for run, numbered, questions in ((first, numbers, ours), (second, others, theirs)):
        items |= named_items(read(run, numbered), questions)
    shown = without_texts if withheld else dict
    listed = [
        {
            "first": shown(first),
            "second": shown(other),
            "better": flip.better,
            "step": flip.parting.step,
            "what": flip.parting.what,
            "only_first": flip.only_first,
            "only_second": flip.only_second,
        }
        for first, other, flip in zip(ours, theirs, all_flips, strict=True)
    ]
    return {
        "names": run_names(first, second),
        "score": first.convention.heading(score),
        "columns": [name for name in COLUMNS if any(_has(name, flip) for flip in listed)],
        "histories": [*numbers, *others],
        "items": items,
        "flips": listed,
    }


def _has(column: str, flip: Json) -> bool:
    """Return whether a flip has a value in a column; scores and divergences are always there."""
    match column:
        case "category" | "gold":
            return any(flip["first"][column])
        case "evidence":
            return bool(flip["only_first"] or flip["only_second"])
        case _:
            return True


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
