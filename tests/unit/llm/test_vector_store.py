"""Vectors by hash: several writers, kills that leave half a row, files cut short."""

import gc
import json
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.llm.vector_store import EmbeddingCall, StoredEmbeddingCalls, VectorStore
from remem.types import UNCOUNTED

WRITER = """
import sys
import numpy as np
from remem.llm.vector_store import VectorStore

vectors = VectorStore(store=sys.argv[1], model="m", dimension=3)
for number in range(int(sys.argv[3])):
    vectors.put_many({f"{sys.argv[2]}{number}": np.full(3, number, np.float32)})
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "calls.sqlite")


def vectors_of(store: str, model: str = "m", dimension: int = 3) -> VectorStore:
    return VectorStore(store=store, model=model, dimension=dimension)


def full(value: float) -> np.ndarray:
    return np.full(3, value, np.float32)


def found(vectors: VectorStore, *keys: str) -> dict[str, list[float]]:
    return {key: vector.tolist() for key, vector in vectors.get_many(keys).items()}


def only_file(store: str) -> Path:
    (path,) = Path(f"{store}.vectors").glob("*.f32")
    return path


def test_models_and_dimensions_are_kept_apart_though_their_files_look_alike(store: str) -> None:
    vectors_of(store, model="a/b").put_many({"k": full(1)})
    assert found(vectors_of(store, model="a_b"), "k") == {}
    assert found(vectors_of(store, model="a/b", dimension=4), "k") == {}


def test_a_vector_of_another_length_is_refused(store: str) -> None:
    with pytest.raises(ValueError, match=r"shape \(4,\), expected \(3,\)"):
        vectors_of(store).put_many({"a": np.zeros(4, np.float32)})


def test_half_a_row_left_by_a_kill_is_overwritten(store: str) -> None:
    vectors_of(store).put_many({"a": full(1)})
    with only_file(store).open("ab") as file:
        file.write(b"\x01" * 7)
    vectors = vectors_of(store)
    assert found(vectors, "a") == {"a": [1, 1, 1]}
    vectors.put_many({"b": full(2)})
    assert found(vectors, "a", "b") == {"a": [1, 1, 1], "b": [2, 2, 2]}
    assert only_file(store).stat().st_size == 2 * 12


def test_more_keys_than_one_query_takes(store: str) -> None:
    vectors = vectors_of(store)
    vectors.put_many({f"k{number}": full(number) for number in range(1234)})
    keys = [f"k{number}" for number in range(1300)]
    assert found(vectors, *keys) == {f"k{number}": [number] * 3 for number in range(1234)}


def test_threads_and_processes_write_at_once(store: str) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, store, name, "15"]) for name in "ab"]
    vectors = vectors_of(store)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: vectors.put_many({f"t{at}": full(at)}), range(15)))
    assert [writer.wait() for writer in writers] == [0, 0]
    keys = [f"{name}{number}" for name in "abt" for number in range(15)]
    assert found(vectors, *keys) == {key: [float(key[1:])] * 3 for key in keys}
    assert only_file(store).stat().st_size == 3 * 15 * 12


@given(st.lists(st.dictionaries(st.text("abc", max_size=2), st.floats(width=32), max_size=5)))
def test_what_was_put_last_is_found(
    tmp_path_factory: pytest.TempPathFactory, puts: list[dict[str, float]]
) -> None:
    vectors = vectors_of(str(tmp_path_factory.mktemp("any") / "calls.sqlite"))
    expected: dict[str, float] = {}
    for put in puts:
        vectors.put_many({key: full(value) for key, value in put.items()})
        expected |= put
    got = vectors.get_many(list(expected))
    vectors.close()
    assert set(got) == set(expected)
    for key, value in expected.items():
        np.testing.assert_array_equal(got[key], full(value))


def test_a_row_that_a_cut_file_has_lost_never_means_the_one_that_comes_in_its_place(
    store: str,
) -> None:
    vectors = vectors_of(store)
    vectors.put_many({"a": full(1), "b": full(2), "c": full(3)})
    os.truncate(only_file(store), 12)  # b and c are gone
    vectors.put_many({"d": full(4), "e": full(5)})
    assert found(vectors, *"abcde") == {"a": [1, 1, 1], "d": [4, 4, 4], "e": [5, 5, 5]}


@pytest.mark.parametrize("bit", range(0, 96, 19))
def test_a_vector_with_a_flipped_bit_is_named_and_embedded_again(
    store: str, bit: int, caplog: pytest.LogCaptureFixture
) -> None:
    vectors = vectors_of(store)
    vectors.put_many({"a": full(1), "b": full(-1), "c": full(2)})
    content = bytearray(only_file(store).read_bytes())
    content[12 + bit // 8] ^= 1 << bit % 8
    only_file(store).write_bytes(content)
    assert found(vectors, "a", "b", "c") == {"a": [1, 1, 1], "c": [2, 2, 2]}
    assert f"{only_file(store)}: vectors that are missing or changed" in caplog.text
    vectors.put_many({"b": full(-1)})
    assert found(vectors, "a", "b", "c") == {"a": [1, 1, 1], "b": [-1, -1, -1], "c": [2, 2, 2]}


@pytest.mark.parametrize("row", ["0", "9", "'x'"])
def test_a_list_that_points_elsewhere_is_noticed(store: str, row: str) -> None:
    vectors = vectors_of(store)
    vectors.put_many({"a": full(1), "b": full(2)})
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(f"UPDATE OR IGNORE vectors SET row = {row} WHERE key = 'b'")
        connection.commit()
    assert found(vectors, "a", "b") == {"a": [1, 1, 1]}


def test_vectors_without_sums_get_them_and_are_found(store: str) -> None:
    vectors_of(store).put_many({"a": full(1), "b": full(2)})
    vectors_of(store, model="gone").put_many({"a": full(1)})
    (gone,) = Path(f"{store}.vectors").glob("gone*.f32")
    gone.unlink()
    gc.collect()
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("ALTER TABLE vectors DROP COLUMN sum")
    vectors = vectors_of(store)
    assert found(vectors, "a", "b") == {"a": [1, 1, 1], "b": [2, 2, 2]}
    assert found(vectors_of(store, model="gone"), "a") == {}


@pytest.mark.parametrize(("tokens", "stored"), [(3, (3, "")), (None, (0, f'["{UNCOUNTED}"]'))])
def test_a_request_for_embeddings_is_stored_with_its_usage(
    store: str, tokens: int | None, stored: tuple[int, str]
) -> None:
    calls = StoredEmbeddingCalls(store=store)
    calls.add(EmbeddingCall("m", ("a", "é\ud83d"), {"role": "query"}, tokens, 0.25))
    calls.close()
    with closing(sqlite3.connect(store)) as connection:
        names = "stage, request, outcome, calls, latency_seconds, prompt_tokens, remarks"
        ((stage, request, *counted),) = connection.execute(f"SELECT {names} FROM calls")
    assert (stage, counted) == ("embed", ["ok", 1, 0.25, *stored])
    assert json.loads(request) == {
        "extra": {"role": "query"},
        "inputs": ["a", "é\ud83d"],
        "kind": "openai-embeddings",
        "model": "m",
    }
