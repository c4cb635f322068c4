"""A stranger's `--config-dir` in the real command: none of its files runs code or gets a key."""

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.config.run_config import compose_config
from remem.errors import UsageError

KEY = "sk-canary-7f3a9b2c"
DATASET = "name: mine\nstyle: chat\nscores: [f1]\nmax_steps: 4\n"
GLOBAL = "# @package _global_\n"

Ended = tuple[int, str]


def written(tmp_path: Path, name: str, content: str) -> tuple[Path, str]:
    """Write a file of the folder, in which MARK becomes the file that hostile code would create."""
    mark = tmp_path / "was_here"
    file = tmp_path / "conf" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content.replace("MARK", str(mark)), encoding="utf-8")
    return mark, str(tmp_path / "conf")


SYSTEM = "{_target_: os.system, command: touch MARK}"
ALIAS = "{_target_: remem.cli.hydra_entry.os.system, command: touch MARK}"
PARTIAL = "{_target_: functools.partial, _args_: [os.system, touch MARK]}"


@pytest.mark.parametrize("build", [ALIAS, PARTIAL])
def test_a_target_outside_of_what_is_admitted_is_not_built(
    remem: Callable[..., Ended], tmp_path: Path, build: str
) -> None:
    mark, conf = written(tmp_path, "dataset/mine.yaml", f"{DATASET}build: {build}\n")
    code, said = remem("run", "--config-dir", conf, "dataset=mine", f"paths.results={tmp_path}/r")
    assert code == 2, said
    assert "_target_" in said and "Traceback" not in said
    assert not mark.exists()


@pytest.mark.parametrize("hydra", [f"callbacks: {{x: {SYSTEM}}}", "run: {dir: MARK}"])
def test_hydra_itself_is_not_configured(
    remem: Callable[..., Ended], tmp_path: Path, hydra: str
) -> None:
    mark, conf = written(tmp_path, "reader/mine.yaml", f"{GLOBAL}hydra:\n  {hydra}\n")
    code, said = remem("run", "--config-dir", conf, "reader=mine", f"paths.results={tmp_path}/r")
    assert (code, "configures Hydra itself" in said) == (2, True), said
    assert not mark.exists()


def test_a_yaml_tag_makes_nothing(remem: Callable[..., Ended], tmp_path: Path) -> None:
    content = f"{DATASET}build: !!python/object/apply:os.system ['touch MARK']\n"
    mark, conf = written(tmp_path, "dataset/mine.yaml", content)
    assert remem("run", "--config-dir", conf, "dataset=mine")[0] == 2
    with pytest.raises(UsageError, match="is not plain YAML"):
        compose_config(["dataset=mine", f"hydra.searchpath=[file://{conf}]"])
    assert not mark.exists()


@pytest.mark.parametrize("option", ["--config-dir", "--trust-config"])
def test_a_table_of_a_stranger_runs_no_code(
    remem: Callable[..., Ended], tmp_path: Path, option: str
) -> None:
    block = f"overrides: ['+dataset.x={{_target_:os.system,command:true}}', dataset=mine]\n{TABLE}"
    written(tmp_path, "dataset/mine.yaml", f"{DATASET}build: {SYSTEM}\n")
    mark, conf = written(tmp_path, "table/mine.yaml", f"title: T\nblocks:\n- title: B\n  {block}")
    code, said = remem("table", "mine", option, conf)
    assert code == 2 and ("os.system" in said or "sets a program" in said), said
    assert not mark.exists()


TABLE = """  columns: [{heading: F1, score: f1}]
  notes: []
  rows: [{overrides: []}]
"""


def test_the_standard_library_is_admitted_by_nobody(
    remem: Callable[..., Ended], tmp_path: Path
) -> None:
    mark, conf = written(tmp_path, "dataset/mine.yaml", f"{DATASET}build: {SYSTEM}\n")
    code, said = remem("run", "--config-dir", conf, "dataset=mine", "run.packages=[os,posix]")
    assert code == 2, said
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "content", "override"),
    [
        ("dataset/mine.yaml", f"{DATASET}build: {{note: '${{oc.env:OPENAI_API_KEY}}'}}\n", ""),
        ("reader/mine.yaml", GLOBAL + "run: {x: ['a ${oc.env:OPENAI_API_KEY}']}\n", ""),
        ("", "", "method.label=${oc.env:OPENAI_API_KEY}"),
        ("", "", "llm.name=a-${oc.decode:'${oc.env:OPENAI_API_KEY}'}"),
        ("", "", f"+llm.build.note={KEY}"),
        ("", "", "+llm.build.url=http://ann:sk-canary-7f3a9b2c@127.0.0.1:9/v1"),
    ],
)
def test_no_key_gets_out_of_the_environment_into_a_configuration(
    remem: Callable[..., Ended], tmp_path: Path, name: str, content: str, override: str
) -> None:
    results = tmp_path / "r"
    arguments = ["run", f"paths.results={results}", *([override] if override else [])]
    if name:
        _, conf = written(tmp_path, name, content)
        arguments += ["--config-dir", conf, f"{name.partition('/')[0]}=mine"]
    code, said = remem(*arguments)
    assert code == 2, said
    assert KEY not in said
    assert not any(KEY in str(path) for path in tmp_path.rglob("*"))
    assert not any(KEY in path.read_text("utf-8") for path in results.rglob("*") if path.is_file())


def test_nor_into_the_files_of_a_sweep(remem: Callable[..., Ended], tmp_path: Path) -> None:
    results = f"paths.results={tmp_path}/r"
    for override in (f"method.label=a,{KEY}", "method.label=a,'${oc.env:OPENAI_API_KEY}'"):
        code, said = remem("run", "-m", "run.limit=1", "run.histories=1", results, override)
        assert code == 2, said
        assert KEY not in said
        for path in (tmp_path / "r").rglob("*"):
            assert KEY not in str(path)
            assert path.is_dir() or KEY.encode() not in path.read_bytes(), path
