"""What to know of a run on text in scripts without spaces, which the paper's scores do not fit."""

from collections.abc import Iterator, Sequence

from remem.config.run_config import RunConfig
from remem.files.unspaced_scripts import count_unspaced
from remem.run.imported_answers import is_imported
from remem.types import Gold

CHARACTERS = "characters"
NOTED_FROM = 0.1
"""The share of the questions from which on they are noted."""


def script_note(config: RunConfig, questions: Sequence[str], golds: Sequence[Gold]) -> str:
    """Return that questions or gold answers are outside of what the scores can measure, or "".

    Questions stand for the messages that they are about, of which there may be millions.
    """
    answers = [" ".join(gold.answers) for gold in golds if gold.answerable]
    for what, texts in (("gold answers", answers), ("questions", questions)):
        count = count_unspaced(texts)
        if count and count >= NOTED_FROM * len(texts) and (scores := list(_word_scores(config))):
            named = " and ".join(filter(None, (", ".join(scores[:-1]), scores[-1])))
            return (
                f"{config.dataset}: {count:,} of {len(texts):,} {what} are in a script without "
                f"spaces, in which {named} as the paper defines them do not work; use "
                f"convention={CHARACTERS}"
            )
    return ""


def _word_scores(config: RunConfig) -> Iterator[str]:
    """Yield what a run takes from words between spaces."""
    convention = config.settings.convention.score
    if convention["f1"] != CHARACTERS:
        yield from ("F1", "EM")
    if convention["bleu"] != CHARACTERS:
        yield "BLEU-1"
    lexical = config.resolved.get("lexical", {}).get("build", {})
    if not lexical.get(CHARACTERS) and not is_imported(config):
        yield "BM25"
