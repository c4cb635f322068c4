"""The hashing embedder, checked by hand; with many dimensions, no two features collide."""

from hashlib import blake2b
from math import log, sqrt

import numpy as np
import pytest

from remem.embed.hashing import BATCH, HashingEmbedder

WIDE = 1 << 16


def embed(text: str, dimension: int = WIDE) -> np.ndarray:
    return HashingEmbedder(dimension=dimension).embed_documents([text])[0]


def test_a_short_word_is_one_signed_bucket_given_by_blake2b() -> None:
    value = int.from_bytes(blake2b(b"cat", digest_size=8).digest(), "big")
    expected = np.zeros(512, dtype=np.float32)
    expected[(value // 2) % 512] = 1.0 if value % 2 else -1.0
    np.testing.assert_array_equal(embed("cat", 512), expected)


def test_the_trigrams_of_a_word_weigh_together_as_much_as_the_word() -> None:
    weights = np.abs(embed("fence"))  # <fe fen enc nce ce>
    found = sorted(weights[weights > 0].tolist())
    assert found == pytest.approx([sqrt(0.1)] * 5 + [sqrt(0.5)])


def test_inflections_meet_in_their_shared_trigrams() -> None:
    # running: 7 trigrams, runner: 6, shared <ru run unn; each trigram weighs length / sqrt(number).
    expected = 3 * (7 / sqrt(7)) * (6 / sqrt(6)) / (7 * sqrt(2) * 6 * sqrt(2))
    assert embed("running") @ embed("runner") == pytest.approx(expected, abs=1e-6)


def test_neither_ids_that_share_digits_nor_parts_of_longer_words_meet() -> None:
    assert embed("E7") @ embed("E75") == 0.0
    assert embed("art") @ embed("party") == 0.0


def test_a_word_weighs_its_length_and_repeats_count_one_plus_log() -> None:
    cat = 3 * (1 + log(2))
    expected = cat / sqrt(cat**2 + 9**2 + 9**2)  # adversity: once as a word, once as trigrams
    assert embed("cat") @ embed("cat adversity cat") == pytest.approx(expected, abs=1e-6)


def test_case_and_punctuation_make_no_difference() -> None:
    np.testing.assert_array_equal(embed("The cat, asleep!"), embed("the CAT asleep"))


def test_no_words_and_features_that_cancel_become_the_first_unit_vector() -> None:
    assert embed("?!", 4).tolist() == [1.0, 0.0, 0.0, 0.0]
    words = ["cat", "dog", "owl", "fox", "bat", "hen", "cow", "pig"]
    plus = next(word for word in words if embed(word, 1)[0] > 0)
    minus = next(word for word in words if embed(word, 1)[0] < 0)
    assert embed(f"{plus} {minus}", 1).tolist() == [1.0]


def test_a_text_embeds_alike_whatever_its_place_among_the_batches() -> None:
    texts = [f"message number {i} about item{i % 7}" for i in range(BATCH + 3)]
    embedder = HashingEmbedder(dimension=32)
    together = embedder.embed_documents(texts)
    for at in (0, BATCH - 1, BATCH, BATCH + 2):
        np.testing.assert_array_equal(together[at], embedder.embed_documents([texts[at]])[0])


def test_a_dimension_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, found 0"):
        HashingEmbedder(dimension=0)
