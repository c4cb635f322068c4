"""A small memory with a choice of named faults."""

import json
import os
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

FAULTS = (
    *("none", "empty", "leaking", "keeps_questions", "forgetful", "changing", "crashing"),
    *("hanging", "garbage", "losing", "chatty"),
)
WORD = re.compile(r"\w+")


@dataclass
class Note:
    """A message as it was stored."""

    id: str
    text: str
    time: str
    history: str = ""


@dataclass
class Notebook:
    """Finds the notes that share most words with a question; ties in the order of storing.

    `shared` is a file outside of the program's own folder, to which a leaking memory writes.
    """

    fault: str
    shared: Path
    notes: list[Note] = field(default_factory=list)
    asked: int = 0

    def store(self, note: Note) -> int:
        """Store a note; return how many were stored."""
        if self.fault == "losing" and len(self.notes) % 2:
            return 0
        if self.fault == "forgetful":
            note = Note(note.id, note.text, "", note.history)
        self.notes.append(note)
        if self.fault == "leaking":
            with self.shared.open("a", encoding="utf-8") as file:
                file.write(json.dumps(vars(note)) + "\n")
        return 1

    def search(self, question: str, top_k: int, history: str) -> list[Note]:
        """Return the best notes of a history."""
        self.asked += 1
        notes = [note for note in self.notes if note.history == history]
        if self.fault == "empty":
            return []
        if self.fault == "chatty" and not notes:
            return [Note("none", "I do not remember anything yet.", "")]
        if self.fault == "leaking" and self.shared.exists():
            lines = self.shared.read_text(encoding="utf-8").splitlines()
            notes = [Note(**json.loads(line)) for line in lines]
        if self.fault == "crashing":
            sys.stderr.write("the disk of this memory is full\n")
            os._exit(3)
        if self.fault == "hanging":
            sys.stderr.write("waiting for a model that never answers\n")
            time.sleep(600)
        if self.fault == "garbage":
            sys.stdout.write("Loading the model...\n")
            sys.stdout.flush()
            time.sleep(600)
        words = set(WORD.findall(question.lower()))
        found = sorted(
            (note for note in notes if words & set(WORD.findall(note.text.lower()))),
            key=lambda note: -len(words & set(WORD.findall(note.text.lower()))),
        )
        if self.fault == "keeps_questions":
            self.notes.append(Note(f"q{self.asked}", question, "", history))
        if self.fault == "changing" and self.asked % 2 == 0:
            found = found[1:]
        return found[:top_k]
