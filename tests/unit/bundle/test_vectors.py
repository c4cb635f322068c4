import hashlib
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from remem.bundle.archive import BundleWriter
from remem.bundle.layout import FORMAT, Index, PackedVectors, VectorRow
from remem.bundle.reading import open_bundle
from remem.bundle.replies_and_vectors import (
    StoredVectors,
    packed_vectors,
    restore_vectors,
    write_vectors,
)
from remem.embed.cached import content_key
from remem.errors import VectorMissError, VerificationFailedError
from remem.llm.vector_store import VectorStore

TABLE = PackedVectors("0123456789ab", 2)
INDEX = Index(FORMAT, "", "", False, (), 1, (TABLE,), ())
KEYS = [hashlib.sha256(name).hexdigest() for name in (b"a", b"b", b"c")]


def packed(tmp_path: Path) -> Path:
    store = VectorStore(store=str(tmp_path / "s.sqlite"), model=TABLE.model, dimension=2)
    rows = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]
    store.put_many({key: np.float32(row) for key, row in zip(KEYS, rows, strict=True)})
    with ZipFile(tmp_path / "b", "w") as archive:
        writer = BundleWriter(archive)
        write_vectors(writer, 1, TABLE, tmp_path / "s.sqlite")
        writer.close(INDEX)
    return tmp_path / "b"


def test_rows_are_little_endian_float32_and_equal_ones_are_there_once(tmp_path: Path) -> None:
    with open_bundle(packed(tmp_path)) as bundle:
        raw = b"".join(bundle.parts("vectors/1.f32"))
        listed = {line.key: line.row for line in bundle.lines("vectors/1.jsonl", VectorRow)}
    one, zero = b"\x00\x00\x80\x3f", b"\x00\x00\x00\x00"  # IEEE 754: 1.0 is 0x3f800000
    assert sorted([raw[:8], raw[8:]]) == sorted([one + zero, zero + one])
    assert listed[KEYS[0]] == listed[KEYS[2]] != listed[KEYS[1]]


def test_they_come_back_by_key(tmp_path: Path) -> None:
    with open_bundle(packed(tmp_path)) as bundle:
        assert sorted(key for key, _ in packed_vectors(bundle, 1, TABLE)) == sorted(KEYS)
        assert restore_vectors(bundle, 1, TABLE, tmp_path / "new.sqlite") == 3
    again = VectorStore(store=str(tmp_path / "new.sqlite"), model=TABLE.model, dimension=2)
    found = again.get_many(KEYS)
    assert [tuple(found[key]) for key in KEYS] == [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]


@pytest.mark.parametrize(
    ("rows", "row", "told"),
    [
        (b"\x00" * 8, 0, "row 0 is not the vector"),
        (b"\x00" * 7, 0, "ends in the middle of a row"),
        (b"", 0, "row 0"),
        (b"\x00" * 8, 7, "row 7"),
    ],
)
def test_a_row_that_is_not_what_its_sum_says_is_refused(
    tmp_path: Path, rows: bytes, row: int, told: str
) -> None:
    with ZipFile(tmp_path / "b", "w") as archive:
        writer = BundleWriter(archive)
        writer.document("vectors/1.f32", rows)
        writer.lines("vectors/1.jsonl", VectorRow, [VectorRow(KEYS[0], row, KEYS[1])])
        writer.close(INDEX)
    with open_bundle(tmp_path / "b") as bundle:
        with pytest.raises(VerificationFailedError, match=told):
            list(packed_vectors(bundle, 1, TABLE))
        with pytest.raises(VerificationFailedError, match=told):
            restore_vectors(bundle, 1, TABLE, tmp_path / "new.sqlite")


def test_an_embedder_of_stored_vectors_has_those_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    identity = '{"model": "m"}'
    with pytest.raises(FileNotFoundError, match="unpack the bundle"):
        StoredVectors(identity=identity, model="m", dimension=2, store=str(path))
    store = VectorStore(store=str(path), model="m", dimension=2)
    store.put_many({content_key(identity, "document", "", "Rex"): np.float32((1, 0))})
    store.put_many({content_key(identity, "query", "fact", "Rex"): np.float32((0, 1))})
    embedder = StoredVectors(identity=identity, model="m", dimension=2, store=str(path))
    assert embedder.embed_documents(["Rex", "Rex"]).tolist() == [[1, 0], [1, 0]]
    assert embedder.embed_queries(["Rex"], "fact").tolist() == [[0, 1]]
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)
    with pytest.raises(VectorMissError, match="text 2 of 2"):
        embedder.embed_documents(["Rex", "Tom"])
