"""The composite action of the gate: its file is well-formed, and its steps do what they say."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import Result

from remem.run.run_result import RunResult
from remem.types import Gold, Record

FILE = Path(__file__).parents[3] / "remem/apps/referee/gate_action/action.yml"
ACTION = yaml.safe_load(FILE.read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
MakeRun = Callable[..., Path]
Ask = Callable[..., Result]
PARTS = Path(__file__).parents[2] / "parts"


def records(wrong: int) -> list[Record]:
    return [
        Record(
            *(f"h/{at}", "h", at, "What?", Gold(("red",), "1"), "ok"),
            answer="blue" if at < wrong else "red",
        )
        for at in range(20)
    ]


def run_step(name: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as a runner would, but with the given inputs."""
    step = next(step for step in STEPS if step["name"].startswith(name))
    named = dict.fromkeys(step["env"], "")
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        **named,
        "PATH": beside,
        "GITHUB_STEP_SUMMARY": str(folder / "step.md"),
        **inputs,
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_action_is_a_composite_whose_steps_name_their_shell_and_expand_no_input() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert {"name", "description", "inputs", "runs"} == ACTION.keys()
    for step in STEPS:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]  # an input would be run as a part of the script
    used = " ".join(value for step in STEPS for value in step["env"].values())
    for name, about in ACTION["inputs"].items():
        assert f"${{{{ inputs.{name} }}}}" in used
        assert about["description"]
        assert about.get("required") or "default" in about


def test_a_gate_that_fails_writes_to_the_page_of_the_job_and_ends_with_its_code(
    make_run: MakeRun, tmp_path: Path
) -> None:
    before = make_run(records(0))
    worse = make_run(records(10), "method=remem_s")
    inputs = {"BASELINE": str(before), "MARGIN": "4", "JUNIT": "gate.xml", "SCORES": "em  f1"}
    failed = run_step("Ask", tmp_path, FOLDER=str(worse), **inputs)
    assert failed.returncode == 6
    assert "Memory gate: failed" in (tmp_path / "step.md").read_text("utf-8")
    suites = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert {case.get("classname") for case in suites.iter("testcase")} == {"gate.em", "gate.f1"}


def test_the_run_is_made_from_its_arguments_without_a_shell_reading_them(
    tmp_path: Path, run: RunResult, ask: Ask, rehearsed: tuple[str, ...]
) -> None:
    assert ask("referee", "gate", run.folder, "--freeze", tmp_path / "frozen.jsonl").exit_code == 0
    results = f"{tmp_path}/$(touch pwned) x"
    overrides = (*rehearsed, "convention.score.resamples=99", f'paths.results="{results}"')
    made = run_step(
        *("Ask", tmp_path),
        ARGUMENTS=" ".join(f"'{override}'" for override in overrides),
        PYTHONPATH=str(PARTS),
        **{"BASELINE": "frozen.jsonl", "MARGIN": "4", "JUNIT": "gate.xml", "SCORES": "tot_em"},
    )
    assert made.returncode == 0, made.stderr
    assert not (tmp_path / "pwned").exists()
    assert "Every record is equal" in made.stdout
    assert "Memory gate: passed" in (tmp_path / "step.md").read_text("utf-8")
    (folder,) = tmp_path.glob("$(touch pwned) x/runs/*/*/*")
    assert folder.name == run.folder.name


def test_without_a_run_nothing_is_compared(tmp_path: Path) -> None:
    refused = run_step("Ask", tmp_path, BASELINE="b", MARGIN="4", JUNIT="gate.xml")
    assert (refused.returncode, refused.stderr) == (2, "gate: set run or folder\n")
    broken = run_step("Ask", tmp_path, ARGUMENTS="method=nonsense", BASELINE="b", MARGIN="4")
    assert broken.returncode == 2


@pytest.mark.parametrize(
    ("requirement", "installed"), [("", "/action/../../.."), ("remem==0.1", "remem==0.1")]
)
def test_remem_is_installed_from_the_action_or_as_required(
    tmp_path: Path, requirement: str, installed: str
) -> None:
    stub = tmp_path / "python"
    stub.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > asked\n')
    stub.chmod(0o755)
    done = run_step(
        *("Install remem", tmp_path),
        PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        REQUIREMENT=requirement,
        SOURCE="/action/../../..",
    )
    assert done.returncode == 0, done.stderr
    assert asked(tmp_path) == ["-m", "pip", "install", "--quiet", installed]


def asked(folder: Path) -> Sequence[str]:
    return (folder / "asked").read_text().splitlines()


def test_a_setup_that_fails_ends_the_job(tmp_path: Path) -> None:
    assert run_step("Install the memory", tmp_path, SETUP="touch a; false; touch b").returncode == 1
    assert (tmp_path / "a").exists() and not (tmp_path / "b").exists()
