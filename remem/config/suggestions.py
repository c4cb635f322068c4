"""Suggestions for messages about unknown names: the valid names, and the most similar one."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches


def either(valid: Iterable[str]) -> str:
    """Join valid names with commas and "or".

    >>> either(["auto", "serial", "threads"])
    'auto, serial or threads'
    """
    *first, last = valid
    return f"{', '.join(first)} or {last}" if first else last


def did_you_mean(wrong: str, valid: Iterable[str]) -> str:
    """Return "; did you mean 'x'?", or "" if no name is similar.

    >>> did_you_mean("rmem_i", ["remem_i", "mem0"])
    "; did you mean 'remem_i'?"
    >>> did_you_mean("x", ["remem_i"])
    ''
    """
    return did_you_mean_by(wrong, {name: name for name in valid})


def did_you_mean_by(wrong: str, valid: Mapping[str, str]) -> str:
    """Return "; did you mean 'x'?" with the long name of the most similar short name, or "".

    >>> did_you_mean_by("scor.f1", {"score.f1": "convention.score.f1"})
    "; did you mean 'convention.score.f1'?"
    """
    near = get_close_matches(wrong, list(valid), n=1)
    return f"; did you mean {valid[near[0]]!r}?" if near else ""
