"""Means that a project publishes outside its answer files, for example in its README."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from remem.errors import UsageError

STATED = re.compile(
    r"(?P<system>.+?)(?:@(?P<source>[\w-]+))?=(?P<percent>\d{1,3}(?:\.(?P<decimals>\d{1,7}))?)%?"
)


@dataclass(frozen=True, slots=True)
class StatedMean:
    """A mean that is stated for a system, as a share with `digits` decimals.

    `source` is the source of the system; "" if the user names none.
    """

    system: str
    value: float
    digits: int
    source: str = ""


def parse_stated(texts: Sequence[str]) -> list[StatedMean]:
    """Read means stated in per cent, such as "zep=75.14" or "zep@rows=75.14".

    >>> parse_stated(["zep=75.14"])
    [StatedMean(system='zep', value=0.7514, digits=4, source='')]

    Raises:
        UsageError: A text does not have this form, or its mean is over 100% or looks like a share.
    """
    means = []
    for text in texts:
        parts = STATED.fullmatch(text)
        if parts is None or float(parts["percent"]) > 100:
            raise UsageError(
                f"--stated is {text[:60]!r}, expected a system and its mean in per cent, such as "
                "zep=75.14"
            )
        percent, decimals = float(parts["percent"]), len(parts["decimals"] or "")
        if 0 < percent <= 1 and decimals > 1:
            raise UsageError(
                f"--stated {text[:60]!r} looks like a fraction; give the mean in per cent: "
                f"{parts['system'][:40]}={100 * percent:g}"
            )
        value = round(percent / 100, 9)
        means.append(StatedMean(parts["system"], value, 2 + decimals, parts["source"] or ""))
    return means
