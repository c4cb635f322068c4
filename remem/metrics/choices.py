"""Score the letter that an answer to a multiple-choice question names (PersonaMem).

A gold answer is an option with its letter, "(c) some text". `released_choice` is the rule of
PersonaMem's authors (`inference_standalone_openai.py` of their repository); `strict_choice` is
ours.
"""

import re
from collections.abc import Sequence
from string import ascii_lowercase

TAG, END_TAG = "<final_answer>", "</final_answer>"
_GOLD = re.compile(r"\(([a-z])\) \S")
_IN_PARENTHESES = re.compile(r"\(([a-d])\)")
_BARE = re.compile(r"\b([a-d])\b")
_ANY_IN_PARENTHESES = re.compile(r"\(([a-z])\)")
_ONLY_A_LETTER = re.compile(r"[\W_]*([a-z])[\W_]*")


def lettered(options: Sequence[str]) -> tuple[str, ...]:
    """Return options with their letters.

    >>> lettered(["tea", "rum"])
    ('(a) tea', '(b) rum')
    """
    return tuple(
        f"({letter}) {option}" for letter, option in zip(ascii_lowercase, options, strict=False)
    )


def gold_letters(golds: Sequence[str]) -> tuple[str, ...]:
    """Return the letters of gold options; empty if any gold has no letter.

    >>> gold_letters(["(c) tea", "(d) tea"]), gold_letters(["tea"])
    (('c', 'd'), ())
    """
    matches = [_GOLD.match(gold) for gold in golds]
    return tuple(match[1] for match in matches if match) if all(matches) else ()


def released_choice(answer: str, golds: Sequence[str]) -> float | None:
    """Return 1 if the answer, as the authors read it, names exactly the letter of the first gold.

    Letters in parentheses count; if there are none, letters that stand alone do, so the article "a"
    is read as option a. The text after the last <final_answer> is read first; if it does not name
    the gold, the entire answer is read. None if the gold answers have no letters.

    >>> released_choice("(a) or (b)? <final_answer> (b)", ["(b) tea"])
    1.0
    >>> released_choice("I took a walk.", ["(a) tea"])
    1.0
    """
    letters = gold_letters(golds)
    if not letters:
        return None
    final = answer.strip().rpartition(TAG)[2].strip().removesuffix(END_TAG)
    return float({letters[0]} in (_released_letters(final), _released_letters(answer)))


def strict_choice(answer: str, golds: Sequence[str]) -> float | None:
    """Return 1 if the answer names exactly one letter and it is that of a gold, else 0.

    Only what follows the last <final_answer> is read, if the answer has one. The letter is in
    parentheses, or it is the entire text. If several options have the right text, any of them is
    right. None if the gold answers have no letters.

    >>> strict_choice("Not (a). <final_answer> (b)", ["(b) tea", "(c) tea"])
    1.0
    >>> strict_choice("I took a walk.", ["(a) tea"])
    0.0
    """
    letters = gold_letters(golds)
    if not letters:
        return None
    final = answer.rpartition(TAG)[2].strip().removesuffix(END_TAG).lower()
    alone = _ONLY_A_LETTER.fullmatch(final)
    named = {alone[1]} if alone else set(_ANY_IN_PARENTHESES.findall(final))
    return float(len(named) == 1 and named <= set(letters))


def _released_letters(text: str) -> set[str]:
    return set(_IN_PARENTHESES.findall(text.lower()) or _BARE.findall(text.lower()))
