"""The summary of a gate as Markdown, for the page of a CI job: ids and numbers only."""

from collections.abc import Iterator
from pathlib import Path

from remem.apps.referee.gates.gate import Gated, ScoreGate
from remem.apps.referee.gates.gate_text import EQUAL, counted, notes, points, power_line, verdict
from remem.files.disk import write_whole
from remem.files.plain_text import printable
from remem.tables.render import in_markdown, markdown_table

COLUMNS = ("Score", "Difference", "Bound", "Questions", "Decision")


def write_summary(path: Path, gated: Gated | str) -> None:
    """Write the summary of a gate as Markdown.

    Args:
        path: The file to write.
        gated: The decision of the gate, or the reason why there is none.
    """
    lines = _undecided(gated) if isinstance(gated, str) else tuple(_summary(gated))
    write_whole(path, "\n\n".join(lines).encode() + b"\n")


def _undecided(why: str) -> tuple[str, ...]:
    return ("## Memory gate: no decision", _plain(why))


def _summary(gated: Gated) -> Iterator[str]:
    yield f"## Memory gate: {'passed' if gated.has_passed else 'failed'}"
    if gated.is_equal:
        yield EQUAL
    rows = [[_plain(cell) for cell in row] for score in gated.scores for row in _rows(score)]
    yield markdown_table(COLUMNS, rows)
    yield (
        f"Run minus baseline, in points. A score passes if its lower bound (one-sided 95%) is "
        f"above -{100 * gated.margin:g}; a category fails if its upper bound is below that."
    )
    for score in gated.scores:
        if score.power is not None:
            yield _plain(f"{score.heading}: {power_line(score.power, gated.margin)}.")
    yield from map(_plain, notes(gated))


def _rows(score: ScoreGate) -> Iterator[tuple[str, ...]]:
    bounds = score.bounds
    low = f"at least {points(bounds.low)}"
    yield score.heading, points(bounds.mean), low, counted(bounds), verdict(score)
    for part in score.categories:
        high = f"at most {points(part.bounds.high)}"
        ended = "passed" if part.has_passed else "failed"
        name = f"{score.heading}, category {part.category}"
        yield name, points(part.bounds.mean), high, counted(part.bounds), ended


def _plain(text: str) -> str:
    """Return a text, which may be untrusted, as one line of Markdown without links or images."""
    return in_markdown(printable(text)).replace("[", r"\[").replace("]", r"\]")
