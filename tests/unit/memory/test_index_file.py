"""The file of a memory graph: what is written is read back, anything else is refused by name."""

import hashlib
import json
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from remem.memory import index_file
from remem.memory.graph import MemoryGraph
from remem.time_scope import TimePoint, TimeScope
from remem.types import Extraction, Fact, Gist, Usage

DIMENSION = 8
OPEN = TimeScope(start_time=TimePoint(2021, 5, 8, 0))
ENDED = TimeScope(end_time=TimePoint(1990, 12))
FIRST = Extraction(
    gists=(
        Gist("", 'Ann said "été" 🚢\n', TimeScope(TimePoint(2023)), "", ("D1:1", "D1:2")),
        Gist("", "", None, "", ()),
    ),
    facts=(Fact("", "Ann", "owns", "boat", OPEN, "", ("D1:1",)),),
)
SECOND = Extraction(
    gists=(Gist("", "Bob swims.", ENDED, "", ("D2:1",)),),
    facts=(Fact("", "Bob", "owns", "boat", None, "", ("D2:1",), TimePoint(2023, 6, 19)),),
)


def small_graph():
    graph = MemoryGraph()
    graph.add_episode("s1", FIRST)
    graph.add_episode("s2", SECOND)
    graph.add_synonyms(np.array([[0, 2]]))
    return graph


ACCOUNT = index_file.Account(Usage(3, 200, 10), (("s3", 'the model "é" said nothing'),))


def vectors(count, seed):
    rows = np.random.default_rng(seed).random((count, DIMENSION), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def saved(tmp_path):
    index_file.save(tmp_path, small_graph(), vectors(3, 1), vectors(2, 2), ACCOUNT)
    return tmp_path / index_file.FILE_NAME


def load(path):
    return index_file.load(path.parent, dimension=DIMENSION)


def assert_refused(path, why=""):
    with pytest.raises(ValueError, match="not a complete memory graph") as raised:
        load(path)
    assert str(path) in str(raised.value)
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)


def assert_is_the_small_graph(stored):
    graph = small_graph()
    assert stored.graph.gists == graph.gists
    assert stored.graph.facts == graph.facts
    assert stored.graph.counts() == graph.counts()
    assert stored.graph.synonymy_pairs() == [(0, 2)]
    assert stored.account == ACCOUNT
    assert np.array_equal(stored.gist_vectors, vectors(3, 1))
    assert np.array_equal(stored.fact_vectors, vectors(2, 2))
    assert stored.gist_vectors.dtype == stored.fact_vectors.dtype == np.float32


def test_what_is_written_is_read_back(saved):
    assert_is_the_small_graph(load(saved))


def test_an_empty_graph_is_read_back(tmp_path):
    index_file.save(
        tmp_path, MemoryGraph(), vectors(0, 1), vectors(0, 1), index_file.Account(Usage(), ())
    )
    stored = index_file.load(tmp_path, dimension=DIMENSION)
    assert stored.graph.counts() == MemoryGraph().counts()
    assert stored.gist_vectors.shape == (0, DIMENSION)


def test_the_same_graph_gives_the_same_parts(saved, tmp_path):
    again = tmp_path / "again"
    again.mkdir()
    index_file.save(again, small_graph(), vectors(3, 1), vectors(2, 2), ACCOUNT)
    with np.load(saved) as first, np.load(again / index_file.FILE_NAME) as second:
        assert set(first.files) == set(second.files)
        assert all(np.array_equal(first[part], second[part]) for part in first.files)


def test_a_file_that_is_cut_off_is_refused(saved):
    whole = saved.read_bytes()
    for size in {0, 1, 10, *range(50, len(whole), 97), len(whole) - 1}:
        saved.write_bytes(whole[:size])
        assert_refused(saved)


def test_a_missing_file_is_refused(tmp_path):
    assert_refused(tmp_path / index_file.FILE_NAME)


