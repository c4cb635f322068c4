import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.bundle.layout import CALLS
from remem.bundle.verify import verify
from remem.errors import UsageError, VerificationFailedError

Rewrite = Callable[..., Path]
REFUSED = (VerificationFailedError, UsageError)


def copy_with(packed: Path, out: Path, *entries: tuple[ZipInfo, bytes]) -> Path:
    """A copy of the bundle with more entries at its end."""
    shutil.copy(packed, out)
    with ZipFile(out, "a", ZIP_DEFLATED) as archive:
        for info, content in entries:
            archive.writestr(info, content)
    return out


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/evil", "runs/../../evil", "runs/1/..", "a\\..\\b", "C:/evil", ".hidden", ""],
)
def test_an_entry_that_would_lie_elsewhere_is_refused(
    packed: Path, tmp_path: Path, name: str
) -> None:
    path = copy_with(packed, tmp_path / "evil.remem", (ZipInfo(name), b"x"))
    with pytest.raises(VerificationFailedError, match="not read"):
        verify(path)
    assert {item.name for item in tmp_path.iterdir()} == {"evil.remem"}


def test_a_link_is_refused(packed: Path, tmp_path: Path) -> None:
    link = ZipInfo("runs/1/link")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with pytest.raises(VerificationFailedError, match="is a link"):
        verify(copy_with(packed, tmp_path / "link.remem", (link, b"/etc/passwd")))


def test_another_compression_is_refused(packed: Path, tmp_path: Path) -> None:
    info = ZipInfo("runs/1/odd")
    info.compress_type = ZIP_BZIP2
    with pytest.raises(VerificationFailedError, match="packed in an unsupported way"):
        verify(copy_with(packed, tmp_path / "odd.remem", (info, b"x" * 100)))


def test_an_entry_that_is_not_listed_and_a_second_of_the_same_name_are_refused(
    packed: Path, tmp_path: Path
) -> None:
    for name, said in (
        ("runs/1/more", "does not match the entries in the bundle"),
        (CALLS, "two entries of the same name"),
    ):
        with pytest.warns(UserWarning) if name == CALLS else pytest.MonkeyPatch.context():
            path = copy_with(packed, tmp_path / "more.remem", (ZipInfo(name), b"x"))
        with pytest.raises(VerificationFailedError, match=said):
            verify(path)


def test_a_bomb_is_refused_before_it_is_unpacked(packed: Path, tmp_path: Path) -> None:
    info = ZipInfo("runs/1/bomb")
    info.compress_type = ZIP_DEFLATED
    path = copy_with(packed, tmp_path / "bomb.remem", (info, bytes(64 * 2**20)))
    assert path.stat().st_size < 200_000
    with pytest.raises(VerificationFailedError, match="far more"):
        verify(path)


def test_an_entry_that_lies_about_its_size_is_refused(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / "lies.remem"
    content = bytearray(packed.read_bytes())
    with ZipFile(packed) as archive:
        size = archive.getinfo("runs/1/config.json").file_size
    at = content.rfind(b"runs/1/config.json") - 46 + 24  # the size in the central directory
    assert struct.unpack_from("<I", content, at) == (size,)
    struct.pack_into("<I", content, at, 10)
    path.write_bytes(content)
    with pytest.raises(VerificationFailedError):
        verify(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("runs/1/config.json", b"[" * 100_000),
        ("runs/1/config.json", b'{"a":' * 100_000),
        ("runs/1/config.json", b"[]"),
        ("runs/1/config.json", b"{}"),
        ("runs/1/run.json", b'{"label": 1}'),
        ("runs/1/scores.json", b"[" * 100_000),
        ("runs/1/scores.json", b" " * (17 * 2**20)),
        ("runs/1/records.jsonl", b"\xff\xfe\n"),
        ("runs/1/records.jsonl", b"x" * (17 * 2**20)),
        ("runs/1/questions.jsonl", b"{}\n"),
        ("runs/1/questions.jsonl", b""),
        ("calls.jsonl", b'{"key": "\\ud800"}\n'),
        ("calls.jsonl", b'{"key": 1' + b"0" * 10_000 + b"}\n"),
        ("calls.jsonl", b"{}"),
        ("calls.jsonl", None),
    ],
)
def test_odd_content_with_the_right_sum_is_refused(
    rewrite: Rewrite, name: str, content: bytes | None
) -> None:
    with pytest.raises(REFUSED):
        verify(rewrite({name: content}))


