import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from remem.bundle.pack import pack
from remem.bundle.replay import ReplayedRun, replay
from remem.bundle.rivals import RivalCode
from remem.bundle.verify import verify
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import UsageError, VerificationFailedError
from remem.reports.html import table_files
from remem.reports.html.report import write_report
from remem.run.experiment import run_experiment
from remem.run.progress import no_view
from remem.run.store import CANONICAL, MANIFEST, TIMINGS, read_manifest, read_records

Rewrite = Callable[..., Path]
REFUSED = (ValueError, VerificationFailedError)


def replayed(path: Path, place: Path, name: str = "out") -> ReplayedRun:
    """Replay a bundle of one run into a folder of this name."""
    (run,) = replay(path, place, place / name, no_view, files=table_files).runs
    return run


def entry(path: Path, name: str) -> Any:
    with ZipFile(path) as archive:
        return json.loads(archive.read(name))


def test_records_and_scores_come_out_byte_for_byte(
    run_folder: Path, packed: Path, tmp_path: Path
) -> None:
    run = replayed(packed, tmp_path)
    assert (run.label, run.questions) == ("REMem-I (scripted) on generated_dialogues", 10)
    assert (run.not_replayed, run.remark) == ("", "")
    (folder,) = (tmp_path / "out" / "runs").glob("*/*/*")
    for name in (CANONICAL, "judgments.mine.jsonl"):
        assert (folder / name).read_bytes() == (run_folder / name).read_bytes()
    assert len((folder / TIMINGS).read_text().splitlines()) == 10
    with ZipFile(packed) as archive:
        assert (folder / "scores.json").read_bytes() == archive.read("runs/1/scores.json")


