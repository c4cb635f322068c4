"""What `remem calibrate --json` prints."""

from dataclasses import dataclass
from pathlib import Path

from remem.apps.referee.judges.judge_report import JudgeReport


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrateOutput:
    """The judges of some runs; shares are from 0 to 1."""

    command: str = "calibrate"
    report: JudgeReport
    notes: tuple[str, ...]
    page: Path | None
