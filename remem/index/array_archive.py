"""Read arrays from an untrusted npz archive, without pickle and within the size of the file.

`numpy.load` trusts the sizes in an archive, decompresses any amount, and raises many kinds of
errors.
"""

import zipfile
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

ENDING = ".npy"
READ_HEADER = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
DAMAGES = (
    *(zipfile.BadZipFile, OSError, EOFError, KeyError, ValueError, RuntimeError, OverflowError),
    *(SyntaxError, TokenError, TypeError),
)
"""Errors that zipfile and numpy raise for a damaged archive or array."""

Arrays = dict[str, NDArray[np.generic]]


def read_arrays(path: Path) -> Arrays:
    """Read all arrays of an archive that `numpy.savez` wrote, by name.

    Raises:
        ValueError: The file is not an npz archive, or is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                info.filename.removesuffix(ENDING): _array(archive, info, path.stat().st_size)
                for info in archive.infolist()
            }
    except FileNotFoundError as error:
        raise ValueError(f"{path.name} is missing") from error
    except DAMAGES as error:
        raise ValueError(f"{path.name} is not a complete archive of arrays ({error})") from error


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most_bytes: int) -> NDArray[Any]:
    if info.compress_type != zipfile.ZIP_STORED or not info.filename.endswith(ENDING):
        raise ValueError(f"{info.filename!r} is not an array of numpy.savez")
    if info.file_size > most_bytes:
        raise ValueError(f"{info.filename!r} states a size that is larger than the file")
    with archive.open(info) as file:
        _check_header(file, info)
        file.seek(0)
        array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
        file.read()  # to its end, where its checksum is compared
    return array


def _check_header(file: IO[bytes], info: zipfile.ZipInfo) -> None:
    """Check the size in an array's header before allocating memory for it."""
    version = npy.read_magic(file)
    if version not in READ_HEADER:
        raise ValueError(f"{info.filename!r} has the unknown format {version}")
    shape, _, kind = READ_HEADER[version](file)
    count = 1
    for length in shape:
        count *= length
    if kind.hasobject:
        raise ValueError(f"{info.filename!r} holds objects, which only pickle could read")
    if count < 0 or file.tell() + count * kind.itemsize != info.file_size:
        raise ValueError(f"{info.filename!r} does not have the size that it states")
