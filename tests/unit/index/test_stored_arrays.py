"""Stored arrays are mapped as they were written; damaged or inconsistent files are refused."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remem.errors import DamagedIndexError
from remem.index.stored_arrays import (
    ARRAYS_NAME,
    LIST_NAME,
    holds_arrays,
    naming_damage,
    open_arrays,
    write_arrays,
)

FORM = "arrays of a test, version 1"
ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_arrays(tmp_path, FORM, {"rows": ROWS, "more": np.ones(3)})
    return tmp_path


def relisted(folder: Path, *, signed: bool = True, **changes: object) -> None:
    """Change the list of arrays, with the right checksum unless `signed` is False."""
    content = json.loads((folder / LIST_NAME).read_text()) | changes
    if signed:
        listed = json.dumps(content["arrays"], separators=(",", ":")).encode()
        content["checksum"] = zlib.crc32(listed, zlib.crc32((folder / ARRAYS_NAME).read_bytes()))
    (folder / LIST_NAME).write_text(json.dumps(content))


def assert_refused(folder: Path, why: str | None = None) -> None:
    with pytest.raises(DamagedIndexError, match=why) as raised, naming_damage(folder, "index"):
        open_arrays(folder, FORM)
    assert str(raised.value).startswith(f"{folder}: not a complete index (")


def test_what_was_written_is_mapped(tmp_path: Path) -> None:
    columns = np.asfortranarray(ROWS)
    written = {"rows": ROWS, "columns": columns, "none": np.empty((0, 3)), "more": ROWS}
    write_arrays(tmp_path, FORM, written)
    found = open_arrays(tmp_path, FORM)
    assert list(found) == list(written)
    for name, array in written.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].ctypes.data % 64 == 0
        assert not found[name].flags.owndata


def test_changes_stay_in_memory(folder: Path) -> None:
    open_arrays(folder, FORM)["rows"][:] = 7
    np.testing.assert_array_equal(open_arrays(folder, FORM)["rows"], ROWS)


def test_arrays_that_are_mapped_stay_as_they_are_when_their_folder_is_written_again(
    folder: Path,
) -> None:
    mapped = open_arrays(folder, FORM)
    write_arrays(folder, FORM, {"rows": mapped["rows"][:1]})
    np.testing.assert_array_equal(mapped["rows"], ROWS)
    np.testing.assert_array_equal(open_arrays(folder, FORM)["rows"], ROWS[:1])


@pytest.mark.parametrize("name", [ARRAYS_NAME, LIST_NAME])
def test_a_changed_byte_is_noticed_wherever_it_is(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes().rstrip(b"\n")
    for place in range(0, len(whole), 3):
        flipped = bytes([*whole[:place], whole[place] ^ 1, *whole[place + 1 :]])
        (folder / name).write_bytes(flipped)
        assert_refused(folder)


@pytest.mark.parametrize("content", [b"", bytes(127), bytes(129), None])
@pytest.mark.parametrize("name", [ARRAYS_NAME, LIST_NAME])
def test_a_file_that_is_cut_longer_or_missing_is_refused(
    folder: Path, name: str, content: bytes | None
) -> None:
    (folder / name).unlink()
    if content is None:
        assert_refused(folder, f"{name} is missing")
    else:
        (folder / name).write_bytes(content)
        assert_refused(folder)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"shape": [10**12]}, "cannot reshape array of size"),
        ({"shape": [99999999, 99999999, 99999999]}, None),
        ({"shape": [-1]}, r"\['shape'\]\[0\]: Input should be greater than or equal to 0"),
        ({"begin": -4}, r"\['begin'\]: Input should be greater than or equal to 0"),
        ({"begin": 128}, "cannot reshape array of size 0"),
        ({"kind": "|O"}, r"arrays\.json\['arrays'\]\['rows'\]\['kind'\]: String should match"),
    ],
)
def test_an_array_that_lies_is_refused_though_the_checksum_is_right(
    folder: Path, changes: dict[str, Any], why: str | None
) -> None:
    listed = json.loads((folder / LIST_NAME).read_text())["arrays"]
    relisted(folder, arrays=listed | {"rows": listed["rows"] | changes})
    assert_refused(folder, why)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": "of another test"}, "found the format 'of another test', expected 'arrays of"),
        ({"arrays": ["rows"]}, r"arrays\.json\['arrays'\]: "),
        ({"checksum": 7}, "wrong checksum"),
    ],
)
def test_a_list_of_another_form_is_refused(
    folder: Path, changes: dict[str, object], why: str
) -> None:
    relisted(folder, signed=False, **changes)
    assert_refused(folder, why)


def test_a_folder_holds_arrays_of_one_format(folder: Path, tmp_path: Path) -> None:
    assert holds_arrays(folder, FORM)
    assert not holds_arrays(folder, "another")
    assert not holds_arrays(tmp_path / "nothing", FORM)
