"""F1 as in the code of LoCoMo's authors (`task_eval/evaluation.py`), REMem and Mem0.

LoCoMo's authors stem words (Porter) and have a rule for each category. REALTALK's authors score
their categories 1 to 3 by the same rules. The paper itself says that it uses HippoRAG 2's F1, which
is in `remem.metrics.qa`.
"""

import re
import string
from collections.abc import Sequence

from remem.metrics.bleu import porter_stem, treebank_words, unigram_bleu
from remem.metrics.qa import overlap_f1
from remem.metrics.refusal import RefusalDetection, is_refusal

MULTI_HOP, OPEN_DOMAIN, ADVERSARIAL = "1", "3", "5"
ONE_PART = ("2", OPEN_DOMAIN, "4")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SMALL_WORDS = re.compile(r"\b(?:a|an|the|and)\b")


def locomo_f1(
    answer: str, golds: Sequence[str], category: str, refusal: RefusalDetection
) -> float | None:
    """Return the official F1 for the best gold; None for a category that LoCoMo does not have.

    Categories 2, 3 and 4: F1 of the stems; in category 3, the gold is cut at its first ";".
    Category 1: answer and gold are split at commas, and each part of the gold is compared with
    the best part of the answer. Category 5: 1 for a refusal, else 0, regardless of the gold; the
    authors' code detects refusals by the rule "locomo_phrases".

    >>> released = "locomo_phrases"
    >>> locomo_f1("She adopted two cats", ["adopting a cat; maybe"], "3", released)  # 2 of 4, 2
    0.6666666666666666
    >>> locomo_f1("red cars, a dog", ["dogs, red car, bus"], "1", released)  # (1 + 1 + 0) / 3
    0.6666666666666666
    """
    if category == OPEN_DOMAIN:
        golds = [gold.partition(";")[0] for gold in golds]
    return _by_category(answer, golds, category, refusal)


def comma_cut_f1(
    answer: str, golds: Sequence[str], category: str, refusal: RefusalDetection
) -> float | None:
    """Return the F1 with which the released REMem code scores LoCoMo.

    In categories 2, 3 and 4 the answer, but not the gold, is cut at its first comma, so even a
    perfect answer that contains a comma scores below 1. Categories 1 and 5 follow `locomo_f1`.

    >>> released = "locomo_phrases"
    >>> comma_cut_f1("8 May, 2023", ["8 May, 2023"], "2", released)  # 2 shared stems of 2 and 3
    0.8
    """
    if category in ONE_PART:
        answer = answer.partition(",")[0]
    return _by_category(answer, golds, category, refusal)


def normalised_stems(text: str) -> list[str]:
    """Return the stems of a text's words, without punctuation, "a", "an", "the" and "and".

    >>> normalised_stems("The cats, and 1,000 dogs!")
    ['cat', '1000', 'dog']
    """
    words = _SMALL_WORDS.sub(" ", text.lower().translate(_PUNCTUATION)).split()
    return [porter_stem(word) for word in words]


def _by_category(
    answer: str, golds: Sequence[str], category: str, refusal: RefusalDetection
) -> float | None:
    if category == ADVERSARIAL:
        return float(is_refusal(answer, refusal))
    if category == MULTI_HOP:
        return max(_parts_f1(answer.split(","), gold.split(",")) for gold in golds)
    if category in ONE_PART:
        return max(_stem_f1(answer, gold) for gold in golds)
    return None


def _parts_f1(answers: Sequence[str], golds: Sequence[str]) -> float:
    return sum(max(_stem_f1(part, gold) for part in answers) for gold in golds) / len(golds)


def _stem_f1(answer: str, gold: str) -> float:
    return overlap_f1(normalised_stems(answer), normalised_stems(gold))


_MARKS = str.maketrans(".,!?", "    ")


def mem0_f1(answer: str, golds: Sequence[str]) -> float:
    """Return the F1 between the sets of words of the answer and of the best gold.

    Only the marks . , ! ? are removed. Articles are kept, and repeated words count once. The score
    is 0 if the answer or the gold has no words.

    >>> mem0_f1("The car, the red car!", ["a red car"])  # 2 shared of 3 and 3
    0.6666666666666666
    """
    return max(_set_f1(_word_set(answer), _word_set(gold)) for gold in golds)


def mem0_bleu1(answer: str, golds: Sequence[str]) -> float:
    """Return Mem0's BLEU-1 for the best gold, over lower-cased words.

    Mem0's smoothing (nltk's `method1`) does not change BLEU-1: without shared words, the score is 0
    before smoothing, and longer matches have no weight. Mem0 splits words with nltk, from which
    `bleu.treebank_words` deviates.

    >>> mem0_bleu1("He didn't.", ["he did not."])  # he, did and "." of he, did, n't, "."
    0.75
    """
    words = treebank_words(answer.lower())
    return max(unigram_bleu(words, treebank_words(gold.lower())) for gold in golds)


def _word_set(text: str) -> set[str]:
    return set(text.lower().translate(_MARKS).split())


def _set_f1(answer: set[str], gold: set[str]) -> float:
    return 2 * len(answer & gold) / (len(answer) + len(gold)) if answer and gold else 0.0
