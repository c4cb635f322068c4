"""Change valid JSON, texts and bytes at random, in ways that tend to break parsers."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

STRINGS = (
    *("", " ", "\x00", "\ud83d", "\udc00x", "\u2028", "\u0661\u0662", "\u00b2", "\ufeff"),
    *("e\u0301",),
    *("0", "-1", "1e999", "NaN", "Infinity", "9" * 30, "9" * 5000, "1" * 12, "null", "true"),
    *("[" * 50, "{" * 50, '{"a":' * 30, "</script>", "<!--", "../../etc/passwd", "/", "\\", "'"),
    *("D1:1-D1:99999999999", "D99999999999:1", "D1:99999999999", "D" + "1" * 5000 + ":1"),
    *("2023-02-30", "0000-00-00", "9999-12-31", "12:60 pm on 31 April, 2023", "29.02.2023, 25:61"),
    *("a" * 3000, " " * 3000, "\n" * 500, "1 " * 1000, "${oc.env:HOME}", "%s%n", "{0.__class__}"),
    *("I\u0307", "\u1e9e", "\ufdfa", "\U0001f6a2" * 20, "CON", "=1+1", "-0", "+1", "1_000"),
)
NUMBERS = (
    *(0, -1, 1, 2, 255, 2**31, -(2**31), 2**53, 2**63, 2**64, 10**30, 0.0, -0.0, 0.5, 1e308),
    *(float("inf"), float("-inf"), float("nan"), 5e-324, 10**15, 1e15),
)
SCALARS: tuple[Any, ...] = (*STRINGS, *NUMBERS, None, True, False, [], {}, [[]], {"": ""}, [None])
TOKENS = (
    *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\\ud83d", b"\x00", b"\xff"),
    *(b"\xef\xbb\xbf",),
    *(b"null", b"NaN", b"-", b"1e999", b"9" * 5000, b"\n", b"\r\n", b" ", b"PK\x03\x04"),
    *(b"[" * 2000, b'{"a":' * 2000, b"\xc3\x28", b"\xed\xa0\x80", b"{}", b"[]", b'"":'),
)
FRAGMENTS = (
    *("8 May 2023", "May 8, 2023", "2023-05-08", "8.5.2023", "1:56 pm on ", "May", "2023"),
    *("in 2023",),
    *("last Friday", "next month", "two weeks ago", "in 3 days", "yesterday", "the week before"),
    *(" to ", " and ", "-", "\u2013", "/", ".", ",", " of ", "T13:56:00Z", "+05:30", "'s", "am"),
    *("p.m.",),
    *("E12", "R3", "the R3 of E2", "was the", "from 1990 to 1995", "which entity", "start", "end"),
    *("Who was the head of the government of", "in May 1990?", "before he/she studied at", "0"),
    *("31",),
    *("1 year and 2 months before", "lived in", " from ", "January 1990", "Date: ", "Ann: ", "["),
    *("]",),
    *("(2023)", "couple of", "twenty-one", "weekend", "fall", "back in", "on Monday", "tonight"),
    *("1st",),
    *("'s term of", "head coach", "while", "At what time did", "3rd time", "how many years"),
    *("list",),
)


def changed_text(rng: Random, text: str, most: int = 4) -> str:
    """Change a text in a few places; occasionally repeat a piece of it many times."""
    for _ in range(rng.randrange(1, most + 1)):
        begin = rng.randrange(len(text) + 1)
        end = min(len(text), begin + rng.choice((0, 0, 1, 2, 5, 20)))
        kind = rng.randrange(6)
        if kind == 0:
            new = rng.choice(STRINGS)
        elif kind == 1:
            new = rng.choice(FRAGMENTS)
        elif kind == 2:
            new = chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3000), 0x1F600)))
        elif kind == 3:
            new = text[begin:end] * rng.choice((2, 3, 50))
        else:
            new = "" if kind == 4 else rng.choice((" ", "\n", "\t", '"', "1", "9", "-", ":", "."))
        text = text[:begin] + new + text[end:]
    return text


def long_text(rng: Random, pieces: Sequence[str], characters: int = 8000) -> str:
    """Repeat a few pieces: a text on which a regular expression backtracks at every position."""
    chosen = [rng.choice(pieces) for _ in range(rng.randrange(1, 4))]
    gap = rng.choice(("", " ", " ", "\n", ", "))
    unit = gap.join(chosen) + gap
    return (unit * (characters // max(len(unit), 1) + 1))[: rng.randrange(characters)]


def some_text(rng: Random, pieces: Sequence[str] = FRAGMENTS) -> str:
    """Join random pieces, and change the result in half of the cases."""
    text = rng.choice(("", " ", " ")).join(rng.choice(pieces) for _ in range(rng.randrange(1, 8)))
    return changed_text(rng, text) if rng.random() < 0.5 else text


def changed_json(rng: Random, value: Any, most: int = 3) -> Any:
    """Return a copy of a JSON value with a few of its parts changed."""
    copied = json.loads(json.dumps(value))
    for _ in range(rng.randrange(1, most + 1)):
        copied = _with_change(rng, copied)
    return copied


def _with_change(rng: Random, value: Any) -> Any:
    found = places(value)
    if not found or rng.random() < 0.02:
        return _scalar(rng)
    parent, key = rng.choice(found)
    rng.choice(_CHANGES)(rng, parent, key)
    return value


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in a JSON value as its container and its key in that container."""
    found: list[tuple[Any, Any]] = []
    open_parts = [value]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, dict):
            found += [(part, key) for key in part]
            open_parts += part.values()
        elif isinstance(part, list):
            found += [(part, at) for at in range(len(part))]
            open_parts += part
    return found


