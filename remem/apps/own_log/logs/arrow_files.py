"""The rows of Parquet and Arrow files, read with pyarrow."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from remem.files.json_text import MOST_VALUES
from remem.files.opened import MAX_BYTES, check_size, opened

MISSING = "install it: pip install 'remem[parquet]'; or save the questions as JSON Lines or CSV"

BATCH_ROWS = 1_000


def parquet_rows(path: Path) -> Iterator[tuple[Any, str]]:
    """Yield the rows of a Parquet file, each with its place."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise ImportError(f"{path} needs pyarrow, which is missing; {MISSING}") from error
    try:
        with opened(path) as file:
            rows = _rows(path, parquet.ParquetFile(file).iter_batches(BATCH_ROWS))
    except (ArrowException, OSError) as error:
        raise _unreadable(path, "Parquet", error) from error
    yield from _placed(rows, path)


def arrow_rows(path: Path) -> Iterator[tuple[Any, str]]:
    """Yield the rows of an Arrow stream, as `Dataset.save_to_disk` writes it, with their places."""
    try:
        from pyarrow import ArrowException, ipc
    except ImportError as error:
        raise ImportError(f"{path} needs pyarrow, which is missing; {MISSING}") from error
    try:
        with opened(path) as stream:
            rows = _rows(path, ipc.open_stream(stream))
    except (ArrowException, OSError) as error:
        raise _unreadable(path, "Arrow", error) from error
    yield from _placed(rows, path)


def _rows(path: Path, batches: Iterable[Any]) -> list[Any]:
    """Return the rows of batches; raise ValueError if they unpack to more than a data file has."""
    rows: list[Any] = []
    size = 0
    for batch in batches:
        size += batch.nbytes
        check_size(size, f"{path}, unpacked,", MAX_BYTES)
        rows += batch.to_pylist()
        if len(rows) > MOST_VALUES:
            raise ValueError(f"{path} has more than {MOST_VALUES:,} rows, the maximum")
    return rows


def _placed(rows: list[Any], path: Path) -> Iterator[tuple[Any, str]]:
    for number, row in enumerate(rows, start=1):
        yield row, f"{path}, row {number}"


def _unreadable(path: Path, kind: str, error: Exception) -> ValueError:
    reason = " ".join(str(error).split())[:200]
    return ValueError(f"{path} is not a {kind} file ({reason}); write it again")