@pytest.mark.parametrize("content", [None, b"", b"{}", b'{"format": 3, "sha256": ""}', b"\xff"])
def test_a_file_whose_manifest_is_missing_or_none_of_ours_is_refused(saved, content):
    manifest = saved.with_name(index_file.MANIFEST_NAME)
    manifest.unlink() if content is None else manifest.write_bytes(content)
    assert_refused(saved, index_file.MANIFEST_NAME)


@pytest.mark.parametrize("version", ["version 3", "version 999"])
def test_a_file_of_another_format_is_refused(saved, version):
    manifest = saved.with_name(index_file.MANIFEST_NAME)
    manifest.write_text(manifest.read_text().replace("version 4", version))
    assert_refused(saved, "another file or format")


def sign(path):
    """Make the manifest tell of the file as it is: what is then refused is refused for itself."""
    manifest = {
        "format": index_file.FORMAT,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    path.with_name(index_file.MANIFEST_NAME).write_text(json.dumps(manifest))


def test_a_file_that_is_no_archive_is_refused(saved):
    saved.write_text('{"gists": []}')
    sign(saved)
    assert_refused(saved)
    with saved.open("wb") as file:
        np.save(file, np.ones(3))
    sign(saved)
    assert_refused(saved)
    with saved.open("wb") as file:
        np.save(file, np.array([{}]), allow_pickle=True)
    sign(saved)
    assert_refused(saved)


@pytest.mark.parametrize("names", [["readme.txt"], sorted(index_file.PARTS)])
def test_an_archive_of_something_else_is_refused(saved, names):
    with zipfile.ZipFile(saved, "w") as archive:
        for name in names:
            archive.writestr(name, "hello")
    sign(saved)
    assert_refused(saved)


def rewrite(path, **changes):
    with np.load(path) as parts:
        kept = {name: parts[name] for name in parts.files}
    with path.open("wb") as file:
        np.savez(
            file, **{name: part for name, part in (kept | changes).items() if part is not None}
        )
    sign(path)


def as_bytes(text):
    return np.frombuffer(text.encode(), dtype=np.uint8)


def as_json(items):
    return np.frombuffer(TypeAdapter(list[Gist | Fact]).dump_json(items), dtype=np.uint8)


def pairs(*found):
    return np.array(found, dtype=np.int64)


GISTS, FACTS = small_graph().gists, small_graph().facts
NOT_FINITE = vectors(3, 1)
NOT_FINITE[1, 0] = np.nan


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"synonyms": None}, "expected"),
        ({"extra": np.ones(1)}, "extra"),
        ({"account": as_bytes('{"usage": 3}')}, "account['usage']"),
        ({"account": as_bytes('{"usage": {"calls": "3"}, "failures": []}')}, "account['usage']"),
        ({"gists": as_bytes("[")}, "gists: Invalid JSON"),
        ({"gists": as_bytes('{"g1": 1}')}, "gists: "),
        ({"gists": as_bytes('[{"id": "g1"}]')}, "gists[0]['text']"),
        ({"gists": np.array([0xFF], dtype=np.uint8)}, "gists: Invalid JSON"),
        ({"gists": as_json([GISTS[1], GISTS[0], GISTS[2]])}, "item 1 has the id 'g2', expected g1"),
        ({"facts": as_json([FACTS[0], FACTS[0]])}, "item 2 has the id 'f1', expected f2"),
        ({"facts": as_bytes("[]")}, "of 0 items"),  # fewer facts than vectors
        ({"gists": as_json(GISTS[:2]), "gist_vectors": vectors(2, 1)}, "of 2 gists"),
        ({"gist_vectors": vectors(2, 1)}, "shape (2, 8)"),
        ({"gist_vectors": vectors(3, 1).astype(np.float64)}, "float64"),
        ({"gist_vectors": 2 * vectors(3, 1)}, "vector 0 of 3 has length 2"),
        ({"gist_vectors": NOT_FINITE}, "vector 1 of 3 has length nan"),
        ({"fact_vectors": np.ones((2, DIMENSION + 1), dtype=np.float32)}, "shape (2, 9)"),
        ({"fact_vectors": np.ones(2, dtype=np.float32)}, "shape (2,)"),
        ({"fact_vectors": np.array([{}])}, "pickle"),
        ({"synonyms": pairs((0, 3))}, "pairs i < j of 3 gists"),
        ({"synonyms": pairs((-1, 2))}, "pairs i < j of 3 gists"),
        ({"synonyms": pairs((2, 0))}, "pairs i < j of 3 gists"),
        ({"synonyms": pairs((1, 1))}, "pairs i < j of 3 gists"),
        ({"synonyms": pairs((0, 2), (0, 1))}, "ascending"),
        ({"synonyms": pairs((0, 2), (0, 2))}, "ascending"),
        ({"synonyms": pairs((0, 1, 2))}, "shape (1, 3)"),
        ({"synonyms": pairs(0, 2)}, "shape (2,)"),
        ({"synonyms": np.array([[0.0, 2.0]])}, "float64"),
        ({"synonyms": np.array([[0, 2]], dtype=np.int32)}, "int32"),
    ],
)
def test_an_archive_whose_parts_do_not_fit_is_refused(saved, changes, why):
    rewrite(saved, **changes)
    assert_refused(saved, why)


