"""Score answers to multiple-choice questions by the letter that they name (PersonaMem).

A gold answer is an option with its letter, such as "(c) some text". `released_choice` is the rule
of PersonaMem's authors (`inference_standalone_openai.py` of their repository); `strict_choice` is
our rule.
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
    """Return the options with letters in front.

    >>> lettered(["tea", "rum"])
    ('(a) tea', '(b) rum')
    """
    return tuple(
        f"({letter}) {option}" for letter, option in zip(ascii_lowercase, options, strict=False)
    )


def gold_letters(golds: Sequence[str]) -> tuple[str, ...]:
    """Return the letters of the gold options; none if any of the options lacks a letter.

    >>> gold_letters(["(c) tea", "(d) tea"]), gold_letters(["tea"])
    (('c', 'd'), ())
    """
    matches = [_GOLD.match(gold) for gold in golds]
    return tuple(match[1] for match in matches if match) if all(matches) else ()


def released_choice(answer: str, golds: Sequence[str]) -> float | None:
    """Return 1 if the answer names only the first gold's letter by the authors' rule, else 0.

    Letters in parentheses count. If there are none, single letters count, so the article "a" is
    read as option a. The text after the last <final_answer> is read first. If it does not name
    exactly the letter of the gold, the entire answer is read. Return None if the gold answers have
    no letters.

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
    """Return 1 if the answer names exactly one letter, and this is the letter of a gold, else 0.

    If the answer contains <final_answer>, only the text after the last one is read. A letter must
    be in parentheses, or be the entire text. If several options have the right text, the letter of
    any of them is right. Return None if the gold answers have no letters.

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
