"""The nearest valid name beside a wrong one: what a complaint on a name should end with."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches


def did_you_mean(wrong: str, valid: Iterable[str]) -> str:
    """Return "; did you mean 'x'?", or nothing where no name is near.

    >>> did_you_mean("rmem_i", ["remem_i", "mem0"])
    "; did you mean 'remem_i'?"
    >>> did_you_mean("x", ["remem_i"])
    ''
    """
    return did_you_mean_by(wrong, {name: name for name in valid})


def did_you_mean_by(wrong: str, valid: Mapping[str, str]) -> str:
    """Do the same where each name stands for a longer one, which is the one to be told.

    >>> did_you_mean_by("scor.f1", {"score.f1": "convention.score.f1"})
    "; did you mean 'convention.score.f1'?"
    """
    near = get_close_matches(wrong, list(valid), n=1)
    return f"; did you mean {valid[near[0]]!r}?" if near else ""
