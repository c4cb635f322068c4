"""Locate the package and the files shipped with it: conf, dataset notes, the paper's numbers."""

import hashlib
from functools import cache
from pathlib import Path

from remem.files.opened import read_file


def package_folder() -> Path:
    """Return the folder of the package `remem`."""
    return Path(__file__).parents[1]


def baselines_folder() -> Path:
    """Return the folder of the package `baselines`, which lies next to `remem`."""
    return package_folder().parent / "baselines"


@cache
def code_sum() -> str:
    """Return the first 16 digits of a sha256 over all our source files as they are on the disk."""
    return _sum_below(package_folder(), baselines_folder())


@cache
def scoring_sum() -> str:
    """Return the first 16 digits of a sha256 over the source files that compute scores."""
    return _sum_below(package_folder() / "metrics")


def _sum_below(*folders: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        total.update(read_file(path))
    return total.hexdigest()[:16]


def app_folders() -> list[Path]:
    """Return the folders of the apps, `remem/apps/<name>`, in the order of their names."""
    return sorted(face.parent for face in (package_folder() / "apps").glob("*/__init__.py"))


def shipped_folder(installed: str, checkout: str) -> Path:
    """Return the path of a shipped folder: in the installed package, else in the checkout.

    Args:
        installed: Its path in an installed package, relative to `remem`.
        checkout: Its path in a checkout, relative to the root.
    """
    folder = package_folder() / installed
    return folder if folder.is_dir() else package_folder().parent / checkout
