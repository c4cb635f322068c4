"""A configuration is put together again from a manifest: it names the same index and judge."""

import json
import re
import shutil
from pathlib import Path

import pytest

from remem.config.instantiation import UsageError
from remem.config.run_config import compose_config, run_config
from remem.evaluation.restored_config import restored_config
from remem.evaluation.usage import stage_prices
from remem.run.store import open_run
from remem.types import Gold, Record

RECORD = Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")


@pytest.mark.parametrize(
    "overrides",
    [
        (),
        ("embedder=minilm", "runner=threads"),
        ("extractor=llm", "planner=llm", "reader=direct", "llm=gpt-4.1-mini-2025-04-14"),
        ("extractor=llm", "llm=loopback-stub", "judge=llm"),
        ("llm=loopback-stub", "llm@judge_llm=gpt-5-chat", "judge=llm"),
    ],
)
def test_the_index_and_the_judge_have_the_names_that_hydra_gave_them(
    make_run, tmp_path: Path, overrides: tuple[str, ...]
) -> None:
    places = (f"paths.results={tmp_path / 'results'}", f"paths.data={tmp_path / 'data'}")
    composed = run_config(compose_config([*overrides, *places]))
    restored = restored_config(make_run([RECORD], *overrides, places[1]))
    assert restored.index_fingerprint("sum") == composed.index_fingerprint("sum")
    assert restored.judgments == composed.judgments
    assert (restored.label, restored.scores, restored.llm) == (
        composed.label,
        composed.scores,
        composed.llm,
    )


def test_a_run_of_a_version_with_other_modules_is_read(make_run, tmp_path: Path) -> None:
    folder = make_run([RECORD])
    before = restored_config(folder).resolved
    with open_run(folder) as store:
        manifest = store.read_manifest()
        text = json.dumps(manifest["config"])
        earlier = re.sub(r'"(remem|baselines)\.[a-z0-9_.]+\.(?=[A-Z])', r'"remem.earlier.', text)
        assert "remem.earlier.REMem" in earlier
        store.write_manifest({**manifest, "config": json.loads(earlier)})
    assert restored_config(folder).resolved == before


def test_a_run_that_was_moved_has_the_results_around_it(make_run, tmp_path: Path) -> None:
    folder = make_run([RECORD])
    moved = tmp_path / "elsewhere"
    shutil.move(tmp_path / "results", moved)
    restored = restored_config(moved / folder.relative_to(tmp_path / "results"))
    assert restored.results == moved.resolve()


def test_a_run_outside_of_results_has_those_of_our_own_conf(
    make_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lone = tmp_path / "lone"
    shutil.copytree(make_run([RECORD]), lone)
    monkeypatch.setenv("REMEM_RESULTS", str(tmp_path / "mine"))
    assert restored_config(lone).results == tmp_path / "mine"


def test_the_data_are_those_of_our_own_conf_and_not_of_the_manifest(
    make_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run([RECORD], f"paths.data={tmp_path / 'private'}", "dataset=locomo")
    monkeypatch.setenv("REMEM_DATA", str(tmp_path / "data"))
    restored = restored_config(folder)
    assert restored.resolved["dataset"]["build"]["data"] == str(tmp_path / "data")
    assert str(tmp_path / "private") not in str(restored.resolved)


def test_a_price_list_is_one_of_our_own_conf(
    make_run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = "llm=gpt-4.1-mini-2025-04-14"
    ours = restored_config(make_run([RECORD], model))
    assert stage_prices(ours)["read"] is not None
    mine = tmp_path / "mine.yaml"
    mine.write_text("gpt-4.1-mini-2025-04-14: {input: 1, output: 1, source: x, date: y}\n")
    read = restored_config(make_run([RECORD], model, f"llm.build.prices={mine}"))
    assert stage_prices(read)["read"] is None
    assert f"the price list {str(mine)!r}" in caplog.text


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run"):
        restored_config(tmp_path)
