"""Which texts may share a vector, and which pairs show that a server ignores its texts."""

import numpy as np
import pytest

from remem.embed.seen_vectors import SeenVectors

SAME = np.array([[0.6, 0.8]], dtype=np.float32)
LONG = "She rows on the lake. " * 30


def pair(first: str, second: str) -> tuple[str, str] | None:
    """Return the pair that is reported if two texts, sent in two calls, get the same vector."""
    seen = SeenVectors()
    assert seen.equal_pair([first], SAME) is None
    return seen.equal_pair([second], SAME)


@pytest.mark.parametrize(
    ("first", "second"), [("Ann moved.", "Bob baked."), ("7 May", "8 May"), ("他在家", "她在家")]
)
def test_two_texts_with_other_letters_are_a_pair_across_calls(first: str, second: str) -> None:
    assert pair(first, second) == (first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ann moved.", "Ann moved."),
        ("Hello, Été!", "hello ete"),
        (f"{LONG}In May.", f"{LONG}In June, with Bob."),
        ("a b " * 100, "a b " * 101),
    ],
)
def test_texts_that_a_model_may_not_tell_apart_are_no_pair(first: str, second: str) -> None:
    assert pair(first, second) is None


def test_only_the_last_vectors_are_remembered() -> None:
    seen = SeenVectors(most=2)
    texts = ["Ann", "Bob", "Cleo"]
    assert seen.equal_pair(texts, np.eye(3, dtype=np.float32)) is None
    assert seen.equal_pair(["Dan"], np.eye(3, dtype=np.float32)[:1]) is None
    assert seen.equal_pair(["Eve"], np.eye(3, dtype=np.float32)[2:]) == ("Cleo", "Eve")
