"""The notebook as a program of `method=command`: `program.py FAULT SHARED_FILE`."""

import json
import sys
from pathlib import Path

from notebook import Note, Notebook


def main() -> None:
    """Answer each line of the input with one line."""
    notebook = Notebook(sys.argv[1], Path(sys.argv[2]))
    for line in sys.stdin:
        asked = json.loads(line)
        answered = {"request": asked["request"], **answer(notebook, asked)}
        sys.stdout.write(json.dumps(answered) + "\n")
        sys.stdout.flush()


def answer(notebook: Notebook, asked: dict) -> dict:
    """Return the answer to a request."""
    if "hello" in asked:
        return {"name": "notebook", "version": "1.0"}
    if told := asked.get("index"):
        text = f"{told['speaker']}: {told['text']}" if told["speaker"] else told["text"]
        note = Note(told["id"], text, told["time"], told["history"])
        return {"stored": notebook.store(note)}
    told = asked["recall"]
    found = notebook.search(told["text"], told["top_k"], told["history"])
    return {
        "found": [{"id": note.id, "text": note.text, "time": note.time or None} for note in found]
    }


if __name__ == "__main__":
    main()