def _scalar(rng: Random) -> Any:
    return deepcopy(rng.choice(SCALARS))


def _replace(rng: Random, parent: Any, key: Any) -> None:
    parent[key] = _scalar(rng)


def _edit(rng: Random, parent: Any, key: Any) -> None:
    value = parent[key]
    if isinstance(value, str):
        parent[key] = changed_text(rng, value, 2)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        parent[key] = rng.choice((value + 1, -value, value * 10**9, str(value), value + 0.5))
    else:
        parent[key] = [value] if rng.random() < 0.5 else {"x": value}


def _remove(rng: Random, parent: Any, key: Any) -> None:
    del parent[key]


def _rename(rng: Random, parent: Any, key: Any) -> None:
    if isinstance(parent, dict):
        parent[rng.choice((changed_text(rng, key, 1), rng.choice(STRINGS)))] = parent.pop(key)
    else:
        parent.insert(rng.randrange(len(parent) + 1), _scalar(rng))


def _repeat(rng: Random, parent: Any, key: Any) -> None:
    if isinstance(parent, list):
        parent[key:key] = [deepcopy(parent[key]) for _ in range(rng.choice((1, 2, 30)))]
    elif isinstance(parent[key], str):
        parent[key] = parent[key] * rng.choice((2, 100))


def _swap(rng: Random, parent: Any, key: Any) -> None:
    keys = list(parent) if isinstance(parent, dict) else range(len(parent))
    other = rng.choice(list(keys))
    parent[key], parent[other] = parent[other], parent[key]


def _nest(rng: Random, parent: Any, key: Any) -> None:
    for _ in range(rng.choice((5, 50, 200))):
        parent[key] = [parent[key]] if rng.random() < 0.5 else {"a": parent[key]}


_CHANGES: tuple[Callable[[Random, Any, Any], None], ...] = (
    *(_replace, _replace, _edit, _edit, _edit, _remove, _rename, _repeat, _swap, _nest),
)


def json_bytes(rng: Random, value: Any) -> bytes:
    """Write a value as JSON, sometimes indented; half a surrogate pair stays an escape."""
    return json.dumps(value, ensure_ascii=True, indent=rng.choice((None, None, 1))).encode()


def changed_bytes(rng: Random, content: bytes, most: int = 4) -> bytes:
    """Change bytes in a few places."""
    for _ in range(rng.randrange(1, most + 1)):
        begin = rng.randrange(len(content) + 1)
        end = min(len(content), begin + rng.choice((0, 1, 1, 2, 8, 100)))
        kind = rng.randrange(5)
        if kind == 0:
            new = rng.choice(TOKENS)
        elif kind == 1:
            new = bytes(rng.randrange(256) for _ in range(max(end - begin, 1)))
        elif kind == 2:
            new = content[begin:end] * 2
        else:
            new = b"" if kind == 3 else bytes([1 << rng.randrange(8)])
        content = content[:begin] + new + content[end:]
    return content[: rng.randrange(len(content) + 1)] if rng.random() < 0.05 else content


def changed_document(rng: Random, value: Any) -> bytes:
    """Return a JSON document with changes in its structure, and sometimes in its bytes."""
    if rng.random() < 0.1:
        return changed_bytes(rng, json_bytes(rng, value))
    content = json_bytes(rng, changed_json(rng, value))
    return changed_bytes(rng, content) if rng.random() < 0.1 else content


def deep(rng: Random, key: str = "a") -> str:
    """Return JSON that nests about as deep as a parser can go, or far deeper."""
    levels = rng.choice((50, 199, 201, rng.randrange(200, 1100), rng.randrange(900, 1000), 100_000))
    return rng.choice(
        (
            "[" * levels + "]" * levels,
            f'{{"{key}":' * levels + "1" + "}" * levels,
            f'{{"{key}":[' * (levels // 2) + "]}" * (levels // 2),
            "[" * levels,
            f'{{"{key}":' * levels,
        )
    )
