"""Finds and reads the data files of the benchmarks: `<data>/<dataset>/<file>`, or the same `.gz`.

A file is read once, whole, with the sha256 of the bytes as they lie on the disk.
"""

import gzip
import hashlib
import json
import re
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

from remem.protocols import DataFile

MAX_BYTES = 512 * 2**20
"""The largest file that is read, packed or unpacked: more is a mistake or an attack."""
MOST_DIGITS = 300
"""Of a whole number in JSON: Python itself refuses far longer ones, and does not say where."""
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""How JSON escapes half of a surrogate pair; both halves together are a character."""


def missing_file(expected: Path, dataset: str) -> FileNotFoundError:
    """Build the error for a data file that is not there: where it belongs and how to get it."""
    return FileNotFoundError(
        f"no data at {expected} (nor .gz): get it as datasets/{dataset}/README.md says and let "
        f"REMEM_DATA name the folder that holds {dataset}/"
    )


def find_file(data: Path, dataset: str, file: str) -> Path:
    """Return the path of a data file; a plain file goes before a gzipped one."""
    plain = data / dataset / file
    for path in (plain, plain.with_name(f"{plain.name}.gz")):
        if path.is_file():
            return path
    raise missing_file(plain, dataset)


def read_bytes(data: Path, dataset: str, file: str) -> tuple[bytes, DataFile]:
    """Read a data file, unpacked if it is gzipped, with the sha256 of the file as it lies."""
    path = find_file(data, dataset, file)
    check_size(path.stat().st_size, str(path))
    packed = path.read_bytes()
    content = gunzip(packed, str(path)) if path.suffix == ".gz" else packed
    source = DataFile(f"{dataset}/{path.name}", hashlib.sha256(packed).hexdigest())
    return content, source


def read_json(data: Path, dataset: str, file: str) -> tuple[Any, DataFile]:
    """Read a data file of JSON."""
    content, source = read_bytes(data, dataset, file)
    return parse_json(content, source.name), source


def gunzip(packed: bytes, name: str) -> bytes:
    """Unpack gzipped bytes."""
    try:
        with gzip.open(BytesIO(packed)) as stream:
            content = stream.read(MAX_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{name} is not a whole gzip file ({error}): fetch it again") from error
    check_size(len(content), name)
    return content


def parse_json(content: bytes, name: str, mend: str = "fetch the file again") -> Any:
    """Parse UTF-8 JSON; a key that stands twice in one object is an error, not the last value.

    Args:
        content: What is parsed.
        name: Where it lies, for what is complained of.
        mend: What to do about content that cannot be read.

    Raises:
        ValueError: It is no such JSON, or holds what no file could keep.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"{name} has the key {repeated!r} twice in one object: remove one")
        return members

    def whole_number(digits: str) -> int:
        if len(digits) > MOST_DIGITS:
            raise ValueError(f"{name} has a number of {len(digits)} digits: {mend}")
        return int(digits)

    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=unique, parse_int=whole_number)
        if SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        place = _place(name, content, content.count(b"\n", 0, error.start) + 1)
        raise ValueError(f"{place} is not UTF-8: {mend}") from error
    except json.JSONDecodeError as error:
        place = _place(name, content, error.lineno)
        raise ValueError(f"{place} is not JSON ({error.msg}): {mend}") from error
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds half of a character (a lone surrogate): {mend}") from error
    except RecursionError as error:
        raise ValueError(f"{name} nests too deep to be a data file: {mend}") from error
    return value


def _place(name: str, content: bytes, line: int) -> str:
    """Name a line of what has several: a single one may be a line of a file itself."""
    return f"{name}:{line}" if b"\n" in content.rstrip() else name


def check_size(size: int, name: str) -> None:
    """Refuse a file of more than `MAX_BYTES`."""
    if size > MAX_BYTES:
        raise ValueError(f"{name} has more than {MAX_BYTES} bytes: no data set here is that large")
