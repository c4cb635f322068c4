"""How a worker talks with remem: a JSON object in each line of its input, one back for each.

Workers run in environments of their own: they import the rival and the standard library alone. They
reach nothing but our models, behind whose address a replay has recorded replies alone.
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
"""How calls of `socket` begin that leave the process, or look up where to."""
STARTING = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
"""What starts a program, which could reach what this one may not."""


class Rival(Protocol):
    """A memory of somebody else. `url` is where models are to be asked, for this once."""

    def add(self, episode: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add an episode; return what it counted, and why it lost what it lost."""

    def recall(self, text: str, url: str) -> list[dict[str, Any]]:
        """Return the items found for a question, best first."""


class GuardedStdout:
    """Refuses whatever Python would connect to but one address, and to start other programs.

    Once it hears what the interpreter does, nothing can take it away.
    """

    def __init__(self) -> None:
        self._open: tuple[str, int] | None = None

    def lead_to(self, url: str) -> None:
        """Allow connections to this address only, from now on."""
        parts = urlsplit(url)
        self._open = parts.hostname or "", parts.port or 0

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Refuse connections to other addresses; packages treat that as a network failure."""
        module, _, call = event.partition(".")
        leaves = module == "socket" and call.startswith(REACHING)
        if event in STARTING or (leaves and not self._leads_there(call, arguments)):
            raise PermissionError(f"a worker speaks with its models alone: {event} is refused")

    def _leads_there(self, call: str, arguments: tuple[Any, ...]) -> bool:
        if call == "getaddrinfo":
            host, port = arguments[:2]
            return (host.decode() if isinstance(host, bytes) else host, port) == self._open
        if call == "sendmsg" and arguments[1] is None:
            return True  # over a connection that there is
        return call == "connect" and arguments[1][:2] == self._open


def converse(worker: str) -> None:
    """Answer until the input ends.

    Args:
        worker: The module beside this one that starts the rival, of the release of its `PACKAGE`.
    """
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what packages print is no answer
        way = GuardedStdout()
        sys.addaudithook(way.hear)
        module = import_module(worker)
        rival: Rival = module.start(json.loads(sys.stdin.readline())["start"])
        _write(answers, {"ready": version(module.PACKAGE)})
        for line in sys.stdin:
            asked = json.loads(line)
            way.lead_to(asked["url"])
            _write(answers, _answered(rival, asked))


def _answered(rival: Rival, asked: Mapping[str, Any]) -> dict[str, Any]:
    if "add" in asked:
        return rival.add(asked["add"], asked["url"])
    try:
        return {"found": rival.recall(asked["recall"], asked["url"])}
    except Exception as error:  # noqa: BLE001  whatever it is, it ends this question alone
        return {"error": f"{type(error).__name__}: {error}"}


def _write(answers: TextIO, answer: Mapping[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    converse(sys.argv[1])
