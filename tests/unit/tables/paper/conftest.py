"""A fixture that the tests of the paper's tables share."""

from pathlib import Path

import pytest


@pytest.fixture
def overrides(tmp_path: Path, rehearsal: object) -> tuple[str, ...]:
    """Overrides: the rehearsal's benchmark instead of LoCoMo, few resamples, own results folder."""
    return (
        *("prompts=own", "judge=llm", "run.health=warn", f"paths.results={tmp_path / 'results'}"),
        "convention.score.resamples=99",
        "convention.score.bootstrap_unit=questions",
        "run.packages=[rehearsal]",
        "~dataset.build",
        "+dataset.build={_target_:rehearsal.Tiny,seed:0,histories:2}",
    )
