"""The numbers of a leaderboard as JSON for other programs, equal to those on its page."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_core import to_json

from remem.apps.referee.certificates.certificate import CertifiedCost
from remem.apps.referee.leaderboards.leaderboard import Board, BoardRow
from remem.apps.referee.leaderboards.leaderboard_entries import Entries


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """The numbers of a system; `mean`, `low` and `high` are shares from 0 to 1, or counts.

    `rank` is None for a run of the stub.
    """

    rank: int | None
    system: str
    bundle_sha256: str
    number: int
    fingerprint: str
    llm: str
    finished: str
    answered: int
    of: int
    mean: float
    low: float | None
    high: float | None
    n: int
    costs: tuple[CertifiedCost, ...]
    index_bytes: int | None
    fronts: tuple[str, ...]
    earlier: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardNumbers:
    """A board: its dataset, convention and score, and its systems with the best first."""

    dataset: str
    data: tuple[str, ...]
    convention: str
    judge: str
    heading: str
    tests: int
    rows: tuple[RowNumbers, ...]


def leaderboard_numbers(entries: Entries, listed: Sequence[Board]) -> bytes:
    """Return the boards and the accepted and refused bundles as one JSON object."""
    bundles = [
        {"file": entry.file, "sha256": entry.certificate.bundle.sha256, "basis": entry.basis}
        for entry in entries.entries
    ]
    shown = {"boards": list(map(_board, listed)), "bundles": bundles, "refused": entries.refused}
    return to_json(shown, indent=1) + b"\n"


def _board(board: Board) -> BoardNumbers:
    return BoardNumbers(
        board.dataset,
        board.data,
        board.convention,
        board.judge,
        board.heading,
        board.tests,
        tuple(map(_row, board.rows)),
    )


def _row(row: BoardRow) -> RowNumbers:
    run, score = row.system.run, row.score
    return RowNumbers(
        rank=row.rank,
        system=row.system.name,
        bundle_sha256=row.system.bundle_sha256,
        number=row.system.number,
        fingerprint=run.fingerprint,
        llm=run.llm,
        finished=run.finished,
        answered=run.answered,
        of=run.of,
        mean=score.mean,
        low=score.low,
        high=score.high,
        n=score.n,
        costs=run.costs,
        index_bytes=run.index_bytes,
        fronts=row.fronts,
        earlier=tuple(before.system.bundle_sha256 for before in row.earlier),
    )
