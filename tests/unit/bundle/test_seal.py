import random
from pathlib import Path

import pytest

from remem.bundle.archive import is_sealed
from remem.bundle.verify import verify
from remem.errors import VerificationFailedError

DATE_OF_THE_FIRST_ENTRY = 10


def changed(packed: Path, out: Path, at: int, bit: int) -> Path:
    content = bytearray(packed.read_bytes())
    content[at] ^= 1 << bit
    out.write_bytes(content)
    return out


def test_what_no_entry_holds_is_sealed_too(packed: Path, tmp_path: Path) -> None:
    path = changed(packed, tmp_path / "changed.remem", DATE_OF_THE_FIRST_ENTRY, 0)
    with pytest.raises(
        VerificationFailedError, match="the file has changed elsewhere since it was packed"
    ):
        verify(path)


def test_a_bit_that_is_flipped_anywhere_is_found(packed: Path, tmp_path: Path) -> None:
    drawn, size = random.Random(7), packed.stat().st_size
    places = [*(drawn.randrange(size) for _ in range(150)), 0, size - 1]
    for at in places:
        path = changed(packed, tmp_path / "changed.remem", at, drawn.randrange(8))
        with pytest.raises(VerificationFailedError):
            verify(path)


@pytest.mark.parametrize("size", [0, 10, 64])
def test_a_file_that_is_too_short_is_not_sealed(tmp_path: Path, size: int) -> None:
    path = tmp_path / "short"
    path.write_bytes(b"0" * size)
    assert not is_sealed(path)
