"""Keep only the end of what a program writes to its standard error."""

import os
import threading
from typing import TextIO

KEPT_BYTES = 1 << 16
SHOWN_CHARACTERS = 2000
SHOWN_LINES = 5
CHUNK = 1 << 14
LAST_SECONDS = 1.0
"""Maximum wait for the last bytes of a program that has ended."""


class BoundedLog:
    """A pipe to which a program may write any amount; only the last 64 KiB are kept.

    Attributes:
        writer: The file to pass to a program as its standard error.
    """

    def __init__(self) -> None:
        reader, writer = os.pipe()
        self.writer: TextIO = os.fdopen(writer, "w")
        self._kept = b""
        self._thread = threading.Thread(target=self._read, args=(reader,), daemon=True)
        self._thread.start()

    def started(self) -> None:
        """Close our copy of `writer` after the program has started.

        The pipe then reaches its end when the program ends.
        """
        self.writer.close()

    def last_words(self, *, ended: bool) -> str:
        """Return a phrase with the last lines of output.

        If the program has `ended`, read the rest of its output first.
        """
        if ended:
            self._thread.join(LAST_SECONDS)
        written = self._kept[-SHOWN_CHARACTERS:].decode(errors="replace").strip()
        lines = written.splitlines()[-SHOWN_LINES:]
        return "its last output: " + " / ".join(lines) if lines else "it printed nothing"

    def text(self) -> str:
        """Return the last 64 KiB of the output of a program that has ended."""
        self._thread.join(LAST_SECONDS)
        return self._kept.decode(errors="replace")

    def _read(self, reader: int) -> None:
        with os.fdopen(reader, "rb", buffering=0) as pipe:
            while chunk := pipe.read(CHUNK):
                self._kept = (self._kept + chunk)[-KEPT_BYTES:]
