"""Fixtures that the tests of the paper's tables share."""

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


@pytest.fixture
def paper(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with the table of the test's module, and how its numbers were made."""
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "mine.yaml").write_text(request.module.TABLE)
    (folder / "made_with.yaml").write_text(request.module.MADE_WITH)
    return folder
