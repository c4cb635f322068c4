"""Files that were damaged: a refusal that says what to do, and after it the same records."""

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from remem.serve.stub.stub import StubServer


@pytest.fixture(scope="module")
def answered(finished: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run that answered its first history; only read."""
    results = tmp_path_factory.mktemp("answered") / "results"
    with StubServer() as server:
        part = replace(finished, results=results, server=server, overrides=("run.histories=1",))
        part.finished()
    return results


@pytest.fixture
def begun(line: Any, answered: Path) -> Any:
    """A run that answered its first history."""
    shutil.copytree(answered, line.results)
    return line


def test_a_damaged_line_is_named_set_aside_and_its_question_asked_again(
    begun: Any, undisturbed: bytes
) -> None:
    lines = begun.log.read_bytes().splitlines(keepends=True)
    begun.log.write_bytes(b"".join([lines[0], b'{"query_id": 7}\n', *lines[2:]]))
    code, said = begun.said()
    assert code == 0
    assert f"{begun.log}: line 2 changed since this run wrote it" in said
    assert begun.log.with_name("records.jsonl.set-aside").read_bytes() == b'{"query_id": 7}\n'
    assert begun.finished() == undisturbed


def test_a_last_line_that_was_cut_is_answered_again(begun: Any, undisturbed: bytes) -> None:
    begun.log.write_bytes(begun.log.read_bytes()[:-20])
    assert begun.finished() == undisturbed


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_a_truncated_call_store_is_refused_or_served_and_never_answers_wrongly(
    begun: Any, undisturbed: bytes, share: float
) -> None:
    with sqlite3.connect(begun.calls) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = begun.calls.read_bytes()
    begun.calls.write_bytes(content[: int(share * len(content))])
    code, said = begun.ended()
    if code != 0:
        assert code == 1
        assert f"the call store {begun.calls} cannot be used" in said
        assert "move it away" in said
        for path in begun.calls.parent.glob("calls.sqlite*"):
            path.rename(path.with_name(f"damaged-{path.name}"))
    assert begun.finished() == undisturbed


def test_a_damaged_index_is_named_set_aside_and_made_again(begun: Any, undisturbed: bytes) -> None:
    (index,) = begun.results.glob("cache/indexes/*/arrays.bin")
    content = bytearray(index.read_bytes())
    content[len(content) // 2] ^= 0xFF
    index.write_bytes(content)
    begun.log.unlink()
    code, said = begun.said_here()
    assert code == 0
    assert f"{index.parent}: not a complete stored memory ({index.name} or " in said
    aside = index.parent.with_name(f"{index.parent.name}.set-aside")
    assert (aside / index.name).read_bytes() == content
    assert begun.finished() == undisturbed


def test_a_truncated_file_of_vectors_is_refused_or_made_anew(line: Any) -> None:
    remote = (
        "embedder=loopback-stub",
        f"embedder.build.embedder.base_url={line.server.base_url}",
    )
    with_vectors = replace(line, overrides=remote)
    whole = with_vectors.finished()
    (vectors,) = line.results.glob("cache/calls.sqlite.vectors/*[!k]")  # beside it lies its lock
    vectors.write_bytes(vectors.read_bytes()[: vectors.stat().st_size // 2])
    with_vectors.log.unlink()
    for index in line.results.glob("cache/indexes/*/*"):
        index.unlink()
    for index in line.results.glob("cache/indexes/*"):
        index.rmdir()
    code, said = with_vectors.said_here()
    if code != 0:
        assert code in (1, 3), said
        vectors.unlink()
    assert with_vectors.finished() == whole
