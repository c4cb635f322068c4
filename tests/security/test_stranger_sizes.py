"""Small files of a stranger that would take minutes or all memory: each is refused at once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.bundle.allowed_names import check_trusted
from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError

Remem = Callable[..., tuple[int, str]]
Tamper = Callable[[str, object], None]
GENERATED = "remem.benchmarks."
GENERATORS: dict[str, dict[str, Any]] = {
    "graphs": {
        "_target_": f"{GENERATED}tot.generator.GeneratedToT",
        **{"seed": 1, "graphs_per_cell": 1_000_000, "subset": None, "subset_seed": 0},
    },
    "subjects": {
        "_target_": f"{GENERATED}complex_tr.generator.GeneratedComplexTR",
        **{"seed": 1, "subjects": 1_000_000, "questions_per_level": 1},
        "answer_separator": "commas",
    },
    "sessions": {
        "_target_": f"{GENERATED}dialogues.generator.GeneratedDialogues",
        **{"seed": 1, "conversations": 1, "sessions": 50_000, "events_per_session": 1},
        **{"questions_per_session": 1, "evidence_rule": "paper"},
    },
}
DATASET = {"name": "mine", "style": "chat", "scores": ["f1"], "max_steps": 3}
KEYS = range(1, 28)
NODES = {"a0": {"k": 1}} | {
    f"a{at}": {"l": f"${{reader.a{at - 1}}}", "r": f"${{reader.a{at - 1}}}"} for at in KEYS
}
LEVEL_UP = {"a0": {"k": 1}} | {
    f"a{at}": {"l": f"${{..a{at - 1}}}", "r": f"${{..a{at - 1}}}"} for at in KEYS
}
LABELS = {"a0": {"label": "x" * 9}} | {
    f"a{at}": {"label": f"${{reader.a{at - 1}.label}} ${{reader.a{at - 1}.label}}"} for at in KEYS
}
DOUBLED = {"nodes": NODES, "one level up": LEVEL_UP, "labels": LABELS}
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
        "characters together, expected at most 50,000",
    ),
}
RUN = ("run", "run.limit=1", "run.histories=1", "run.health=warn", "method=no_memory")


def put(folder: Path, name: str, content: object) -> None:
    """Write a file of a stranger's folder; JSON is YAML too."""
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(json.dumps(content))


@pytest.mark.parametrize("keys", DOUBLED.values(), ids=DOUBLED.keys())
def test_references_that_double_are_not_followed(
    remem: Remem, tmp_path: Path, keys: dict[str, Any]
) -> None:
    put(tmp_path / "conf", "reader/mine.yaml", {"defaults": ["extractive"], "name": "m", **keys})
    dataset = ("dataset=generated_dialogues", f"paths.results={tmp_path / 'results'}")
    code, said = remem(*RUN, *dataset, "reader=mine", "--config-dir", str(tmp_path / "conf"))
    assert code == 2 and "reader.a1" in said and "once its references are followed" in said, said
    assert "Traceback" not in said


@pytest.mark.parametrize("build", [*GENERATORS.values()], ids=[*GENERATORS])
def test_a_folder_generates_no_more_data_than_take_seconds(
    remem: Remem, tmp_path: Path, build: dict[str, Any]
) -> None:
    put(tmp_path / "conf", "dataset/mine.yaml", {**DATASET, "build": build})
    place = f"paths.results={tmp_path / 'results'}"
    code, said = remem(*RUN, place, "dataset=mine", "--config-dir", str(tmp_path / "conf"))
    assert code == 2 and "dataset.build sets a number, or a size of generated data" in said, said


@pytest.mark.parametrize("build", GENERATORS.values(), ids=GENERATORS.keys())
def test_a_run_of_a_stranger_generates_no_more_either(
    remem: Remem, run: Path, tamper: Tamper, build: dict[str, Any]
) -> None:
    tamper("dataset.build", build)
    code, said = remem("report", str(run), "--with-text")
    assert code != 0 and "may not generate data of such a size" in said, said


@pytest.mark.parametrize("build", GENERATORS.values(), ids=GENERATORS.keys())
def test_so_does_a_bundle(build: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="may not generate data of such a size"):
        check_trusted({"dataset": {"build": build}}, (), "store")


@pytest.mark.parametrize("name", ["dialogues", "tot", "complex_tr"])
def test_the_sizes_of_our_own_data_are_granted(name: str) -> None:
    resolved = run_config(compose_config([f"dataset=generated_{name}"])).resolved
    check_trusted({"dataset": resolved["dataset"]}, (), "store")


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
