"""A key that an endpoint repeats is masked, also in escaped spellings that are decoded later."""

import json
import random
from urllib.parse import quote

import pytest

from remem.llm.masking import masked, masked_bytes

KEY = 'sk-canary/7f3a+9b2c=d4"e5\\f6'


def numbered(text: str) -> str:
    return "".join(f"\\u{ord(letter):04X}" for letter in text)


SPELLED = {
    "plain": KEY,
    "JSON": json.dumps(KEY),
    "JSON in JSON": json.dumps(json.dumps({"a": KEY})),
    "numbers": numbered(KEY),
    "numbers in JSON": json.dumps(numbered(KEY)),
    "one number in JSON": json.dumps({"a": json.dumps({"b": KEY}).replace("-", "\\u002d")}),
    "slash in JSON": json.dumps(KEY.replace("/", "\\/")),
    "address": quote(KEY, safe=""),
}


@pytest.mark.parametrize("text", SPELLED.values(), ids=SPELLED.keys())
def test_a_key_is_masked_in_every_spelling(text: str) -> None:
    found = masked(f"before {text} after", KEY)
    assert "***" in found and "canary" not in found and "7f3a" not in found
    assert found.startswith("before ") and found.endswith(" after")


def test_a_reply_stays_the_json_that_it_was() -> None:
    inner = json.dumps({"answer": f"Your key is {KEY}."}).replace("-", "\\u002d")
    reply = json.dumps({"content": inner, "more": "a\\b"}).encode()
    read = json.loads(masked_bytes(reply, KEY))
    assert json.loads(read["content"]) == {"answer": "Your key is ***."}
    assert read["more"] == "a\\b"


@pytest.mark.parametrize("key", ["", "none", "EMPTY", "1234567"])
def test_what_is_too_short_for_a_key_is_left(key: str) -> None:
    assert masked("none of EMPTY 1234567", key) == "none of EMPTY 1234567"


def test_replies_without_the_key_stay_as_they_are() -> None:
    chance = random.Random(0)
    letters = 'sk-canry7f3\\u002d%2D"/\n é'
    for _ in range(300):
        text = "".join(chance.choices(letters, k=200))
        assert masked(text, "another-key") == text


def test_a_flood_of_backslashes_is_read_in_time() -> None:
    assert masked_bytes(b"\\" * 1_000_000 + b"u002d", KEY).startswith(b"\\")
