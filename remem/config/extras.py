"""The optional parts of remem, as its installed metadata name them, and what each lacks here."""

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, version

from packaging.requirements import Requirement

LAUNCHER = re.compile(r"hydra-(?P<name>\w+)-launcher")


@dataclass(frozen=True, slots=True)
class Extra:
    """One extra and what it needs on this machine; the core is the extra without a name."""

    name: str
    needed: tuple[Requirement, ...]

    @property
    def install(self) -> str:
        """Return the command that installs it."""
        return f"pip install 'remem[{self.name}]'"

    @property
    def lacking(self) -> tuple[str, ...]:
        """Return what is not installed, or in a version that does not do."""
        return tuple(filter(None, map(_lack, self.needed)))


def extra_named(name: str) -> Extra:
    """Return one extra; the empty name is the core.

    Raises:
        PackageNotFoundError: remem is not installed.
    """
    lines = map(Requirement, metadata("remem").get_all("Requires-Dist") or ())
    own = [line for line in lines if _for(line, name) and (not name or not _for(line, ""))]
    return Extra(name, tuple(own))


def all_extras() -> tuple[Extra, ...]:
    """Return every extra, in the order of the metadata; none where remem is not installed."""
    try:
        return tuple(map(extra_named, metadata("remem").get_all("Provides-Extra") or ()))
    except PackageNotFoundError:
        return ()


def launcher_extras() -> dict[str, Extra]:
    """Return the extras that bring a launcher of Hydra, by how the launcher's name begins."""
    return {
        found["name"]: extra
        for extra in all_extras()
        for requirement in extra.needed
        if (found := LAUNCHER.fullmatch(requirement.name))
    }


def _for(line: Requirement, extra: str) -> bool:
    return line.marker is None or line.marker.evaluate({"extra": extra})


def _lack(needed: Requirement) -> str:
    try:
        there = version(needed.name)
    except PackageNotFoundError:
        return needed.name
    if needed.specifier.contains(there, prereleases=True):
        return ""
    return f"{needed.name}{needed.specifier} ({there} is installed)"
