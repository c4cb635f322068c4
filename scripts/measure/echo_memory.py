"""A memory that returns the last messages it was given, in this process or as a program."""

import json
import sys
from typing import Any

Note = dict[str, str]


def answer(asked: dict[str, Any], notes: list[Note]) -> dict[str, Any]:
    """Return the reply to a request in the protocol of `method=command`."""
    if "hello" in asked:
        return {"name": "echo", "version": "1"}
    if "index" in asked:
        notes.append({"id": asked["index"]["id"], "text": asked["index"]["text"]})
        return {"stored": 1}
    return {"found": notes[-asked["recall"]["top_k"] :]}


def main() -> None:
    """Read requests from standard input, one per line, and print a reply line for each."""
    notes: list[Note] = []
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"request": asked["request"], **answer(asked, notes)}), flush=True)


if __name__ == "__main__":
    main()
