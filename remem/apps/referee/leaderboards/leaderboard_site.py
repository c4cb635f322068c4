"""The static site of a leaderboard: its page, its numbers as JSON, and the certificates."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.apps.referee.certificates.certificate import CertifiedRun, certificate_bytes
from remem.apps.referee.certificates.certificate_page import certificate_page, score_text
from remem.apps.referee.leaderboards.leaderboard import Board, BoardRow, boards, cost_of
from remem.apps.referee.leaderboards.leaderboard_chart import trade_charts
from remem.apps.referee.leaderboards.leaderboard_entries import CAUTION, Entries
from remem.apps.referee.leaderboards.leaderboard_numbers import leaderboard_numbers
from remem.errors import UsageError
from remem.metrics.intervals import DEFINITION
from remem.metrics.paired import LEVEL
from remem.reports.html.charts import Chart
from remem.reports.html.page import render, write_page
from remem.results.costs import format_number
from remem.results.run_notes import cautions

INDEX, NUMBERS, CERTIFICATES = "index.html", "leaderboard.json", "certificates"
MISSING = "-"


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A board as the page shows it: with its judge's name, models, charts and cautions."""

    id: str
    board: Board
    judge: str
    models: tuple[str, ...]
    charts: tuple[Chart, ...]
    cautions: tuple[str, ...]


def write_site(entries: Entries, folder: Path) -> list[Board]:
    """Write the site of a leaderboard and return its boards.

    Raises:
        UsageError: The folder has files, or no bundle was accepted.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; name a new folder, or empty this one")
    if not entries.entries:
        first = entries.refused[0]
        raise UsageError(
            f"no bundle was accepted; the first, {first.file}, was refused: {first.reason}"
        )
    listed = boards(entries.entries)
    write_page(folder / INDEX, leaderboard_page(entries, listed))
    write_page(folder / NUMBERS, leaderboard_numbers(entries, listed))
    for entry in entries.entries:
        place = folder / CERTIFICATES / entry.certificate.bundle.sha256
        write_page(place.with_suffix(".html"), certificate_page(entry.certificate, entry.caution))
        write_page(place.with_suffix(".json"), certificate_bytes(entry.certificate))
    return listed


def leaderboard_page(entries: Entries, listed: Sequence[Board]) -> bytes:
    """Return the page of the boards; only its filter needs JavaScript."""
    return render(
        "leaderboard.html.j2",
        ["leaderboard.js"],
        None,
        styles=["cards.css", "leaderboard.css"],
        found=entries,
        boards=[_shown_board(number, board) for number, board in enumerate(listed, start=1)],
        level=LEVEL,
        percentiles=DEFINITION,
        score_text=score_text,
        times=_times,
        tokens=_tokens,
        dollars=_dollars,
        size=_size,
        bar=_bar,
        caution=CAUTION if any(entry.caution for entry in entries.entries) else "",
        certificates=CERTIFICATES,
        numbers=NUMBERS,
    )


def _shown_board(number: int, board: Board) -> ShownBoard:
    return ShownBoard(
        id=f"board-{number}",
        board=board,
        judge=board.judge.removeprefix("judgments.").removesuffix(".jsonl") or board.heading,
        models=tuple(sorted({row.system.run.llm for row in board.rows})),
        charts=tuple(trade_charts(board)),
        cautions=tuple(cautions(row.score for row in board.rows)),
    )


def _times(run: CertifiedRun, name: str) -> str:
    """Return the median and the 95th percentile of a measure as text."""
    cost = run.cost(name)
    return MISSING if cost is None else f"{format_number(cost.p50)} / {format_number(cost.p95)}"


def _tokens(run: CertifiedRun) -> str:
    cost = cost_of(run, "tokens")
    return _times(run, "tokens") if cost else MISSING if cost is None else "0"


def _dollars(run: CertifiedRun) -> str:
    cost = cost_of(run, "dollars")
    return MISSING if cost is None else format_number(cost)


def _size(run: CertifiedRun) -> str:
    return MISSING if run.index_bytes is None else f"{run.index_bytes:,}"


def _bar(row: BoardRow) -> tuple[float, float, float]:
    """Return the start and the width of the interval, and the mean, in per cent of the axis."""
    mean = 100 * min(max(row.score.mean, 0.0), 1.0)
    low, high = (mean if end is None else 100 * end for end in (row.score.low, row.score.high))
    return round(low, 2), round(max(high - low, 0.0), 2), round(mean, 2)
