"""Any change of a number in conf shows here: settings, limits, seeds and prices.

After a change that is meant, regenerate with: pytest tests/golden --regenerate-golden
"""

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from remem.config.conf_files import conf_folder

GOLDEN = Path(__file__).with_name("conf_numbers.txt")
OVERRIDE = re.compile(r"^([\w.@]+)=(-?\d[\d.]*)$")


def test_no_number_of_conf_changes_unseen(pytestconfig: pytest.Config) -> None:
    lines = sorted(
        f"{path.relative_to(conf_folder()).with_suffix('').as_posix()}: {key} = {number}\n"
        for path in conf_folder().rglob("*.yaml")
        for key, number in numbers(OmegaConf.to_container(OmegaConf.load(path)))
    )
    if pytestconfig.getoption("--regenerate-golden"):
        GOLDEN.write_text("".join(lines), encoding="utf-8")
    golden = GOLDEN.read_text(encoding="utf-8").splitlines(keepends=True)
    changes = "".join(unified_diff(golden, lines, GOLDEN.name, "conf", n=0))
    assert not changes, f"{changes}\nsee the head of {Path(__file__).name}"


def numbers(node: Any, *keys: object) -> Iterator[tuple[str, int | float | str]]:
    """Yield the numbers in a part of a file, those of overrides too, with their keys."""
    if isinstance(node, dict | list):
        for key, part in node.items() if isinstance(node, dict) else enumerate(node):
            yield from numbers(part, *keys, key)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield ".".join(map(str, keys)), node
    elif isinstance(node, str):
        for key, number in OVERRIDE.findall(node):
            yield ".".join(map(str, keys)), f"{key}={number}"
