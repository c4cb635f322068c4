"""A note on texts in scripts without spaces, for which the paper's scores do not work."""

from collections.abc import Sequence

from remem.config.run_config import RunConfig
from remem.files.unspaced_scripts import count_unspaced
from remem.types import Gold

CHARACTERS = "characters"
NOTED_FROM = 0.1
"""The smallest share of such questions that is noted."""


def script_note(config: RunConfig, questions: Sequence[str], golds: Sequence[Gold]) -> str:
    """Return a note if many gold answers or questions are in a script without spaces, else "".

    The messages are not checked, because there may be millions of them.
    """
    if config.settings.convention.score["f1"] == CHARACTERS:
        return ""
    answers = [" ".join(gold.answers) for gold in golds if gold.answerable]
    for what, texts in (("gold answers", answers), ("questions", questions)):
        count = count_unspaced(texts)
        if count and count >= NOTED_FROM * len(texts):
            return (
                f"{config.dataset}: {count:,} of {len(texts):,} {what} are in a script without "
                f"spaces, in which F1, EM, BLEU-1 and BM25 as the paper defines them do not work; "
                f"use convention={CHARACTERS}"
            )
    return ""
