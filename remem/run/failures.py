"""Why questions or verdicts failed: the first reason, how often it occurred, and what to do."""

import re
from collections.abc import Sequence

ASK_AGAIN = "Fix this, then run the same command: it asks only the failed questions again."
MOST_CHARACTERS = 600
"""Maximum characters of a reason, which may quote a whole reply."""
_OUR_ERRORS = re.compile(r"^(ModelUnavailableError|UnusableReplyError): ")
"""Names of errors whose messages are complete sentences; of others, the name is part of the reason.
"""


def told_failures(failures: Sequence[str], asked: int | None, what: str, again: str) -> str:
    """Return the lines that end the output of a command whose questions or verdicts failed.

    Args:
        failures: The error of each failed question or verdict, at least one.
        asked: How many were asked; None if that is unknown.
        what: "question" or "verdict".
        again: What to do next, as a sentence.
    """
    shown = [_reason(failure) for failure in failures]
    first = shown[0]
    others = len(set(shown)) - 1
    count = len(failures) if asked is None else asked
    of = "" if asked is None else f"{len(failures):,} of "
    more = f"; other reasons: {others:,}" if others else ""
    return (
        f"{of}{count:,} {what}{'' if count == 1 else 's'} failed. The first reason, "
        f"{_times(shown.count(first))}{more}:\n  {first}\n{again}"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _reason(failure: str) -> str:
    """Return an error on one line, cut if it is very long."""
    line = " ".join(_OUR_ERRORS.sub("", failure).split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[:MOST_CHARACTERS]} ..."
