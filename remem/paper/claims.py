"""The numbers in the paper's prose (results/paper/claims.yaml)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict

from remem.paper.layout import Number, parse_number, read_yaml

Rule = Literal[
    "none",
    "same",
    "difference",
    "ratio",
    "share_of_questions",
    "below",
    "in_a_table",
    "number_of_table",
    "headline",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredValue:
    """A value to measure in the released data; `of` describes what is measured.

    `value` is None if the measurement has not been made yet.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    value: str | None
    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A number or comparison in the paper's text; `rule` derives it from the cells in `of`.

    `times` is how often the paper prints the number. If the paper prints words instead of digits,
    `spelled` has these words.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    id: str
    place: str
    about: str
    printed: str | None = None
    times: int = 1
    spelled: str = ""
    rule: Rule = "none"
    of: tuple[str, ...] = ()
    measured: MeasuredValue | None = None
    note: str = ""

    def number(self) -> Number:
        """Return the printed number.

        Raises:
            ValueError: The claim has no printed number.
        """
        if self.printed is None:
            raise ValueError(
                f"claim {self.id!r} has no printed number, but needs one for rule {self.rule!r}"
            )
        return parse_number(self.printed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A number that the paper's authors chose, not one that they measured."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    printed: str
    times: int
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """All numbers in the paper's prose."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    results: tuple[Claim, ...]
    settings: tuple[Setting, ...]

    def by_id(self, name: str) -> Claim:
        """Return a claim.

        Raises:
            ValueError: No claim has this id.
        """
        result = next((claim for claim in self.results if claim.id == name), None)
        if result is None:
            raise ValueError(f"claims.yaml has no claim {name!r}, which the audit needs: add it")
        return result


def read_claims(folder: Path) -> Claims:
    """Read the claims from a folder of tables."""
    return read_yaml(folder / "claims.yaml", Claims)
