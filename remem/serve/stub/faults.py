"""Misbehaviour on demand: which requests go wrong, and how a reply goes wrong.

Whether a request fails depends on the sha256 of its body and on how often that body was asked,
never on time or the order of threads: a fixed number of first tries fails, the next passes.
"""

import json
import random
from dataclasses import dataclass
from typing import Any, Literal, get_args

Transport = Literal["429", "500", "hang", "cut"]
Content = Literal["truncated", "prose", "wrong_types", "nulls", "garbage", "not_json", "empty"]

TRANSPORT: tuple[str, ...] = get_args(Transport)
CONTENT: tuple[str, ...] = get_args(Content)
GARBAGE_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """What goes wrong, how often.

    Attributes:
        kinds: A request that is chosen gets one of these, the same at each of its tries.
        fraction: The share of the distinct bodies that are chosen.
        tries: How many first tries of a chosen body fail.
        lasting: The share of the distinct bodies, part of the fraction, that fail at every try.
        retry_after: What 429 and 500 say in that header, in seconds.
        hang_seconds: How long "hang" keeps a request, at most: a stop of the server ends it.
    """

    kinds: tuple[str, ...] = ()
    fraction: float = 1.0
    tries: int = 1
    lasting: float = 0.0
    retry_after: str = "0"
    hang_seconds: float = 3600.0

    def __post_init__(self) -> None:
        unknown = sorted({*self.kinds} - {*TRANSPORT, *CONTENT})
        if unknown:
            known = ", ".join((*TRANSPORT, *CONTENT))
            raise ValueError(f"unknown faults {', '.join(unknown)}; known are {known}")
        if not 0 <= self.lasting <= self.fraction <= 1 or self.tries < 0:
            raise ValueError(
                f"a fault plan has a fraction of 0 to 1, a lasting share within it and at least 0 "
                f"tries, found {self.fraction}, {self.lasting} and {self.tries}"
            )

    def fault(self, body_sha256: str, asked: int) -> str | None:
        """Return what befalls the request, the `asked`-th of this body (from 1), if anything."""
        share = self.fraction if asked <= self.tries else self.lasting
        if not self.kinds or int(body_sha256[:12], 16) >= share * 16**12:
            return None
        return self.kinds[int(body_sha256[12:24], 16) % len(self.kinds)]


def spoiled(kind: str, text: str, body_sha256: str) -> str:
    """Return a reply's text with a fault of content; where it is cut, half of it.

    >>> spoiled("nulls", '{"gists": ["a"]}', "")
    '{"gists": [null]}'
    """
    if kind == "truncated":
        return text[: len(text) // 2]
    if kind == "prose":
        return f"Sure, here you are:\n```json\n{text}\n```\nDo ask if you need {{anything}} else."
    if kind == "garbage":
        return _garbage(body_sha256)
    if kind == "not_json":
        return "I am sorry, I would rather speak of something else."
    if kind == "empty":
        return ""
    return json.dumps(_with_other_leaves(_parsed(text), kind))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {"text": text}


def _with_other_leaves(value: Any, kind: str) -> Any:
    """Replace what is no object or list, by null or by a value of another type."""
    if isinstance(value, dict):
        return {key: _with_other_leaves(inner, kind) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_other_leaves(inner, kind) for inner in value]
    if kind == "nulls":
        return None
    return {"value": value} if isinstance(value, str) else [value]


def _garbage(seed: str) -> str:
    characters = random.Random(seed).choices('{}[]":, \\abcdef0123456789\u00e9\u4e2d', k=1000)
    return "".join(characters) * (GARBAGE_CHARACTERS // 1000)
