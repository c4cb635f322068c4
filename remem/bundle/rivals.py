"""Whose code made the memory of a rival again when its run was replayed, and of which release."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from remem.config.conf_files import STARTING

PACKAGES = {
    "baselines.mem0_memory.Mem0Memory": "mem0ai",
    "baselines.graphiti_memory.GraphitiMemory": "graphiti-core",
}
"""The rivals that their packages run in our process."""
HIPPORAG2 = "baselines.hipporag2.HippoRAG2"


def made_by(method: Mapping[str, Any]) -> str:
    """Say it of a method that was built here; "" of what is no rival.

    Args:
        method: Its `build`. A rival elsewhere is only built if the release is the one it names.
    """
    target = str(method["_target_"])
    if package := PACKAGES.get(target):
        return f"through {package} {version(package)}"
    if target == STARTING:
        return f"through {' '.join(str(method['package']).split('=='))}, in its own environment"
    return f"by remem {version('remem')}, which has its own code for it" * (target == HIPPORAG2)
