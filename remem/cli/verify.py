"""`remem verify`: check a bundle; no data and no key are needed."""

from remem.cli.bundle_output import File, say_licences, say_printable
from remem.reports.terminal.console import say


def verify(file: File) -> None:
    """Check a bundle's checksums and score its runs again; no data is needed.

    Example: remem verify table1.remem
    """
    from remem.bundle.verify import verify as verify_bundle

    found = verify_bundle(file)
    for label in found.runs:
        say_printable(f"{label}: its scores follow from the scores of its questions")
    say(
        f"Intact: {file}, {len(found.index.entries)} entries, {found.questions} questions, "
        f"{found.calls} calls, {found.vectors} vectors; sha256 {found.sha256}"
    )
    say_licences(found.index.note, found.index.licences)
