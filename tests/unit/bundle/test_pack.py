import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import pytest

from remem.bundle.pack import pack
from remem.bundle.replay import replay
from remem.bundle.verify import verify
from remem.errors import UsageError, VerificationFailedError
from remem.reports.html import table_files
from remem.results.run import Run
from remem.run.progress import no_view
from remem.run.store import open_run


@pytest.fixture
def copied(run_folder: Path, tmp_path: Path) -> Path:
    """A copy of the run that a test may change, in another results folder."""
    folder = tmp_path / "results" / "runs" / "a" / "b" / "c"
    shutil.copytree(run_folder, folder)
    return folder


def written_manifest(folder: Path) -> dict[str, Any]:
    with open_run(folder) as store:
        return store.read_manifest()


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    with open_run(folder) as store:
        store.write_manifest(manifest)


def test_a_record_that_does_not_come_out_again_is_named_and_nothing_is_written(
    copied: Path, tmp_path: Path, change_records: Callable[..., None]
) -> None:
    change_records(copied, lambda line: line.replace(b'"answer":"', b'"answer":"made up '))
    with pytest.raises(VerificationFailedError, match=r"question \S+ differs in answer"):
        pack([copied], tmp_path / "no.remem", no_view, files=table_files)
    assert {path.name for path in tmp_path.iterdir()} == {"results"}


def test_a_run_gives_the_same_bytes_wherever_it_lies_and_whatever_the_limit_of_a_later_start(
    copied: Path, packed: Path, tmp_path: Path
) -> None:
    manifest = written_manifest(copied)
    manifest["config"]["run"].update(limit=3, histories=1)
    write_manifest(copied, manifest)
    again = pack([copied], tmp_path / "again.remem", no_view, files=table_files)
    assert again.path.read_bytes() == packed.read_bytes()
    assert again.bytes == packed.stat().st_size
    assert {path.name for path in tmp_path.iterdir()} == {"again.remem", "results"}


def test_an_index_that_does_not_come_out_again_is_named(copied: Path, tmp_path: Path) -> None:
    manifest = written_manifest(copied)
    manifest["index_counts"] = {"gen-1": {"gists": 1}}
    write_manifest(copied, manifest)
    with pytest.raises(VerificationFailedError, match=r"index_counts of the index: .*'gists': 1"):
        pack([copied], tmp_path / "no.remem", no_view, files=table_files)


def test_what_is_no_whole_run_is_refused(copied: Path, tmp_path: Path) -> None:
    out = tmp_path / "no.remem"
    with pytest.raises(UsageError, match="named twice"):
        pack([copied, copied], out, no_view, files=table_files)
    manifest = written_manifest(copied)
    del manifest["finished"]
    write_manifest(copied, manifest)
    with pytest.raises(UsageError, match="not finished"):
        pack([copied], out, no_view, files=table_files)
    with pytest.raises(UsageError, match="is not a run"):
        pack([tmp_path], out, no_view, files=table_files)
    assert not out.exists()


def test_a_run_and_verdicts_of_a_stub_are_refused_unless_allowed(
    copied: Path, tmp_path: Path
) -> None:
    verdicts = copied / "judgments.llm-loopback-stub-0123456789ab.jsonl"
    verdicts.write_bytes(b"")
    with pytest.raises(UsageError, match=r"verdicts of loopback-stub .*--allow-stub"):
        pack([copied], tmp_path / "no.remem", no_view, files=table_files)
    verdicts.unlink()
    manifest = written_manifest(copied)
    manifest["config"]["llm"]["name"] = "loopback-stub"
    write_manifest(copied, manifest)
    with pytest.raises(UsageError, match="--allow-stub"):
        pack([copied], tmp_path / "no.remem", no_view, files=table_files)


def test_texts_travel_only_when_asked_for(run_folder: Path, packed: Path, tmp_path: Path) -> None:
    with_text = pack(
        [run_folder], tmp_path / "text.remem", no_view, with_text=True, files=table_files
    )
    assert verify(with_text.path).questions == 10
    records = (run_folder / "records.canonical.jsonl").read_bytes()
    with ZipFile(with_text.path) as archive:
        assert archive.read("runs/1/records.text.jsonl") == records
    with ZipFile(packed) as archive:
        assert "runs/1/records.text.jsonl" not in archive.namelist()
    assert with_text.index.with_text and "hold questions" in with_text.index.note


@pytest.mark.parametrize(
    ("shown", "left"), [(["em", "wordy"], ["em"]), (["wordy"], ["f1"])], ids=["beside", "alone"]
)
def test_a_score_that_is_not_remems_is_left_out_and_the_bundle_says_so(
    shown: list[str], left: list[str], copied: Path, tmp_path: Path, wordy: str
) -> None:
    manifest = written_manifest(copied)
    manifest["config"]["score"] = {
        "wordy": {
            "heading": "words",
            "unit": "count",
            "better": "lower",
            "build": {"_target_": f"{wordy}.words", "_partial_": True},
        }
    }
    manifest["config"]["dataset"]["scores"] = shown
    write_manifest(copied, manifest)
    out = tmp_path / "own.remem"
    note = pack([copied], out, no_view, files=table_files, packages=[wordy]).index.note
    assert "The score wordy is left out: its function is not part of remem" in note
    replayed = replay(out, tmp_path, tmp_path / "replayed", no_view, files=table_files)
    assert replayed.verified.index.note == note
    folder = tmp_path / "replayed" / "runs" / replayed.runs[0].name.removeprefix("runs/")
    scored = Run.open(folder)
    assert scored.shown_scores[-len(left) :] == left
    assert "wordy" not in scored.convention.score_names


@pytest.fixture
def wordy(monkeypatch: pytest.MonkeyPatch) -> str:
    """A user's package with a score: the number of words of an answer."""
    module = ModuleType("wordy")
    exec("def words(record, convention): return len(record.answer.split())", module.__dict__)
    monkeypatch.setitem(sys.modules, "wordy", module)
    return "wordy"
