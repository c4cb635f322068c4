"""What a reader of scores must know of what came from outside: what was left out or repaired."""

from collections.abc import Iterator

from remem.results.reply_notes import reply_notes
from remem.results.run import Run
from remem.run.imported_answers import read_origin


def intake_notes(run: Run) -> Iterator[str]:
    """Yield what was left out, repaired or unusual of all that a run took in."""
    yield from data_notes(run)
    yield from reply_notes(run)


def data_notes(run: Run) -> Iterator[str]:
    """Yield a sentence for whatever was left out or repaired before the answers were scored."""
    origin = read_origin(run.folder)
    if origin is not None:
        yield from origin.sentences()