def test_a_graph_of_another_embedder_is_refused(saved):
    with pytest.raises(ValueError, match="16 dimensions"):
        index_file.load(saved.parent, dimension=2 * DIMENSION)


# Damage


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A folder to damage files in, the files of the small graph, and those of another."""
    folder = tmp_path_factory.mktemp("bench")
    other = small_graph()
    other.add_episode("s3", SECOND)
    found = []
    for graph, count in ((small_graph(), (3, 2)), (other, (4, 3))):
        index_file.save(folder, graph, vectors(count[0], 1), vectors(count[1], 2), ACCOUNT)
        found.append({path.name: path.read_bytes() for path in folder.iterdir()})
    return folder, *found


FILES = st.sampled_from((index_file.FILE_NAME, index_file.MANIFEST_NAME))
places = st.integers(0, 2**16)
flips = st.lists(st.tuples(places, st.integers(1, 255)), min_size=1, max_size=4)


def flipped(content, changes):
    damaged = bytearray(content)
    for place, mask in changes:
        damaged[place % len(damaged)] ^= mask
    return bytes(damaged)


def assert_refused_or_the_small_graph(folder):
    path = folder / index_file.FILE_NAME
    try:
        stored = load(path)
    except ValueError as error:
        assert str(path) in str(error)
    else:
        assert_is_the_small_graph(stored)


@given(FILES, flips)
def test_flipped_bytes_are_refused_or_make_no_difference(bench, name, changes):
    folder, whole, _ = bench
    for file, content in whole.items():
        (folder / file).write_bytes(flipped(content, changes) if file == name else content)
    assert_refused_or_the_small_graph(folder)


@given(FILES, places, st.binary(max_size=20))
def test_a_file_cut_off_or_with_another_end_is_refused_or_makes_no_difference(
    bench, name, place, end
):
    folder, whole, _ = bench
    for file, content in whole.items():
        cut = content[: place % len(content)] + end
        (folder / file).write_bytes(cut if file == name else content)
    assert_refused_or_the_small_graph(folder)


@pytest.mark.parametrize("name", [index_file.FILE_NAME, index_file.MANIFEST_NAME])
def test_a_file_of_another_index_is_refused(bench, name):
    folder, whole, other = bench
    for file, content in whole.items():
        (folder / file).write_bytes(other[file] if file == name else content)
    assert_refused(folder / index_file.FILE_NAME, "another file or format")


@given(flips)
def test_damage_that_the_manifest_vouches_for_is_an_error_of_ours_or_a_graph(bench, changes):
    folder, whole, _ = bench
    path = folder / index_file.FILE_NAME
    path.write_bytes(flipped(whole[index_file.FILE_NAME], changes))
    sign(path)
    with suppress(ValueError):
        load(path).graph.counts()
