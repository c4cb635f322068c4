"""Which bundles a leaderboard believes, and why it refuses the others."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.apps.referee.certificates.certificate import certificate_bytes, certificate_paths
from remem.apps.referee.certificates.certificate_text import unchecked_facts
from remem.apps.referee.certificates.certify import certify
from remem.apps.referee.leaderboards.leaderboard_entries import (
    UNSIGNED,
    Entries,
    read_entries,
)
from remem.errors import UsageError
from remem.reports.html import table_files
from remem.run.progress import no_view

RIVAL = {"package": "mem0ai", "release": "1.0.11", "place": "process"}
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def certified(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("certified")
    return certificate_bytes(
        certify(packed, folder / "data", folder / "results", no_view, files=table_files)
    )


@pytest.fixture
def board(packed: Path, certified: bytes, tmp_path: Path) -> Path:
    """A folder with one bundle and its certificate."""
    folder = tmp_path / "board"
    folder.mkdir()
    shutil.copy(packed, folder)
    certificate_paths(folder / packed.name).json.write_bytes(certified)
    return folder


def test_a_bundle_with_its_certificate_is_accepted(board: Path, certified: bytes) -> None:
    found = read_entries(board)
    (entry,) = found.entries
    assert (entry.file, entry.basis, found.refused) == ("one.remem", UNSIGNED, ())
    assert certificate_bytes(entry.certificate) == certified


def refusal(found: Entries) -> str:
    (refused,) = found.refused
    assert (found.entries, refused.file) == ((), "one.remem")
    return refused.reason


def test_a_damaged_bundle_is_refused(board: Path) -> None:
    path = board / "one.remem"
    path.write_bytes(path.read_bytes()[:-70])
    assert "one.remem" in refusal(read_entries(board))
    assert str(board) not in refusal(read_entries(board))


def score(content: dict[str, Any], way: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = content["runs"][0]["scorings"][way]["scores"][0]
    return found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content["bundle"].update(sha256="0" * 64), "of another bundle"),
        (lambda content: content["runs"].append(content["runs"][0]), "but 1 in the bundle"),
        (lambda content: content["runs"][0].update(method="Best"), "in method of"),
        (lambda content: content["runs"][0].update(finished="2099-01-01"), "in finished of"),
        (lambda content: content["runs"][0]["questions"].reverse(), "in questions of"),
        (lambda content: score(content).update(values=[1.0] * 10), "in scorings of"),
        (lambda content: score(content).update(mean=0.99), "in scorings of"),
        (lambda content: score(content).update(low=0.99), "in scorings of"),
        (lambda content: content["bundle"].update(size=1), "in size, version, contents"),
        (lambda content: content["bundle"].update(licences=["free"]), "in size, version"),
        (lambda content: content["bundle"].update(replies=9), "in size, version, contents"),
        (
            lambda content: content["tables"].append(
                {"name": "offline", "files": 3, "not_compared": None}
            ),
            "contents or tables",
        ),
        (lambda content: content["runs"][0].update(with_records=True), "in with_records of"),
        (lambda content: content.update(certified_with="the committee"), "certified_with is"),
        (lambda content: content["runs"][0].update(missing="a b"), "missing is"),
        (
            lambda content: content["runs"][0]["scorings"].append(
                content["runs"][0]["scorings"][1]
            ),
            "in scorings of",
        ),
        (lambda content: score(content, 1).update(mean=0.99), "in scorings of"),
        (lambda content: score(content, 1).update(better="lower"), "in scorings of"),
        (lambda content: score(content, 1).update(judge="judgments.b.jsonl"), "in scorings of"),
        (
            lambda content: content["runs"][0]["scorings"][1]["choices"].update(resamples=10**9),
            "in scorings of",
        ),
        (lambda content: content["runs"][0]["scorings"].clear(), "in scorings of"),
    ],
)
def test_a_certificate_that_contradicts_the_bundle_is_refused(
    board: Path, change: Change, said: str
) -> None:
    assert said in forged(board, change)


def forged(board: Path, change: Change) -> str:
    path = certificate_paths(board / "one.remem").json
    content = json.loads(path.read_bytes())
    change(content)
    path.write_bytes(json.dumps(content, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return refusal(read_entries(board))


def test_other_releases_than_those_of_the_run_are_accepted(board: Path) -> None:
    path = certificate_paths(board / "one.remem").json
    content = json.loads(path.read_bytes())
    run = content["runs"][0]
    there = run["ran_on"]["python"]
    run["other_releases"] = [{"package": "python", "here": "9.9.9", "there": there}]
    path.write_bytes(json.dumps(content, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    (entry,) = read_entries(board).entries
    remark = f"answered here with python 9.9.9, not {there}; the result is the same"
    assert f"{run['label']}: {remark}" in unchecked_facts(entry.certificate)


def first_cost(content: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = content["runs"][0]["costs"][0]
    return found


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda content: content["runs"][0].update(missing="mem0"), "missing"),
        (lambda content: content["runs"][0].update(replayed=False, rival=RIVAL), "rival"),
        (
            lambda content: content["runs"][0].update(
                other_releases=[{"package": "trust", "here": "1", "there": "2"}]
            ),
            "other_releases",
        ),
        (
            lambda content: content["runs"][0].update(
                other_releases=[{"package": "numpy", "here": "9", "there": "0.0.0"}]
            ),
            "other_releases",
        ),
        (lambda content: first_cost(content).update(p50=-1.0), "costs"),
        (lambda content: first_cost(content).update(p95=1e9), "costs"),
        (lambda content: first_cost(content).update(unit="s"), "costs"),
        (lambda content: first_cost(content).update(name="praise"), "costs"),
        (lambda content: first_cost(content).update(n=11), "costs"),
        (lambda content: first_cost(content).update(total=-1.0), "costs"),
        (lambda content: content["runs"][0]["costs"].append(first_cost(content)), "costs"),
        (lambda content: score(content, 1).update(low=0.999), "scorings"),
        (lambda content: score(content, 1).update(high=None), "scorings"),
        (lambda content: score(content, 1).update(high=1.5), "scorings"),
        (lambda content: score(content, 1).update(n=99), "scorings"),
        (
            lambda content: score(content, 1).update(values=[3.0] * 10, mean=3.0, high=3.0),
            "scorings",
        ),
    ],
)
def test_what_no_replay_can_find_is_refused(board: Path, change: Change, field: str) -> None:
    assert f"an impossible value for {field} of" in forged(board, change)


def test_a_name_with_control_characters_is_shown_without_them(board: Path) -> None:
    (board / "one.remem").rename(board / "o\x1b[2Jne.remem")
    (refused,) = read_entries(board).refused
    assert refused.file == "o [2Jne.remem"
    assert "\x1b" not in refused.reason


def test_a_folder_without_a_bundle_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no bundle \(\*\.remem\)"):
        read_entries(tmp_path)


def test_a_missing_key_is_told_and_no_bundle_is_blamed(board: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no public key"):
        read_entries(board, [tmp_path / "none.pub"])
