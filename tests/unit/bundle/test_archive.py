from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from remem.bundle.archive import BundleWriter
from remem.bundle.layout import FORMAT, Index
from remem.bundle.reading import open_bundle

INDEX = Index(FORMAT, "", "", False, (), 1, (), ())


def write(path: Path) -> Index:
    with ZipFile(path, "w") as archive:
        writer = BundleWriter(archive)
        writer.document("a.json", b"{}")
        with writer.stream("vectors/1.f32", compressed=False) as part:
            part(b"1234")
            part(b"5678")
        writer.lines("b.jsonl", int, [1, 2])
        return writer.close(INDEX)


def test_entries_are_listed_with_their_sums_and_read_back(tmp_path: Path) -> None:
    index = write(tmp_path / "one")
    assert [(entry.name, entry.bytes) for entry in index.entries] == [
        ("a.json", 2),
        ("vectors/1.f32", 8),
        ("b.jsonl", 4),
    ]
    # printf '{}' | sha256sum
    assert index.entries[0].sha256.startswith("44136fa355b3678a1146ad16f7e8649e")
    with open_bundle(tmp_path / "one") as bundle:
        bundle.check_sums()
        assert bundle.index == index
        assert list(bundle.parts("vectors/1.f32", 5)) == [b"12345", b"678"]
        assert list(bundle.lines("b.jsonl", int)) == [1, 2]


def test_the_same_content_gives_the_same_bytes_and_only_vectors_are_not_packed(
    tmp_path: Path,
) -> None:
    write(tmp_path / "one")
    write(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with ZipFile(tmp_path / "one") as archive:
        kinds = {item.filename: item.compress_type for item in archive.infolist()}
    assert kinds.pop("vectors/1.f32") == ZIP_STORED
    assert set(kinds.values()) == {ZIP_DEFLATED}


def test_an_entry_has_a_plain_name(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "one", "w") as archive, pytest.raises(ValueError, match="a plain name"):
        BundleWriter(archive).document("../a", b"")
