"""Name the code, and its release, that built the memory of a rival in a replay."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from remem.config.permissions import GRAPHITI, HIPPORAG2, MEM0, app_permissions

PACKAGES = {MEM0: "mem0ai", GRAPHITI: "graphiti-core"}
"""The packages of rivals that run in our process, by memory class."""


def made_by(method: Mapping[str, Any]) -> str:
    """Return a phrase that names the code that built the memory of a rival; "" for other methods.

    Args:
        method: The `build` node of the method.
    """
    target = str(method["_target_"])
    if package := PACKAGES.get(target):
        return f"through {package} {version(package)}"
    if target in app_permissions().started:
        return f"through {' '.join(str(method['package']).split('=='))}, in its own environment"
    return f"by remem {version('remem')}, which has its own code for it" * (target == HIPPORAG2)
