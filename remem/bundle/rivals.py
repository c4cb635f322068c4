"""Find the package and release that built the memory of a rival system in a replay."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

from remem.bundle.layout import PackageName, Release
from remem.config.permissions import GRAPHITI, HIPPORAG2, MEM0, app_permissions

PACKAGES = {MEM0: "mem0ai", GRAPHITI: "graphiti-core"}
"""The packages of rivals that run in our process, by memory class."""


@dataclass(frozen=True, slots=True)
class RivalCode:
    """The package and release that built a rival's memory, and where its code runs.

    `release` is "" if the configuration names no release. `place` is "remem" if the rival is
    implemented in remem itself.
    """

    package: PackageName
    release: Release
    place: Literal["process", "environment", "remem"]

    def __str__(self) -> str:
        code = f"{self.package} {self.release}".rstrip()
        return {
            "process": f"through {code}",
            "environment": f"through {code}, in its own environment",
            "remem": f"by {code}, with its own code",
        }[self.place]


def rival_code(method: Mapping[str, Any]) -> RivalCode | None:
    """Return the code that builds a rival's memory; None if the method is not a rival.

    Args:
        method: The `build` node of the method.
    """
    target = str(method["_target_"])
    if package := PACKAGES.get(target):
        return RivalCode(package, version(package), "process")
    if target in app_permissions().started:
        package, _, release = str(method["package"]).partition("==")
        return RivalCode(package, release, "environment")
    return RivalCode("remem", version("remem"), "remem") if target == HIPPORAG2 else None
