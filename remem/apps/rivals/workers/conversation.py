"""The protocol between a worker and remem: one JSON object per line in each direction.

A worker runs in a separate environment, with only its own package and the standard library. It can
connect only to our models, which in a replay only return recorded replies.
"""

import json
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from typing import Any, Protocol, TextIO
from urllib.parse import urlsplit

REACHING = ("bind", "connect", "sendto", "sendmsg", "getaddrinfo", "getnameinfo", "gethostby")
"""Prefixes of audit events of `socket` for connections and name lookups."""
STARTING = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
"""Audit events that start a program, which could open forbidden connections."""


class Rival(Protocol):
    """The memory of another project; each call gets the `url` of the models that it may use."""

    def add(self, episode: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add an episode; return its counts, and the reasons for any losses."""

    def recall(self, text: str, url: str) -> dict[str, Any]:
        """Return the items `found`, best first, and the number of `rejected` model replies."""


class GuardedStdout:
    """An audit hook that forbids starting programs and connecting to any address except one.

    Python cannot remove a hook once it is installed.
    """

    def __init__(self) -> None:
        self._open: tuple[str, int] | None = None

    def lead_to(self, url: str) -> None:
        """From now on, allow connections only to this address."""
        parts = urlsplit(url)
        self._open = parts.hostname or "", parts.port or 0

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise PermissionError if an event starts a program or connects to another address."""
        module, _, call = event.partition(".")
        leaves = module == "socket" and call.startswith(REACHING)
        if event in STARTING or (leaves and not self._leads_there(call, arguments)):
            raise PermissionError(f"{event} is not allowed: a worker may only call its models")

    def _leads_there(self, call: str, arguments: tuple[Any, ...]) -> bool:
        if call == "getaddrinfo":
            host, port = arguments[:2]
            return (host.decode() if isinstance(host, bytes) else host, port) == self._open
        if call == "sendmsg" and arguments[1] is None:
            return True  # over an existing connection
        return call == "connect" and arguments[1][:2] == self._open


def converse(worker: str) -> None:
    """Start a memory and answer requests until the input ends.

    Args:
        worker: The module in this folder that starts the memory; its `PACKAGE` names the package.
    """
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # keep the output of packages out of the answers
        way = GuardedStdout()
        sys.addaudithook(way.hear)
        module = import_module(worker)
        first = json.loads(sys.stdin.readline())
        rival: Rival = module.start(first["start"])
        _write(answers, first, {"ready": version(module.PACKAGE)})
        for line in sys.stdin:
            request = json.loads(line)
            way.lead_to(request["url"])
            _write(answers, request, _answered(rival, request))


def _answered(rival: Rival, request: Mapping[str, Any]) -> dict[str, Any]:
    if "add" in request:
        return rival.add(request["add"], request["url"])
    try:
        return rival.recall(request["recall"], request["url"])
    except Exception as error:  # noqa: BLE001  any error fails only this question
        return {"error": f"{type(error).__name__}: {error}"}


def _write(answers: TextIO, request: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    """Write an answer with the number of its request."""
    answers.write(json.dumps({"request": request["request"], **answer}) + "\n")
    answers.flush()


if __name__ == "__main__":
    converse(sys.argv[1])
