"""Write a page that compares two runs: which questions flipped, where the runs diverge, and why."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from remem.evaluation.flips import RIGHT, Better, Flip, FlipRow, flip_rows, flips
from remem.evaluation.scored_run import ScoredRun, read_scored_run
from remem.metrics.convention import ScoreConvention
from remem.reports.html.index_items import named_items, read_items
from remem.reports.html.page import render, write_page
from remem.reports.html.questions import Json, history_numbers, question_values
from remem.reports.html.report import head_of
from remem.reports.html.withheld import is_generated, licences_withheld, without_texts


def write_diff(
    folders: tuple[Path, Path],
    path: Path,
    *,
    score: str,
    category: str | None,
    convention: ScoreConvention,
    said: Sequence[str],
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
        said: The sentences of the statistical comparison, from `remem.evaluation.compare.told`.
        with_text: Whether to include retrieved items, and texts of data sets that have a licence.
            Texts of generated data are always included.
        packages: The packages whose classes the runs may name.

    Raises:
        UsageError: A run names a component that cannot be built.
        FileNotFoundError: Texts are requested, but the data is missing.
    """
    first, second = (read_scored_run(folder, convention, packages) for folder in folders)
    found = flips(first, second, score, category)
    licences = (licences_withheld(run, with_text=with_text) for run in (first, second))
    withheld = tuple(dict.fromkeys(chain.from_iterable(licences)))
    page = render(
        "diff.html.j2",
        ["trace.js", "diff.js"],
        _data(first, second, found, score, withheld=bool(withheld), with_text=with_text),
        heads=(head_of(first), head_of(second)),
        score=first.convention.heading(score),
        category=category,
        half=RIGHT,
        said=said,
        withheld=withheld,
        by_category=list(flip_rows(found, [flip.first.gold.category for flip in found])),
        by_parting=list(flip_rows(found, [flip.parting.what for flip in found])),
        evidence=_with_evidence(found),
    )
    write_page(path, page)


def _with_evidence(found: Sequence[Flip]) -> FlipRow:
    """Count the flips in which only the better run retrieved some of the gold evidence."""
    with_more: list[Better] = [
        flip.better
        for flip in found
        if (flip.only_first if flip.better == "first" else flip.only_second)
    ]
    return FlipRow("evidence", with_more.count("first"), with_more.count("second"))


def _data(
    first: ScoredRun,
    second: ScoredRun,
    found: Sequence[Flip],
    score: str,
    *,
    withheld: bool,
    with_text: bool,
) -> Json:
    numbers = history_numbers([flip.first for flip in found])
    # The same id can be another item in the second index, so its histories get other numbers.
    others = {history: len(numbers) + number for history, number in numbers.items()}
    ours = question_values(first, [flip.first for flip in found], numbers, [score])
    theirs = question_values(second, [flip.second for flip in found], others, [score])
    items: dict[int, Json] = {}
    for run, numbered, questions in ((first, numbers, ours), (second, others, theirs)):
        if with_text or is_generated(run):
            items |= named_items(read_items(run, numbered), questions)
    shown = without_texts if withheld else dict
    return {
        "score": first.convention.heading(score),
        "histories": [*numbers, *others],
        "items": items,
        "flips": [
            {
                "first": shown(first),
                "second": shown(other),
                "better": flip.better,
                "step": flip.parting.step,
                "what": flip.parting.what,
                "only_first": flip.only_first,
                "only_second": flip.only_second,
            }
            for first, other, flip in zip(ours, theirs, found, strict=True)
        ],
    }
