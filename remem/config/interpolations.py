"""Interpolations in a configuration: plain references, and resolvers that read other sources.

OmegaConf resolves `${oc.env:NAME}` wherever it is written. Only `conf` may read the environment.
"""

import re
from collections.abc import Mapping

from remem.config.conf_files import is_in_conf
from remem.errors import UsageError

PLAIN = re.compile(r"\$\{[\w.]+\}")
TOKEN = re.compile(r"\$\{|[${}]|[^${}]+")
HARMLESS = ("oc.select", "oc.dict.keys", "oc.dict.values", "now")
"""Resolvers that only read the configuration or the clock."""
LONGEST_SHOWN = 80
FILLED = "\0"
"""Placeholder for an interpolation that was already checked; texts of files may not contain it."""


def is_plain(text: str) -> bool:
    """Return whether all interpolations of a text are plain references.

    >>> is_plain("REMem-I (${planner.name})"), is_plain("${oc.env:HOME}")
    (True, False)
    """
    return "${" not in PLAIN.sub("", text)


def reads_outside(text: str) -> bool:
    r"""Return whether a text may read the environment, a file or the raw text of another node.

    The name of a resolver may itself be interpolated, so all unknown names count as reading.

    >>> reads_outside("${oc.select:a.b,${c.d}}"), reads_outside("${oc.${a}:HOME}")
    (False, True)
    """
    begun: list[int] = []  # where each reference that is not yet closed begins to name something
    named: list[str] = []
    for token in TOKEN.findall(text):
        if token == "${":
            begun.append(len(named))
        elif token == "}" and begun:
            start = begun.pop()
            name, resolver, _ = "".join(named[start:]).partition(":")
            if resolver and name.strip() not in HARMLESS:
                return True
            named[start:] = [FILLED]
        elif begun and token in "${":
            return True  # it closes nothing, so the reference around it is no plain one
        elif begun:
            named.append(token)
    return bool(begun)


def check_interpolations(tree: object, place: str = "") -> None:
    """Raise an error for texts that read the environment and are not in our own conf.

    Raises:
        UsageError: A text reads the environment; the message does not contain values.
    """
    if isinstance(tree, str):
        if "${" in tree and reads_outside(tree) and not is_in_conf(tree):
            raise UsageError(
                f"{place} is {tree[:LONGEST_SHOWN]!r}, an interpolation that only our own conf "
                f"may use (it reads the environment, or combines other values); write the "
                f"value itself instead"
            )
        return
    parts = (
        tree.items()
        if isinstance(tree, Mapping)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    )
    for key, part in parts:
        check_interpolations(part, f"{place}.{key}" if place else str(key))
