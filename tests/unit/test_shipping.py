"""The Dockerfile, the workflows and the version name only what exists.

Nothing here runs docker: the image itself is not built.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from remem.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", text)).splitlines()
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if line.strip()]


def arguments(wanted: str) -> list[str]:
    return [rest for name, rest in instructions() if name == wanted]


def copied() -> set[str]:
    return {source.rstrip("/") for rest in arguments("COPY") for source in rest.split()[:-1]}


def test_the_image_copies_only_what_exists() -> None:
    assert [source for source in sorted(copied()) if not (ROOT / source).exists()] == []


def test_the_image_copies_every_folder_that_is_installed() -> None:
    setup = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    (constant,) = (node for node in setup.body if isinstance(node, ast.Assign))
    assert {
        *ast.literal_eval(constant.value).values(),
        *("remem", "baselines", "setup.py", "pyproject.toml"),
        PROJECT["project"]["readme"],
        "LICENSE",
    } <= copied()


def test_the_shell_lines_of_the_image_are_valid() -> None:
    for line in arguments("RUN"):
        subprocess.run(["bash", "-n", "-c", line], check=True)


def test_the_image_starts_the_command_that_its_environment_has() -> None:
    (entry,) = arguments("ENTRYPOINT")
    assert yaml.safe_load(entry) == list(PROJECT["project"]["scripts"])
    (environment,) = re.findall(r"-m venv (\S+)\s+&&", " ".join(arguments("RUN")))
    assert f'PATH="{environment}/bin:' in " ".join(arguments("ENV"))


def test_the_extras_and_the_verb_in_the_comments_of_the_image_exist() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    (extras,) = re.findall(r"EXTRAS=([\w,-]+)", text)
    assert set(extras.split(",")) <= set(PROJECT["project"]["optional-dependencies"])
    (verb,) = re.findall(r"remem (\w+) offline$", text, re.MULTILINE)
    assert verb in COMMANDS


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_targets_of_the_makefile(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for step in steps(path):
        for target in step.get("run", "").removeprefix("make ").split():
            if step["run"].startswith("make "):
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_workflows_test_every_python_that_the_package_promises() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert f">={tested[0]}" == PROJECT["project"]["requires-python"]
    promised = re.search(r"for release in (.*);", (ROOT / "scripts" / "dist.sh").read_text("utf-8"))
    assert promised is not None
    assert tested == promised[1].split()


def test_the_version_is_the_same_everywhere() -> None:
    stated = PROJECT["project"]["version"]
    assert version("remem") == stated
    assert f"\nversion: {stated}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(rf"(?m)^## {re.escape(stated)}\b", (ROOT / "CHANGELOG.md").read_text("utf-8"))


def test_the_command_shows_the_version_of_the_package() -> None:
    command = [Path(sys.executable).with_name("remem"), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"remem {PROJECT['project']['version']}\n"
