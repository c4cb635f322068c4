"""What a reader of scores must know of what came from outside: what was left out or repaired."""

from collections.abc import Iterator

from remem.results.reply_notes import rejected_notes, reply_notes
from remem.results.run import Run
from remem.run.imported_answers import read_origin
from remem.run.script_note import script_note


def intake_notes(run: Run) -> Iterator[str]:
    """Yield what was left out, repaired or unusual of all that a run took in."""
    yield from data_notes(run)
    yield from reply_notes(run)
    yield from rejected_notes(run)


def data_notes(run: Run) -> Iterator[str]:
    """Yield a sentence for whatever was left out or repaired before the answers were scored."""
    for account in run.manifest.data_accounts:
        yield from account.sentences(run.config.dataset)
    golds = [record.gold for record in run.records]
    if note := script_note(run.config, [record.question for record in run.records], golds):
        yield f"{note}."
    origin = read_origin(run.folder)
    if origin is not None:
        yield from origin.sentences()
