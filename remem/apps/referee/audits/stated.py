"""Means that a project states elsewhere than in its files, as in its README."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from remem.errors import UsageError

STATED = re.compile(r"(?P<system>.+)=(?P<percent>\d{1,3}(?:\.(?P<decimals>\d{1,7}))?)%?")


@dataclass(frozen=True, slots=True)
class StatedMean:
    """A mean that is stated for a system, as a share with so many decimals."""

    system: str
    value: float
    digits: int


def parse_stated(texts: Sequence[str]) -> list[StatedMean]:
    """Return the means in texts such as "zep=75.14", in per cent.

    >>> parse_stated(["zep=75.14"])
    [StatedMean(system='zep', value=0.7514, digits=4)]

    Raises:
        UsageError: A text has another form, or more than 100%.
    """
    means = []
    for text in texts:
        parts = STATED.fullmatch(text)
        if parts is None or float(parts["percent"]) > 100:
            raise UsageError(
                f"--stated {text[:60]!r} is not a system with its mean in per cent, such as "
                "zep=75.14"
            )
        digits = 2 + len(parts["decimals"] or "")
        means.append(StatedMean(parts["system"], round(float(parts["percent"]) / 100, 9), digits))
    return means
