"""The tables and notes of a report on judges as text, for the terminal and for pages."""

from collections.abc import Iterator, Sequence

from remem.apps.referee.judges.asked_again import AskedAgain
from remem.apps.referee.judges.judge_calibration import CorrectedRow, ErrorRow
from remem.apps.referee.judges.judge_rankings import JudgeRanking, RankingPair, SystemScore
from remem.apps.referee.judges.judge_report import Coverage, JudgeReport
from remem.apps.referee.judges.question_draws import DrawnInterval
from remem.apps.referee.text_tables import TextTable
from remem.metrics.intervals import FEW_CLUSTERS, Share
from remem.results.run_notes import FEW_CLUSTERS_NOTE

NONE = "-"
NO_ESTIMATE = "no estimate"
ALL = "all"
SIDE_BY_SIDE = 8
"""The number of rankings that fit next to each other in a terminal."""


def judge_tables(report: JudgeReport) -> list[TextTable]:
    """Return the tables of a report, without empty ones."""
    tables = (
        _judges(report.judges),
        _errors(report.errors),
        _corrected(report.corrected),
        _first_ranking(report.rankings),
        *_all_rankings(report.rankings),
        _pairs(report.rankings, report.pairs),
        _again(report.again),
    )
    return [table for table in tables if table.rows]


def judge_notes(report: JudgeReport) -> tuple[str, ...]:
    """Return the notes that explain the tables, as sentences."""
    return tuple(_notes(report))


def _notes(report: JudgeReport) -> Iterator[str]:
    yield (
        f"{report.dataset}: {report.answers} answers of {report.runs} runs ({report.systems} "
        f"systems) to {report.questions} questions."
    )
    if report.truth_is_judge:
        yield (
            f"The first table takes the verdicts of {report.truth} as the truth. That judge may "
            f"be wrong too, so read the table as agreement between two judges."
        )
    elif report.truth:
        yield f"The truth is {report.labelled} labels in {report.truth}."
    if report.corrected:
        yield (
            "Rogan-Gladen assumes that the judge errs equally often on all answers; its interval "
            "is Lang and Reiczigel's. PPI++ assumes that the labelled answers are a random sample. "
            "Both intervals treat answers as independent. Those over questions draw whole "
            "questions, with all answers to them."
        )
    if any(row.rogan_gladen is None for row in report.corrected):
        yield (
            f'"{NO_ESTIMATE}": the judge accepts wrong answers as often as right ones, or '
            f"all labels are the same, so its verdicts cannot be corrected."
        )
    if any(row.rogan_gladen and row.rogan_gladen.clamped for row in report.corrected):
        yield "A star marks an estimate that fell outside of 0 to 100 and was set to the limit."
    if report.rankings:
        yield (
            "Scores are in points. The range of a rank is over questions, like intervals. Systems "
            "with the same score share a rank."
        )
    if any(", corrected" in ranking.name for ranking in report.rankings):
        yield (
            '"corrected by category": Rogan-Gladen with the errors in each category, the same for '
            'all systems. "corrected by system": PPI with only the labels of that system.'
        )
    if 1 < report.questions < FEW_CLUSTERS and (report.errors or report.rankings or report.again):
        yield FEW_CLUSTERS_NOTE
    if any(_has_no_width(row) for row in report.errors):
        yield (
            "Where all decisions are the same, the interval over questions has no width: use "
            "Wilson's interval, next to the share."
        )


def _has_no_width(row: ErrorRow) -> bool:
    shares = (row.sensitivity, row.specificity)
    return any(interval is not None and interval.low == interval.high for interval in shares)


def _judges(rows: Sequence[Coverage]) -> TextTable:
    return TextTable(
        "The judges",
        ("judge", "answers judged", "accepted, or mean grade"),
        tuple((row.rule.name, str(row.answers), f"{100 * row.accepted:.1f}") for row in rows),
    )


def _errors(rows: Sequence[ErrorRow]) -> TextTable:
    return TextTable(
        "How often each judge is right, in percent",
        ("judge", "category", "right answers", "sensitivity", "over questions",
         "wrong answers", "specificity", "over questions"),
        tuple(_error_cells(row) for row in rows),
        names=2,
    )  # fmt: skip


def _error_cells(row: ErrorRow) -> tuple[str, ...]:
    return (
        row.rule.name,
        row.category or ALL,
        str(row.error.right),
        _share(row.error.sensitivity),
        _ends(row.sensitivity),
        str(row.error.wrong),
        _share(row.error.specificity),
        _ends(row.specificity),
    )


