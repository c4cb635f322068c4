"""The scripted model and embedder, for both our HippoRAG 2 and the published package.

Only numpy is needed, as the package's own Python loads this file too. No two texts have equal
vectors, so that no ranking depends on how ties are broken.
"""

import re
from functools import cache
from hashlib import blake2b

import numpy as np

DIMENSION = 128
STEM = 5


def triples_of(passage):
    """Make triples of each sentence's longer words, some of them twice; some passages get none."""
    if seed(passage) % 15 == 0:
        return []
    found = []
    for sentence in re.split(r"[\n.!?]+", passage):
        words = [word for word in re.findall(r"[^\W_]+", sentence) if len(word) > 2]
        for at in range(0, min(len(words) - 3, 8), 4):
            subject, predicate, *ends = words[at : at + 4]
            found.append([subject, predicate, " ".join(ends)])
            if seed(sentence) % 4 == 0:
                found.append([subject.upper() + "!", predicate, ends[0]])
                found.append([subject, predicate, ends[0].upper()])
                found.append([subject, predicate, ends[0]])
    return found


def kept_of(question, facts):
    """Keep none, one, some or all facts; or give a slightly different fact, and one fact twice."""
    choice = seed(question) % 6
    if choice < 4:
        return [[], facts[:1], facts[::2], facts][choice]
    subject, predicate, obj = facts[-1]
    return [[f"the {subject}", predicate, obj], facts[0], facts[0]]


def vectors_of(texts, kind):
    """Return unit vectors, similar for words with the same beginning; the kind adds some noise."""
    rows = [text_vector(text) + 0.5 * noise(f"{kind} {text}") for text in texts]
    rows = np.array(rows).reshape(len(texts), DIMENSION)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def text_vector(text):
    words = re.findall(r"[^\W_]+", text.lower())
    return sum((word_vector(word) for word in words), 0.2 * noise(text.strip()))


@cache
def word_vector(word):
    return noise(f"stem {word[:STEM]}") + 0.3 * noise(f"word {word}")


def noise(text):
    return np.random.default_rng(seed(text)).standard_normal(DIMENSION)


def seed(text):
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big")