def test_a_judges_file_elsewhere_is_refused(rewrite: Rewrite, packed: Path) -> None:
    with ZipFile(packed) as archive:
        notes = json.loads(archive.read("runs/1/run.json"))
    notes["judges"] = ["../../judgments.evil.jsonl"]
    with pytest.raises(
        VerificationFailedError,
        match=r"run 1 has the file of verdicts '../../judgments.evil.jsonl', expected a name",
    ):
        verify(rewrite({"runs/1/run.json": json.dumps(notes).encode()}))


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all" * 100])
def test_what_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "no.remem"
    path.write_bytes(content)
    with pytest.raises(VerificationFailedError, match="get a new copy of the bundle"):
        verify(path)


def test_a_name_that_is_no_utf_8_is_refused(packed: Path, tmp_path: Path) -> None:
    path = copy_with(packed, tmp_path / "odd.remem", (ZipInfo("ämter"), b""))
    path.write_bytes(path.read_bytes().replace("ämter".encode(), b"\xff\xffmter"))
    with pytest.raises(VerificationFailedError, match="get a new copy of the bundle"):
        verify(path)


def test_a_changed_byte_of_an_entry_is_named(packed: Path, tmp_path: Path) -> None:
    content = bytearray(packed.read_bytes())
    with ZipFile(packed) as archive:
        info = archive.getinfo("runs/1/records.jsonl")
    content[info.header_offset + 100] ^= 1
    path = tmp_path / "changed.remem"
    path.write_bytes(content)
    with pytest.raises(VerificationFailedError, match=r"runs/1/records\.jsonl"):
        verify(path)


def test_an_entry_of_the_same_size_that_another_sum_is_listed_for_is_named(
    packed: Path, rewrite: Rewrite
) -> None:
    with ZipFile(packed) as archive:
        index = json.loads(archive.read("index.json"))
        changed = archive.read("runs/1/records.jsonl").replace(b"ok", b"OK", 1)
    path = rewrite({"runs/1/records.jsonl": changed}, {"entries": index["entries"]})
    with pytest.raises(
        VerificationFailedError, match=r"records\.jsonl: its sha256 or size differs"
    ):
        verify(path)


def test_a_bundle_without_its_index_is_told_with_what_to_do(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / "without.remem"
    with ZipFile(packed) as archive, ZipFile(path, "w") as without:
        for name in archive.namelist():
            if name != "index.json":
                without.writestr(name, archive.read(name))
    with pytest.raises(
        VerificationFailedError, match=r"no index\.json.*: remem bundle pack <run> --out"
    ):
        verify(path)


@given(data=st.data())
def test_no_damage_does_more_than_being_refused(packed: Path, data: st.DataObject) -> None:
    content = bytearray(packed.read_bytes())
    kind = data.draw(st.sampled_from(["flip", "cut", "insert", "drop", "swap"]))
    at = data.draw(st.integers(0, len(content) - 1))
    some = data.draw(st.binary(min_size=1, max_size=40))
    match kind:
        case "flip":
            content[at] ^= data.draw(st.integers(1, 255))
        case "cut":
            del content[at:]
        case "insert":
            content[at:at] = some
        case "drop":
            del content[at : at + len(some)]
        case "swap":
            content[at : at + len(some)] = some
    with TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.remem"
        path.write_bytes(content)
        try:
            found = verify(path)
        except REFUSED:
            pass
        else:
            assert found.questions == 10  # the damage lies where a zip keeps nothing of ours
        assert [item.name for item in Path(folder).iterdir()] == ["damaged.remem"]
