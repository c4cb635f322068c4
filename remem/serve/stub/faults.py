"""Injected faults: which requests fail, and how.

Whether a request fails depends only on the sha256 of its body and on the number of the attempt. The
first `tries` attempts at a chosen request fail. Later attempts succeed, except for the share of
requests that always fail (`lasting`).
"""

import json
import random
from dataclasses import dataclass
from typing import Any, Literal, get_args

from remem.files.json_text import json_value

Transport = Literal["429", "500", "hang", "cut"]
Content = Literal["truncated", "prose", "wrong_types", "nulls", "garbage", "not_json", "empty"]

TRANSPORT: tuple[str, ...] = get_args(Transport)
CONTENT: tuple[str, ...] = get_args(Content)
GARBAGE_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Which faults are injected, and how often.

    Attributes:
        kinds: The possible faults; a chosen request has the same fault in all its attempts.
        fraction: The share of the distinct bodies that fail.
        tries: How many attempts at a chosen body fail before one succeeds.
        lasting: The share of the distinct bodies that fail at every attempt; at most `fraction`.
        hang_seconds: The maximum length of a "hang", in seconds. It ends early if the server is
            stopped.
    """

    kinds: tuple[str, ...] = ()
    fraction: float = 1.0
    tries: int = 1
    lasting: float = 0.0
    hang_seconds: float = 3600.0

    def __post_init__(self) -> None:
        unknown = sorted({*self.kinds} - {*TRANSPORT, *CONTENT})
        if unknown:
            kinds = ", ".join((*TRANSPORT, *CONTENT))
            raise ValueError(f"unknown faults {', '.join(unknown)}; choose from {kinds}")
        if not 0 <= self.lasting <= self.fraction <= 1 or self.tries < 0:
            raise ValueError(
                f"found fraction={self.fraction}, lasting={self.lasting} and tries={self.tries}; a "
                f"fault plan needs a fraction from 0 to 1, a lasting share from 0 to the fraction, "
                f"and at least 0 tries"
            )

    def fault(self, body_sha256: str, request_count: int) -> str | None:
        """Return the fault for a request body, or None; `request_count` is 1 for the first try."""
        share = self.fraction if request_count <= self.tries else self.lasting
        if not self.kinds or int(body_sha256[:12], 16) >= share * 16**12:
            return None
        return self.kinds[int(body_sha256[12:24], 16) % len(self.kinds)]


def spoiled(kind: str, text: str, body_sha256: str) -> str:
    """Return the text of a reply with a fault in its content; "truncated" keeps half of the text.

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
        return json_value(text)
    except ValueError:
        return {"text": text}


def _with_other_leaves(value: Any, kind: str) -> Any:
    """Replace each value, except objects and lists, by null or by a value of another type."""
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
