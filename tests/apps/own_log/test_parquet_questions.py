"""Questions are read from Parquet and from a folder of Hugging Face's `datasets`."""

from pathlib import Path

import pytest

from remem.apps.own_log.logs.questions import read_questions
from remem.types import Episode, History, Message

pytestmark = pytest.mark.extra
HISTORY = History("diary", (Episode("s1", (Message("m1", "Ann", "text"),)),))
ROWS = {"question": ["Who?", "Why?"], "answer": ["Ann", ""], "evidence": [[1], None]}


def test_parquet_and_arrow_have_the_same_questions(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import ipc, parquet

    table = pyarrow.table(ROWS)
    parquet.write_table(table, tmp_path / "q.parquet")
    saved = tmp_path / "saved"
    saved.mkdir()
    with ipc.new_stream(saved / "data-00000-of-00001.arrow", table.schema) as stream:
        stream.write_table(table)
    for path in (tmp_path / "q.parquet", saved):
        who, why = read_questions(path, HISTORY)
        assert (who.gold.answers, who.gold.evidence) == (("Ann",), ("m1",))
        assert (why.query.text, why.gold.answerable) == ("Why?", False)


def test_a_broken_parquet_file_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "q.parquet").write_bytes(b"no parquet")
    with pytest.raises(ValueError, match=r"q\.parquet is not a Parquet file"):
        read_questions(tmp_path / "q.parquet", HISTORY)


def test_texts_that_are_stored_once_are_counted_before_they_are_written_out(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path, text = tmp_path / "q.parquet", "x" * 2**20
    for column in ([text] * 600, [[text] * 600], [{"a": text}] * 600):
        parquet.write_table(pyarrow.table({"question": column}), path, compression="zstd")
        assert path.stat().st_size < 2**16
        own = pyarrow.default_memory_pool()
        pyarrow.set_memory_pool(counting := pyarrow.proxy_memory_pool(own))
        with pytest.raises(ValueError, match=r"q\.parquet, unpacked, has more than 536,870,912"):
            read_questions(path, HISTORY)
        pyarrow.set_memory_pool(own)
        assert 0 < counting.max_memory() < 2**26
    parquet.write_table(pyarrow.table({"question": pyarrow.nulls(5_000_001)}), path)
    with pytest.raises(ValueError, match="more than 5,000,000 values"):
        read_questions(path, HISTORY)


def test_nulls_of_an_arrow_file_are_counted_in_lists_and_columns_too(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import ipc

    many = pyarrow.nulls(10**8)
    columns = {
        "fixed": [pyarrow.FixedSizeListArray.from_arrays(many, 10**8)],
        "list": [pyarrow.LargeListArray.from_arrays([0, 10**8], many)],
        "wide": [pyarrow.nulls(200_000)] * 101,
    }
    for name, arrays in columns.items():
        table = pyarrow.table(arrays, names=[f"c{at}" for at in range(len(arrays))])
        folder = tmp_path / name
        folder.mkdir()
        with ipc.new_stream(folder / "data-00000-of-00001.arrow", table.schema) as stream:
            stream.write_table(table)
        with pytest.raises(ValueError, match="more than 5,000,000 values"):
            read_questions(folder, HISTORY)
