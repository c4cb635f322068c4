"""Any changed number in conf is noticed here: settings, limits, seeds and prices.

After an intended change, regenerate with: pytest tests/golden --regenerate-golden
"""

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from remem.config.conf_files import conf_folder, conf_folders

GOLDEN = "conf_numbers.txt"
OVERRIDE = re.compile(r"^([\w.@]+)=(-?\d[\d.]*)$")


def golden_folder(conf: Path) -> Path:
    """Return the folder with the golden numbers of a conf; those of an app are with its tests."""
    ours = Path(__file__).parent
    return ours if conf == conf_folder() else ours.parent / "apps" / conf.parent.name


@pytest.mark.parametrize("conf", conf_folders(), ids=lambda conf: conf.parent.name)
def test_no_number_of_conf_changes_unseen(conf: Path, pytestconfig: pytest.Config) -> None:
    file = golden_folder(conf) / GOLDEN
    lines = sorted(
        f"{path.relative_to(conf).with_suffix('').as_posix()}: {key} = {number}\n"
        for path in conf.rglob("*.yaml")
        for key, number in numbers(OmegaConf.to_container(OmegaConf.load(path)))
    )
    if pytestconfig.getoption("--regenerate-golden"):
        file.write_text("".join(lines), encoding="utf-8")
    golden = file.read_text(encoding="utf-8").splitlines(keepends=True)
    changes = "".join(unified_diff(golden, lines, GOLDEN, "conf", n=0))
    assert not changes, f"{changes}\nsee the head of {Path(__file__).name}"


def numbers(node: Any, *keys: object) -> Iterator[tuple[str, int | float | str]]:
    """Yield the numbers in a part of a file, also those in overrides, with their keys."""
    if isinstance(node, dict | list):
        for key, part in node.items() if isinstance(node, dict) else enumerate(node):
            yield from numbers(part, *keys, key)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield ".".join(map(str, keys)), node
    elif isinstance(node, str):
        for key, number in OVERRIDE.findall(node):
            yield ".".join(map(str, keys)), f"{key}={number}"
