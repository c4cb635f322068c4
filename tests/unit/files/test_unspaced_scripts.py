"""Each letter of a script without spaces is a word; Unicode names identify these scripts."""

import unicodedata
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from remem.files.unspaced_scripts import count_unspaced, spaced, unspaced_share

NAMES = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA")
MARKED = ("THAI CHARACTER", "LAO", "KHMER", "MYANMAR")
LETTERS, MARKS = ("Lo", "Lm"), ("Mn", "Mc")


def test_every_letter_of_these_scripts_is_a_word_with_its_marks() -> None:
    for number in chain(range(0xFFFF), range(0x20000, 0x33480)):
        sign = chr(number)
        name, category = unicodedata.name(sign, ""), unicodedata.category(sign)
        if name.startswith(NAMES + MARKED) and category in LETTERS:
            assert spaced(f"a{sign}a").split() == ["a", sign, "a"], (hex(number), name)
            assert unspaced_share(sign) == 1
        if name.startswith(MARKED) and category in MARKS:
            assert spaced(f"\u0e01{sign}").split() == [f"\u0e01{sign}"], (hex(number), name)


def test_texts_of_other_scripts_stay_as_they_are() -> None:
    for text in ("Straße 3", "Привет", "안녕 하세요", "שלום", "नमस्ते", "2024-03-12", ""):
        assert spaced(text) == text
        assert unspaced_share(text) == 0


def test_a_text_counts_that_is_mostly_in_such_a_script() -> None:
    assert unspaced_share("Ann在上海") == 0.5
    assert count_unspaced(["上海", "Ann在上海", "iPhone手机", "2024", ""]) == 2


@given(st.text())
def test_spacing_only_adds_spaces(text: str) -> None:
    assert spaced(text).replace(" ", "") == text.replace(" ", "")
    assert 0 <= unspaced_share(text) <= 1
