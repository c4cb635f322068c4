"""The rows of Parquet and Arrow files, read with pyarrow.

Both store a repeated text once, so a file of 400 bytes can stand for gigabytes of texts. So texts
are read as they are stored, and their size is checked before they are expanded.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from remem.files.json_text import MOST_VALUES
from remem.files.opened import MAX_BYTES, check_size, opened

MISSING = (
    "install it: pip install '.[parquet]' in the checkout of remem; or save the questions as JSON "
    "Lines or CSV"
)

BATCH_ROWS = 1_000


def parquet_rows(path: Path) -> Iterator[tuple[Any, str]]:
    """Yield the rows of a Parquet file, each with its place."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise ImportError(f"{path} needs pyarrow, which is missing; {MISSING}") from error
    try:
        with opened(path) as file:
            metadata = parquet.read_metadata(file)
            _check_promised(path, metadata)
            texts = [
                column.path for column in _columns(metadata) if column.physical_type == "BYTE_ARRAY"
            ]
            stored = parquet.ParquetFile(file, metadata=metadata, read_dictionary=texts)
            rows = _rows(path, stored.iter_batches(BATCH_ROWS))
    except PermissionError:
        raise
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
    except PermissionError:
        raise
    except (ArrowException, OSError) as error:
        raise _unreadable(path, "Arrow", error) from error
    yield from _placed(rows, path)


def _check_promised(path: Path, metadata: Any) -> None:
    """Raise ValueError if the unpacked size of a Parquet file, by its metadata, is too large."""
    size = values = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        size += group.total_byte_size
        for at, column in enumerate(_columns(metadata)):
            count = group.column(at).num_values
            values += count
            size += count * column.length  # of a value of fixed length, which may be stored once
    check_size(size, f"{path}, unpacked,", MAX_BYTES)
    _check_count(path, values)


def _columns(metadata: Any) -> list[Any]:
    return [metadata.schema.column(at) for at in range(metadata.num_columns)]


def _check_count(path: Path, values: int) -> None:
    if values > MOST_VALUES:
        raise ValueError(f"{path} has more than {MOST_VALUES:,} values, the maximum")


def _rows(path: Path, batches: Iterable[Any]) -> list[Any]:
    """Return the rows of batches; raise ValueError if their unpacked size is too large."""
    rows: list[Any] = []
    size = count = 0
    for batch in batches:
        count += sum(map(_values_of, batch.columns))
        _check_count(path, count)
        batch.validate(full=True)  # otherwise untrusted offsets may lead out of the file
        size += sum(map(_written_out, batch.columns))
        check_size(size, f"{path}, unpacked,", MAX_BYTES)
        rows += batch.to_pylist()
    return rows


def _values_of(array: Any) -> int:
    """Return the number of values of an array, including nulls and the values in nested lists."""
    from pyarrow import types

    kind, count = array.type, len(array)
    if types.is_struct(kind):
        return count + sum(_values_of(array.field(at)) for at in range(kind.num_fields))
    if types.is_map(kind):
        return count + _values_of(array.keys) + _values_of(array.items)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return count + _values_of(array.values)
    return count


def _written_out(array: Any) -> int:
    """Return the unpacked size of an array in bytes: repeated values count each time.

    Raises:
        ArrowNotImplementedError: The array has a type that no data set needs, such as a union.
    """
    from pyarrow import ArrowNotImplementedError, compute, types

    kind = array.type
    if types.is_dictionary(kind):
        values = array.dictionary
        if not (types.is_string(values.type) or types.is_large_string(values.type)):
            return len(array) * _written_out(values)
        lengths = compute.binary_length(values).take(array.indices)
        return compute.sum(lengths).as_py() or 0
    if types.is_struct(kind):
        return sum(map(_written_out, array.flatten()))
    if types.is_map(kind):
        return _written_out(array.keys) + _written_out(array.items)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _written_out(array.flatten())
    if types.is_nested(kind) or "view" in str(kind) or types.is_run_end_encoded(kind):
        raise ArrowNotImplementedError(f"a column is of {kind}, expected texts, numbers or lists")
    return int(array.nbytes)


def _placed(rows: list[Any], path: Path) -> Iterator[tuple[Any, str]]:
    for number, row in enumerate(rows, start=1):
        yield row, f"{path}, row {number}"


def _unreadable(path: Path, kind: str, error: Exception) -> ValueError:
    reason = " ".join(str(error).split())[:200]
    return ValueError(f"{path} is not a {kind} file ({reason}); write it again")
