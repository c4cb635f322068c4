"""A memory that returns the last messages it was given, in this process or as a program."""

import json
import sys
from typing import Any

Note = dict[str, str]


def answer(asked: dict[str, Any], notes: list[Note]) -> dict[str, Any]:
    """Answer a request of the protocol of `method=command`."""
    if "hello" in asked:
        return {"name": "echo", "version": "1"}
    if "index" in asked:
        notes.append({"id": asked["index"]["id"], "text": asked["index"]["text"]})
        return {"stored": 1}
    return {"found": notes[-asked["recall"]["top_k"] :]}


def main() -> None:
    """Answer each line of the input with one line."""
    notes: list[Note] = []
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"request": asked["request"], **answer(asked, notes)}), flush=True)


if __name__ == "__main__":
    main()
