"""scripts/plumbing.py counts replies with the shape that was asked for, in stores made by hand."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from remem.llm.call_store import CallStore, Sent
from remem.protocols import ChatReply
from remem.types import Usage

SCRIPT = Path(__file__).parents[2] / "scripts" / "plumbing.py"
GISTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "gists": {"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 2}
    },
    "required": ["gists"],
    "additionalProperties": False,
}


@pytest.fixture
def store(tmp_path: Path) -> CallStore:
    return CallStore(tmp_path / "calls.sqlite")


def keep(
    store: CallStore,
    stage: str,
    text: str,
    *,
    schema: Any = GISTS,
    cut: bool = False,
    error: str = "",
) -> None:
    """Keep a reply of 5 tokens; one with an error was rejected for it."""
    request = json.dumps({"messages": [stage, text], "reply_schema": schema})
    sent = Sent(f"{stage} {text} {schema is None}", stage, request, 0.1)
    kept = store.keep_reply(sent, ChatReply(text, (), cut, Usage(1, 10, 5)))
    if error:
        store.mark(kept, "rejected", error)


def counted(store: CallStore) -> tuple[list[str], int]:
    command = [sys.executable, str(SCRIPT), str(store.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.stdout.splitlines(), done.returncode


def test_only_replies_to_calls_with_a_schema_count_as_valid(store: CallStore) -> None:
    keep(store, "index", '{"gists": ["a"]}')
    keep(store, "index", '{"gists": ["a", "b"]}', cut=True)
    keep(store, "read", "Answer: a", schema=None)
    lines, status = counted(store)
    full = "full lists (asked for in parts)"
    assert lines == [
        f"index: 2 replies, 2 to a schema, 2 valid, 1 {full}, 0 unread, 10 tokens",
        f"read: 1 replies, 0 to a schema, 0 valid, 0 {full}, 0 unread, 5 tokens",
        f"all: 3 replies, 2 to a schema, 2 valid, 1 {full}, 0 unread, 15 tokens",
    ]
    assert status == 0


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        '{"gists": ["a"',
        "[]",
        "{}",
        '{"gists": "a"}',
        '{"gists": [1]}',
        '{"gists": ["a", "b", "c"]}',
        '{"gists": ["0123456789"]}',
        '{"gists": [], "more": 1}',
    ],
)
def test_a_reply_of_another_shape_is_not_valid(store: CallStore, text: str) -> None:
    keep(store, "index", '{"gists": []}')
    keep(store, "index", text)
    lines, status = counted(store)
    assert "2 replies, 2 to a schema, 1 valid," in lines[0]
    assert status == 1


def test_a_rejected_reply_is_unread_even_if_it_is_valid(store: CallStore) -> None:
    keep(store, "index", '{"gists": ["a"]}', error="no such gist")
    lines, status = counted(store)
    assert "1 valid, 0 full lists (asked for in parts), 1 unread" in lines[0]
    assert status == 1


def test_a_store_without_a_schema_shows_nothing(store: CallStore) -> None:
    keep(store, "read", "Answer: a", schema=None)
    assert counted(store)[1] == 1