def test_a_rival_that_was_made_again_is_told_with_its_package(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = replayed(packed, tmp_path, "one")
    assert (run.rival, run.outcome) == (None, "same result")
    mem0 = RivalCode("mem0ai", "1.0.11", "process")
    monkeypatch.setattr("remem.bundle.replay.rival_code", lambda build: mem0)
    run = replayed(packed, tmp_path, "two")
    assert run.outcome == "same result, with its memory built again through mem0ai 1.0.11"


def test_runs_that_differ_by_their_reader_are_told_with_it(
    run_folder: Path, tmp_path: Path
) -> None:
    overrides = (
        *(f"paths.results={tmp_path / 'results'}", "dataset=generated_dialogues", "run.limit=2"),
        *("dataset.build.conversations=1", "dataset.build.sessions=4", "method=remem_i"),
    )
    other = run_experiment(run_config(compose_config([*overrides, "reader=always_refuse"])))
    path = pack([run_folder, other.folder], tmp_path / "two.remem", no_view, files=table_files).path
    label = "REMem-I (scripted) on generated_dialogues"
    told = (f"{label} (reader extractive)", f"{label} (reader always_refuse)")
    assert verify(path).runs == told
    runs = replay(path, tmp_path, tmp_path / "out", no_view, files=table_files).runs
    assert tuple(run.label for run in runs) == told


def test_a_replay_starts_from_nothing(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not empty"):
        replay(packed, tmp_path, packed.parent, no_view, files=table_files)


def test_another_record_is_named(rewrite: Rewrite, packed: Path, tmp_path: Path) -> None:
    with ZipFile(packed) as archive:
        lines = archive.read("runs/1/records.jsonl").splitlines()
    third = json.loads(lines[2])
    third["sha256"], third["fields"]["answer"] = "0" * 64, "0" * 12
    lines[2] = json.dumps(third).encode()
    changed = rewrite({"runs/1/records.jsonl": b"\n".join(lines) + b"\n"})
    verify(changed)  # without data there is no telling
    with pytest.raises(VerificationFailedError, match=rf"{third['query_id']} differs in answer"):
        replayed(changed, tmp_path)


def test_another_score_is_named_without_any_data(rewrite: Rewrite, packed: Path) -> None:
    scores = entry(packed, "runs/1/scores.json")
    scores["overall"]["f1"]["mean"] += 0.01
    changed = rewrite({"runs/1/scores.json": json.dumps(scores).encode()})
    with pytest.raises(VerificationFailedError, match=r"scores: score overall\.f1\.mean was"):
        verify(changed)
    judge = entry(packed, "runs/1/scores.mine.json")
    assert judge["overall"]["llm_judge"]["mean"] == pytest.approx(0.5)
    judge["overall"]["llm_judge"]["mean"] = 1.0
    changed = rewrite({"runs/1/scores.mine.json": json.dumps(judge).encode()})
    with pytest.raises(VerificationFailedError, match=r"mine\.jsonl: score overall\.llm_judge"):
        verify(changed)


def without_score(packed: Path, name: str) -> dict[str, bytes]:
    """Return the entries of a bundle that was made before a score existed."""
    changed = {}
    for means in ("runs/1/scores.json", "runs/1/scores.mine.json"):
        scores = entry(packed, means)
        for part in (scores["overall"], *scores["categories"]):
            del part[name]
        changed[means] = json.dumps(scores).encode()
    with ZipFile(packed) as archive:
        lines = archive.read("runs/1/questions.jsonl").decode().splitlines()
    rows = [
        {key: value for key, value in json.loads(line).items() if key != name} for line in lines
    ]
    lines = [json.dumps(row) for row in rows]
    return changed | {"runs/1/questions.jsonl": "\n".join((*lines, "")).encode()}


def test_a_bundle_from_before_a_score_existed_is_verified(rewrite: Rewrite, packed: Path) -> None:
    assert (
        verify(rewrite(without_score(packed, "recall_at_20"))).questions == verify(packed).questions
    )


def test_a_bundle_without_a_main_score_of_its_dataset_is_refused(
    rewrite: Rewrite, packed: Path
) -> None:
    with pytest.raises(VerificationFailedError, match="the scores of run 1 lack f1"):
        verify(rewrite(without_score(packed, "f1")))


def test_other_data_are_named_where_they_matter_and_remarked_where_not(
    rewrite: Rewrite, packed: Path, tmp_path: Path
) -> None:
    notes = entry(packed, "runs/1/run.json")
    notes["data"][0]["sha256"] = "0" * 64
    changed = rewrite({"runs/1/run.json": json.dumps(notes).encode()})
    run = replayed(changed, tmp_path, "one")
    assert "the data differ here" in run.remark and "the result is the same" in run.remark
    config = entry(packed, "runs/1/config.json")
    config["dataset"]["build"]["seed"] += 1
    changed = rewrite({"runs/1/config.json": json.dumps(config).encode()})
    with pytest.raises(VerificationFailedError, match="the data differ here"):
        replayed(changed, tmp_path, "two")


def test_a_rival_without_its_package_is_scored_from_what_was_packed(
    rewrite: Rewrite, packed: Path, tmp_path: Path, without_package: Callable[[str], None]
) -> None:
    without_package("mem0ai")
    config = entry(packed, "runs/1/config.json")
    config["method"]["build"] = {
        "_target_": "remem.baselines.mem0_memory.Mem0Memory",
        "chat_model": None,
        "embedder": config["embedder"]["build"],
        "top_k": 10,
        "graph": False,
    }
    changed = rewrite({"runs/1/config.json": json.dumps(config).encode()})
    run = replayed(changed, tmp_path)
    assert "mem0ai" in run.not_replayed and not run.restored
    told = "memory not built again, scores match the records as they were packed"
    assert run.outcome == f"{told}: {run.not_replayed}"
    assert not list((tmp_path / "out").rglob(CANONICAL))


def test_a_rival_without_its_package_has_its_records_where_they_were_packed(
    rewrite: Rewrite,
    packed: Path,
    run_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(self: RunConfig) -> None:
        raise ImportError("pip install rival", name="rival")

    monkeypatch.setattr(RunConfig, "memory_factory", missing)
    records = (run_folder / CANONICAL).read_bytes()
    changed = rewrite({"runs/1/records.text.jsonl": records})
    run = replayed(changed, tmp_path)
    assert (run.not_replayed, run.missing, run.restored) == ("pip install rival", "rival", True)
    told = "memory not built again, the same records as they were packed: pip install rival"
    assert run.outcome == told
    folder = tmp_path / "out" / run.name
    for name in (CANONICAL, "judgments.mine.jsonl"):
        assert (folder / name).read_bytes() == (run_folder / name).read_bytes()
    assert json.loads((folder / MANIFEST).read_text())["python"]


@pytest.mark.parametrize("restored", [False, True])
def test_a_bundle_that_counts_more_answers_than_it_has_is_replayed_with_the_right_count(
    rewrite: Rewrite,
    packed: Path,
    run_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    restored: bool,
) -> None:
    def missing(self: RunConfig) -> None:
        raise ImportError("pip install rival")

    notes = entry(packed, "runs/1/run.json")
    assert (notes["environment"]["answered"], notes["environment"]["errors"]) == (10, 0)
    notes["environment"] |= {"answered": 12, "errors": 3}
    changes = {"runs/1/run.json": json.dumps(notes).encode()}
    if restored:
        monkeypatch.setattr(RunConfig, "memory_factory", missing)
        changes["runs/1/records.text.jsonl"] = (run_folder / CANONICAL).read_bytes()
    run = replayed(rewrite(changes), tmp_path)
    folder = tmp_path / "out" / run.name
    assert len(read_records(folder)) == 10
    manifest = read_manifest(folder)
    assert (manifest.answered, manifest.errors) == (10, 0)


def test_other_releases_are_remarked_and_named_beside_a_difference(
    rewrite: Rewrite, packed: Path, tmp_path: Path
) -> None:
    notes = entry(packed, "runs/1/run.json")
    notes["environment"]["packages"]["numpy"] = "0.1"
    notes["environment"]["packages"]["rival"] = "2.0"
    changed = rewrite({"runs/1/run.json": json.dumps(notes).encode()})
    run = replayed(changed, tmp_path, "one")
    here = f"answered here with numpy {version('numpy')}, not 0.1"
    assert run.remark == f"{here}; the result is the same"
    notes["records_sha256"] = "0" * 64
    changed = rewrite({"runs/1/run.json": json.dumps(notes).encode()})
    with pytest.raises(
        VerificationFailedError, match=f"records that differ from the bundle's; {here}"
    ):
        replayed(changed, tmp_path, "two")


def test_a_report_of_the_replay_is_that_of_the_run(
    run_folder: Path, packed: Path, tmp_path: Path
) -> None:
    run = replayed(packed, tmp_path)
    before = write_report(run_folder, tmp_path / "before.html").read_bytes()
    assert write_report(tmp_path / "out" / run.name, tmp_path / "a.html").read_bytes() == before


@pytest.mark.parametrize(
    ("group", "value"),
    [
        ("method", {}),
        ("method", []),
        ("reader", {"name": "x", "build": {}}),
        ("reader", {"name": "x", "build": {"_target_": 7}}),
        ("dataset", {"name": "x", "build": []}),
        ("dataset", None),
        ("llm", {"name": "x", "build": {"_target_": "remem.llm.chat_model.StoredChatModel"}}),
        ("run", {"histories": "all", "limit": [], "packages": "x"}),
        ("convention", {"score": {}}),
        ("convention", 3),
        ("paths", {"results": "/"}),
        ("runner", {"workers": "many"}),
    ],
)
def test_a_configuration_of_another_shape_is_refused_and_nothing_lies_elsewhere(
    rewrite: Rewrite, packed: Path, tmp_path: Path, group: str, value: object
) -> None:
    config = {**entry(packed, "runs/1/config.json"), group: value}
    changed = rewrite({"runs/1/config.json": json.dumps(config).encode()})
    with pytest.raises(REFUSED):
        replayed(changed, tmp_path)
    assert {item.name for item in tmp_path.iterdir()} <= {"out", "rewritten.remem"}
