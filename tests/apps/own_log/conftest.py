"""Write a log and read it as rows: line, time, speaker, text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.apps.own_log.logs.log import Log
from remem.apps.own_log.logs.reading import read_log

Row = tuple[str, str, str, str]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Log]:
    """Write a text under a name and read it."""

    def written(name: str, text: str, **settings: bool) -> Log:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return read_log(path, **settings)

    return written


@pytest.fixture
def rows() -> Callable[[Log], list[Row]]:
    """Return the messages of a log: place without the folder, time, speaker, text."""

    def listed(log: Log) -> list[Row]:
        return [
            (
                item.place.removeprefix(f"{log.path}").lstrip(":, "),
                str(item.message.time or ""),
                item.message.speaker,
                item.message.text,
            )
            for item in log.messages
        ]

    return listed
