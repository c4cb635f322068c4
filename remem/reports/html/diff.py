"""Write a page that compares runs question by question: which are right, and where they differ."""

from collections.abc import Iterator, Sequence
from itertools import chain

from remem.benchmarks.category_names import category_name
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
from remem.results.diagnosis import compared_causes, recorded_diagnosis
from remem.results.divergence import parting
from remem.results.outcomes import RIGHT
from remem.results.run import Run
from remem.results.run_names import RunNames
from remem.results.standings import Standings
from remem.tables.notes import NOTE, compared_costs
from remem.types import Record

OF_QUESTION = ("id", "category", "question", "gold")
"""The fields of a question that all runs share; the others belong to the answer of each run."""


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
        standings: The scores and tests of the runs.
        score: The score that decides right or wrong.
        category: The only category to compare; None compares all questions.
        notes: Further sentences on the comparison.
        with_text: Whether to include the retrieved items and the texts of licensed data sets. Texts
            of generated data are always included.
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
        notes=(*notes, *compared_causes(list(map(recorded_diagnosis, runs, names)))),
        withheld=withheld,
        costs=compared_costs(names, runs, category),
        cost_note=NOTE,
    )


def _of_generated(items_of: ReadItems) -> ReadItems:
    """Return a version of `items_of` that returns items only for runs on generated data."""
    return lambda run, numbers: items_of(run, numbers) if is_generated(run) else Items()


def _facts(heads: Sequence[Head], names: RunNames) -> dict[str, dict[str, list[str]]]:
    """Return for each fact its values, and for each value the names of the runs that have it."""
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
    """Yield the records of each question in the category that was asked in all runs."""
    records = [{record.query_id: record for record in run.records} for run in runs]
    for record in runs[0].records:
        if category in (None, record.gold.category) and all(
            record.query_id in of_run for of_run in records
        ):
            yield tuple(of_run[record.query_id] for of_run in records)
