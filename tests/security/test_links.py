"""A link in a stranger's folder cannot make remem write outside of that folder."""

from pathlib import Path

import numpy as np
import pytest

from remem.llm.vector_store import VectorStore
from remem.run.store import RECORDS, Timing, open_run
from remem.types import Gold, Record

RECORD = Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")


def keep_a_vector(folder: Path) -> None:
    store = VectorStore(store=str(folder / "calls.sqlite"), model="m", dimension=2)
    store.put_many({"a": np.zeros(2, dtype=np.float32)})


def test_no_line_is_added_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / RECORDS).symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(
            ValueError, match=rf"{RECORDS} is a link to another file; replace " rf"it with the"
        ),
        open_run(tmp_path / "run") as store,
    ):
        store.append(RECORD, Timing("q", 1.0, 0.5))
    assert not (tmp_path / "elsewhere").exists()


def test_no_vector_is_added_through_a_link(tmp_path: Path) -> None:
    keep_a_vector(tmp_path)
    files = (tmp_path / "calls.sqlite.vectors").iterdir()
    kept = next(file for file in files if file.stat().st_size)  # the other is its lock
    (tmp_path / "elsewhere").write_bytes(kept.read_bytes())
    kept.unlink()
    kept.symlink_to(tmp_path / "elsewhere")
    before = (tmp_path / "elsewhere").read_bytes()
    with pytest.raises(ValueError, match="is a link to another file"):
        VectorStore(store=str(tmp_path / "calls.sqlite"), model="m", dimension=2).put_many(
            {"b": np.ones(2, dtype=np.float32)}
        )
    assert (tmp_path / "elsewhere").read_bytes() == before
