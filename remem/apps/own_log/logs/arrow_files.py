"""The rows of Parquet and Arrow files, read with pyarrow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

MISSING = "install it: pip install 'remem[parquet]'; or save the questions as JSON Lines or CSV"


def parquet_rows(path: Path) -> Iterator[tuple[Any, str]]:
    """Yield the rows of a Parquet file, each with its place."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise ImportError(f"{path} needs pyarrow, which is missing; {MISSING}") from error
    try:
        rows = parquet.ParquetFile(path).read().to_pylist()
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
        with path.open("rb") as stream:
            rows = ipc.open_stream(stream).read_all().to_pylist()
    except (ArrowException, OSError) as error:
        raise _unreadable(path, "Arrow", error) from error
    yield from _placed(rows, path)


def _placed(rows: list[Any], path: Path) -> Iterator[tuple[Any, str]]:
    for number, row in enumerate(rows, start=1):
        yield row, f"{path}, row {number}"


def _unreadable(path: Path, kind: str, error: Exception) -> ValueError:
    reason = " ".join(str(error).split())[:200]
    return ValueError(f"{path} is not a {kind} file ({reason}); write it again")
