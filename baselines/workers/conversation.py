"""How a worker talks with remem: a JSON object in each line of its input, one back for each.

Workers run in environments of their own: they import the rival and the standard library alone.
"""

import json
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from typing import Any, Protocol, TextIO


class Rival(Protocol):
    """A memory of somebody else. `url` is where models are to be asked, for this once."""

    def add(self, episode: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add an episode; return what it counted, and why it lost what it lost."""

    def recall(self, text: str, url: str) -> list[dict[str, Any]]:
        """Return what it finds for a question, best first."""


def converse(worker: str) -> None:
    """Answer until the input ends.

    Args:
        worker: The module beside this one that starts the rival, of the release of its `PACKAGE`.
    """
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what packages print is no answer
        module = import_module(worker)
        rival: Rival = module.start(json.loads(sys.stdin.readline())["start"])
        _write(answers, {"ready": version(module.PACKAGE)})
        for line in sys.stdin:
            _write(answers, _answered(rival, json.loads(line)))


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
