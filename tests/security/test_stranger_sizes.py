"""A stranger's small files that would take minutes or all memory are refused at once."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Remem = Callable[..., tuple[int, str]]
Tamper = Callable[[str, object], None]
SESSIONS = {
    "_target_": "remem.benchmarks.dialogues.generator.GeneratedDialogues",
    **{"seed": 1, "conversations": 1, "sessions": 50_000, "events_per_session": 1},
    **{"questions_per_session": 1, "evidence_rule": "paper"},
}
DATASET = {"name": "mine", "style": "chat", "scores": ["f1"], "max_steps": 3}
KEYS = range(1, 28)
NODES = {"a0": {"k": 1}} | {
    f"a{at}": {"l": f"${{reader.a{at - 1}}}", "r": f"${{reader.a{at - 1}}}"} for at in KEYS
}
OVERRIDES = (
    "+reader.a0={k:1}",
    *(f"+reader.a{at}={{l:'${{reader.a{at - 1}}}',r:'${{reader.a{at - 1}}}'}}" for at in KEYS),
)
TOO_MANY: dict[str, tuple[tuple[str, ...], str]] = {
    "doubled": (OVERRIDES, "reader.a1"),
    "one of 400 kB": ((f"reader.x=[{'1,' * 200_000}1]",), "has 400,012 characters"),
    "600": (tuple(f"+reader.x{at}=1" for at in range(600)), "found 600 overrides"),
    "long together": (
        ("reader.x=" + "1" * 9_000,) * 6,
        "characters in total, expected at most 50,000",
    ),
}
RUN = ("run", "run.limit=1", "run.histories=1", "run.health=warn", "method=no_memory")


def put(folder: Path, name: str, content: object) -> None:
    """Write a file of a stranger's folder; JSON is YAML too."""
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(json.dumps(content))


def test_references_that_double_are_not_followed(remem: Remem, tmp_path: Path) -> None:
    put(tmp_path / "conf", "reader/mine.yaml", {"defaults": ["extractive"], "name": "m", **NODES})
    dataset = ("dataset=generated_dialogues", f"paths.results={tmp_path / 'results'}")
    code, said = remem(*RUN, *dataset, "reader=mine", "--config-dir", str(tmp_path / "conf"))
    assert code == 2 and "reader.a1" in said and "once its references are followed" in said, said
    assert "Traceback" not in said


def test_a_folder_generates_no_more_data_than_take_seconds(remem: Remem, tmp_path: Path) -> None:
    put(tmp_path / "conf", "dataset/mine.yaml", {**DATASET, "build": SESSIONS})
    place = f"paths.results={tmp_path / 'results'}"
    code, said = remem(*RUN, place, "dataset=mine", "--config-dir", str(tmp_path / "conf"))
    assert code == 2 and "dataset.build sets a number, or a size of generated data" in said, said


@pytest.mark.parametrize("case", TOO_MANY.values(), ids=TOO_MANY.keys())
def test_a_table_has_no_more_overrides_than_are_read_in_seconds(
    remem: Remem, tmp_path: Path, case: tuple[tuple[str, ...], str]
) -> None:
    overrides, told = case
    small = ("dataset=generated_dialogues", "dataset.build.conversations=1", "run.limit=1")
    block = {
        "title": "B",
        "overrides": [*small, "method=no_memory"],
        "columns": [{"heading": "F1", "score": "f1"}],
        "rows": [{"overrides": list(overrides)}],
    }
    put(tmp_path / "conf", "table/mine.yaml", {"title": "T", "blocks": [block]})
    place = f"paths.results={tmp_path / 'results'}"
    code, said = remem("table", "mine", place, "--config-dir", str(tmp_path / "conf"))
    assert code == 2 and told in said and "Traceback" not in said, said
