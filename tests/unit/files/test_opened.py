import os
from pathlib import Path

import pytest

from remem.files.opened import opened, read_file, read_text


def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe is a device, a pipe or a file of the operating"):
        read_file(tmp_path / "pipe")


@pytest.mark.parametrize("name", ["/dev/zero", "/proc/self/environ", "/sys/kernel/uevent_seqnum"])
def test_devices_and_the_state_of_the_system_are_refused(tmp_path: Path, name: str) -> None:
    if not os.path.lexists(name):
        pytest.skip(f"this system has no {name}")
    (tmp_path / "link").symlink_to(name)
    with pytest.raises(ValueError, match="expected a regular file"):
        opened(tmp_path / "link")


def test_a_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        read_file(tmp_path)


def test_a_link_may_lead_anywhere_if_the_user_names_it_and_not_out_of_a_strangers_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "outside").write_text("mine")
    (folder := tmp_path / "theirs").mkdir()
    (folder / "inside").write_text("theirs")
    (folder / "out").symlink_to(tmp_path / "outside")
    (folder / "in").symlink_to(folder / "inside")
    (tmp_path / "alias").symlink_to(folder)
    assert read_file(folder / "out") == b"mine"
    assert read_file(folder / "in", root=folder) == b"theirs"
    assert read_file(tmp_path / "alias" / "inside", root=tmp_path / "alias") == b"theirs"
    with pytest.raises(
        ValueError, match=r"out leads out of .*theirs through a link; replace the link"
    ):
        read_file(folder / "out", root=folder)


def test_a_file_of_the_maximum_size_is_read_and_a_larger_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"1234")
    assert read_file(tmp_path / "x", 4) == b"1234"
    with pytest.raises(ValueError, match="x has more than 3 bytes, the maximum"):
        read_file(tmp_path / "x", 3)


def test_a_sparse_file_of_a_terabyte_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(ValueError, match="has more than 536,870,912 bytes"):
        read_file(tmp_path / "x")


def test_text_that_is_not_utf8_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("\ufeffcaf\u00e9\r\n".encode() + b"\xe9")
    with pytest.raises(ValueError, match=r"x:2 is not UTF-8 text"):
        read_text(tmp_path / "x")


@pytest.mark.parametrize("swaps", [1, 1000])
def test_a_file_that_is_swapped_while_it_is_opened_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swaps: int
) -> None:
    root, opening, left = tmp_path / "root", os.open, [None] * swaps
    root.mkdir()
    (tmp_path / "outside").write_text("outside")
    (root / "file").symlink_to(tmp_path / "outside")

    def open_and_swap(path: Path, flags: int) -> int:
        number = opening(path, flags)
        if left:
            left.pop()
            (root / "file").unlink()
            (root / "file").write_text("inside")
        return number

    monkeypatch.setattr(os, "open", open_and_swap)
    if swaps == 1:
        assert read_file(root / "file", root=root) == b"inside"
        return
    with pytest.raises(ValueError, match="was replaced 20 times while it was opened"):
        read_file(root / "file", root=root)
