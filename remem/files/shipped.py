"""Where the package is, and what ships with it: conf, data sets' notes, the paper's numbers."""

from pathlib import Path


def package_folder() -> Path:
    """Return the folder of the package `remem`."""
    return Path(__file__).parents[1]


def shipped_folder(installed: str, checkout: str) -> Path:
    """Return a folder that ships with the package, or that of the checkout.

    Args:
        installed: Where it is in an installed package, below `remem`.
        checkout: Where it is in a checkout, below its root.
    """
    folder = package_folder() / installed
    return folder if folder.is_dir() else package_folder().parent / checkout