def _corrected(rows: Sequence[CorrectedRow]) -> TextTable:
    return TextTable(
        "Share of right answers, in percent",
        ("judge", "n", "accepted", "labels alone", "Rogan-Gladen", "over questions",
         "PPI++", "over questions"),
        tuple(_corrected_cells(row) for row in rows),
    )  # fmt: skip


def _corrected_cells(row: CorrectedRow) -> tuple[str, ...]:
    gladen, powered = row.rogan_gladen, row.powered
    return (
        row.rule.name,
        str(row.n),
        f"{100 * row.accepted / row.n:.1f}",
        f"{100 * row.labels_mean:.1f} (n = {row.labelled})",
        NO_ESTIMATE
        if gladen is None
        else f"{_bounded(gladen.mean, gladen.low, gladen.high)}{'*' * gladen.clamped}",
        _ends(row.rogan_gladen_drawn),
        NONE if powered is None else _bounded(powered.mean, powered.low, powered.high),
        _ends(row.powered_drawn),
    )


def _first_ranking(rankings: Sequence[JudgeRanking]) -> TextTable:
    systems = rankings[0].systems if rankings else ()
    return TextTable(
        f"The ranking by {rankings[0].name}" if rankings else "",
        ("system", "answers", "score", "over questions", "rank", "rank over questions"),
        tuple(
            (
                name,
                str(row.n),
                f"{100 * row.score.mean:.1f}",
                _ends(row.score),
                str(row.rank),
                f"{row.best_rank} to {row.worst_rank}",
            )
            for name, row in zip(_short(systems), systems, strict=True)
        ),
    )


def _all_rankings(rankings: Sequence[JudgeRanking]) -> Iterator[TextTable]:
    """Yield tables with the rank and score of each system in every ranking."""
    systems = rankings[0].systems if rankings else ()
    for start in range(0, len(rankings), SIDE_BY_SIDE):
        shown = rankings[start : start + SIDE_BY_SIDE]
        by_name = [{system.system: system for system in ranking.systems} for ranking in shown]
        yield TextTable(
            "What each judge would have published: rank and score",
            ("system", *(f"#{number}" for number in range(start, start + len(shown)))),
            tuple(
                (name, *(_rank_and_score(score_of.get(row.system)) for score_of in by_name))
                for name, row in zip(_short(systems), systems, strict=True)
            ),
        )


def _rank_and_score(score: SystemScore | None) -> str:
    return NONE if score is None else f"{score.rank}: {100 * score.score.mean:.1f}"


def _short(systems: Sequence[SystemScore]) -> list[str]:
    """Return the names of systems without the ending that all of them have."""
    names = [system.system for system in systems]
    endings = {name.rpartition(", ")[2] for name in names if ", " in name}
    alike = len(endings) == 1 and all(", " in name for name in names)
    return [name.rpartition(", ")[0] for name in names] if alike else names


def _pairs(rankings: Sequence[JudgeRanking], pairs: Sequence[RankingPair]) -> TextTable:
    numbers = {ranking.name: number for number, ranking in enumerate(rankings)}
    return TextTable(
        f"How alike the orders are to #0, {rankings[0].name}" if rankings else "",
        ("#", "ranked by", "answers", "Kendall's tau-b", "over questions", "pairs swapped",
         "same first, of draws"),
        tuple(
            (
                str(numbers[pair.other]),
                pair.other,
                str(pair.answers),
                f"{pair.tau.mean:.3f}",
                NONE if pair.tau.low is None else f"[{pair.tau.low:.3f}, {pair.tau.high:.3f}]",
                f"{len(pair.swapped)} of {pair.pairs}",
                f"{100 * pair.same_first:.0f}%",
            )
            for pair in pairs
        ),
        names=2,
    )  # fmt: skip


def _again(rows: Sequence[AskedAgain]) -> TextTable:
    return TextTable(
        "Verdicts on the same answer, given again",
        ("judge", "verdicts", "answers", "flipped", "share", "over questions", "other grade"),
        tuple(
            (
                row.rule.name,
                str(row.verdicts),
                f"{row.answers} ({row.questions} questions)",
                str(row.flipped),
                _share(row.share),
                _ends(row.drawn),
                str(row.regraded),
            )
            for row in rows
        ),
    )


def _share(share: Share | None) -> str:
    return NONE if share is None else _bounded(share.mean, share.low, share.high)


def _ends(interval: DrawnInterval | None) -> str:
    if interval is None or interval.low is None or interval.high is None:
        return NONE
    return f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def _bounded(mean: float, low: float, high: float) -> str:
    return f"{100 * mean:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
