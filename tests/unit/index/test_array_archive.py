"""Archives of arrays that numpy wrote are read as numpy reads them; what lies is refused unread."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from remem.index.array_archive import read_arrays

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)


def archive(path: Path, name: str, content: bytes, method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr(name, content)
    return path


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def headed(header: str, content: bytes = b"") -> bytes:
    """Return an array with a header of our own, in format 1.0 of numpy."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


def described(shape: str, kind: str = "<f4", order: str = "False") -> bytes:
    return headed(f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}")


def test_what_numpy_saved_is_read_back(tmp_path: Path) -> None:
    written = {"rows": ROWS, "columns": np.asfortranarray(ROWS), "none": np.empty((0, 3)), "a": 7}
    np.savez(tmp_path / "x.npz", **written)
    found = read_arrays(tmp_path / "x.npz")
    assert set(found) == set(written)
    for name, array in written.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (npy(np.array([None])), "only pickle could read"),
        (described("(10**12,)"), "not a complete archive"),
        (described("(1000000000000,)"), "does not have the size that it states"),
        (described("(99999999, 99999999, 9)"), "does not have the size that it states"),
        (described("(-1,)"), "does not have the size that it states"),
        (described("(1,)", kind="x9"), "not a complete archive"),
        (headed("__import__('os').system('true')"), "not a complete archive"),
        (headed("[" * 500), "not a complete archive"),
        (headed("((("), "not a complete archive"),
        (npy(ROWS) + b"more", "does not have the size that it states"),
        (npy(ROWS)[:-1], "does not have the size that it states"),
        (npy(ROWS).replace(b"\x01\x00", b"\x09\x00", 1), "not a complete archive"),
        (b"", "not a complete archive"),
    ],
)
def test_an_array_that_lies_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    with pytest.raises(ValueError, match=rf"x\.npz is not a complete archive .*{told}|{told}"):
        read_arrays(archive(tmp_path / "x.npz", "rows.npy", content))


def test_what_is_packed_is_not_unpacked(tmp_path: Path) -> None:
    bomb = archive(tmp_path / "x.npz", "rows.npy", npy(np.zeros(10**6)), zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match=r"is not an array of numpy\.savez"):
        read_arrays(bomb)
    with pytest.raises(ValueError, match=r"'rows\.txt' is not an array"):
        read_arrays(archive(tmp_path / "x.npz", "rows.txt", npy(ROWS)))


def test_every_changed_byte_of_an_array_is_noticed(tmp_path: Path) -> None:
    whole = archive(tmp_path / "x.npz", "rows.npy", npy(ROWS)).read_bytes()
    at = whole.index(ROWS.tobytes())
    for place in range(at, at + ROWS.nbytes):
        damaged = bytes([*whole[:place], whole[place] ^ 1, *whole[place + 1 :]])
        (tmp_path / "x.npz").write_bytes(damaged)
        with pytest.raises(ValueError, match="not a complete archive"):
            read_arrays(tmp_path / "x.npz")


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"x\.npz is missing"):
        read_arrays(tmp_path / "x.npz")
