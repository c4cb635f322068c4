"""What `remem list --json` prints."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A choice of a group: its label in tables, "" if it has none, and one sentence on it."""

    name: str
    label: str
    about: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group of conf, or `table`, with its choices."""

    group: str
    choices: tuple[Name, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOutput:
    """The names that commands take."""

    command: str = "list"
    groups: tuple[Group, ...]
