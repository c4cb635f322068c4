"""Count what happens to input from outside: how much was kept, left out, or repaired by a rule.

Readers of files and servers collect their items in an `Intake`. Its `Account` checks that all items
that arrived were either kept or left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Remark:
    """Why `count` items were left out, or which rule repaired them; `first` names the first one.

    If `what` is empty, the items were left out because they were not read.
    """

    what: str
    count: int
    first: str


@dataclass(frozen=True, slots=True)
class Account:
    """How many units of the input, such as "answers" or "vectors", were kept, left out or repaired.

    `asked` is the number of units that were requested; None if there was no request. `kept` is
    counted separately, so that the sum can be compared with `arrived`.
    """

    units: str
    arrived: int
    kept: int
    left_out: tuple[Remark, ...] = ()
    repaired: tuple[Remark, ...] = ()
    asked: int | None = None

    def __post_init__(self) -> None:
        """Refuse an account that does not add up."""
        left_out = sum(remark.count for remark in self.left_out)
        if self.kept + left_out != self.arrived:
            raise ValueError(
                f"{self.arrived:,} {self.units} arrived, but {self.kept:,} were kept and "
                f"{left_out:,} left out"
            )

    def __add__(self, other: "Account") -> "Account":
        """Return the account of two inputs together."""
        asked = [each.asked for each in (self, other) if each.asked is not None]
        return Account(
            self.units,
            self.arrived + other.arrived,
            self.kept + other.kept,
            _together((*self.left_out, *other.left_out)),
            _together((*self.repaired, *other.repaired)),
            sum(asked) if asked else None,
        )

    def sentences(self, source: str) -> Iterator[str]:
        """Yield one sentence for each reason and rule; none if everything was kept unchanged."""
        for verb, remarks in (("left out", self.left_out), ("repaired", self.repaired)):
            for remark in remarks:
                if not remark.what:
                    yield (
                        f"{source}: {remark.count:,} of {self.arrived:,} {self.units} were not "
                        f"read, first at {remark.first}."
                    )
                    continue
                yield (
                    f"{source}: {remark.count:,} of {self.arrived:,} {self.units} were {verb}: "
                    f"{remark.what} (first: {remark.first})."
                )


@dataclass(slots=True)
class Intake(Generic[Item]):
    """Collects the items that a reader keeps, and counts those that it leaves out or repairs."""

    units: str
    items: list[Item] = field(default_factory=list)
    _left_out: dict[str, Remark] = field(default_factory=dict)
    _repaired: dict[str, Remark] = field(default_factory=dict)

    def keep(self, item: Item) -> None:
        """Keep an item."""
        self.items.append(item)

    def leave_out(self, place: str, reason: str) -> None:
        """Record that the item at `place` was left out, and why."""
        _count(self._left_out, place, reason)

    def repair(self, place: str, rule: str) -> None:
        """Record that a rule changed the item at `place`, which must also be kept or left out."""
        _count(self._repaired, place, rule)

    def account(self, *, arrived: int, asked: int | None = None) -> Account:
        """Return the counts of all items so far.

        Args:
            arrived: The number of items in the input, counted by the caller.
            asked: The number of items that were requested; None if there was no request.

        Raises:
            ValueError: The items kept and left out do not add up to those that arrived.
        """
        left_out, repaired = tuple(self._left_out.values()), tuple(self._repaired.values())
        return Account(self.units, arrived, len(self.items), left_out, repaired, asked)


def _together(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Add up the counts of the same reason or rule; its first place is the earlier one."""
    summed: dict[str, Remark] = {}
    for remark in remarks:
        earlier = summed.get(remark.what, replace(remark, count=0))
        summed[remark.what] = replace(earlier, count=earlier.count + remark.count)
    return tuple(summed.values())


def _count(remarks: dict[str, Remark], place: str, what: str) -> None:
    before = remarks.get(what, Remark(what, 0, place))
    remarks[what] = Remark(what, before.count + 1, before.first)
