"""Tables of a few numbers, written as files and read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.paper.layout import PaperTable, read_table

WriteTable = Callable[..., PaperTable]


@pytest.fixture
def table(tmp_path: Path) -> WriteTable:
    """Return a function that writes a table of results/paper from its parts, and reads it."""

    def write(name: str, groups: list[str], rows: list[str], *more: str) -> PaperTable:
        lines = [
            "number: 1",
            f'label: "tab:{name}"',
            *more,
            "groups:",
            *(f"  - {{{group}}}" for group in groups),
            "rows: |",
            *(f"  {row}" for row in rows),
        ]
        path = tmp_path / f"{name}.yaml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return read_table(path)

    return write
