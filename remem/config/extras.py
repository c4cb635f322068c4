"""The extras of remem, from its installed metadata, and their missing requirements."""

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, version

from packaging.requirements import Requirement

LAUNCHER = re.compile(r"hydra-(?P<name>\w+)-launcher")


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra and the packages that it needs on this machine; the name "" stands for the core."""

    name: str
    needed: tuple[Requirement, ...]

    @property
    def install(self) -> str:
        """Return the command that installs the extra."""
        return f"pip install '.[{self.name}]'"

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the requirements that are not installed or have an unsuitable version."""
        return tuple(filter(None, map(_lack, self.needed)))


def extra_named(name: str) -> Extra:
    """Return the extra with this name; the name "" stands for the core.

    Raises:
        PackageNotFoundError: remem is not installed.
    """
    lines = map(Requirement, metadata("remem").get_all("Requires-Dist") or ())
    own = [line for line in lines if _for(line, name) and (not name or not _for(line, ""))]
    return Extra(name, tuple(own))


def all_extras() -> tuple[Extra, ...]:
    """Return every extra, in the order of the metadata; empty if remem is not installed."""
    try:
        return tuple(map(extra_named, metadata("remem").get_all("Provides-Extra") or ()))
    except PackageNotFoundError:
        return ()


def launcher_extras() -> dict[str, Extra]:
    """Return the extras that contain a Hydra launcher, by the prefix of the launcher's name."""
    return {
        match["name"]: extra
        for extra in all_extras()
        for requirement in extra.needed
        if (match := LAUNCHER.fullmatch(requirement.name))
    }


def installed_version(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _for(line: Requirement, extra: str) -> bool:
    return line.marker is None or line.marker.evaluate({"extra": extra})


def _lack(needed: Requirement) -> str:
    there = installed_version(needed.name)
    if there is None:
        return needed.name
    if needed.specifier.contains(there, prereleases=True):
        return ""
    return f"{needed.name}{needed.specifier} ({there} is installed)"
