"""Judge an answer by words, dates and numbers alone: a judge without a model, to compare with."""

from collections.abc import Sequence

from remem.judge.answer_features import says_no_answer, without_citations, word_recall
from remem.judge.stated_values import contradicts
from remem.metrics.refusal import is_blank_or_phrase
from remem.types import Usage


class RulesJudge:
    """Accepts an answer that has enough words of the gold and states no other date or number."""

    def __init__(self, *, least_recall: float) -> None:
        """Take the least share of the gold's words, above 0 and up to 1, that a right answer has.

        Raises:
            ValueError: The share is not above 0 and up to 1.
        """
        if not 0 < least_recall <= 1:
            raise ValueError(
                f"judge.build.least_recall is {least_recall}; expected a number above 0, up to 1"
            )
        self._least_recall = least_recall

    def judge(self, question: str, golds: Sequence[str], answer: str) -> tuple[bool, Usage]:
        """Return whether the answer is right by one of the golds; the question is not used."""
        said = without_citations(answer)
        return any(self._is_right(gold, said) for gold in golds), Usage()

    def _is_right(self, gold: str, said: str) -> bool:
        if is_blank_or_phrase(gold):
            return is_blank_or_phrase(said) or says_no_answer(said)
        if is_blank_or_phrase(said) or says_no_answer(said):
            return False
        return word_recall(gold, said) >= self._least_recall and not contradicts(gold, said)
