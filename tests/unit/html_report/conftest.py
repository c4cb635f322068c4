"""Folders of runs, written by hand, that reports are made of."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

import pytest

from remem.config import compose_config, run_config
from remem.protocols import DataFile
from remem.store import Timing, open_run
from remem.types import Record

MakeRun = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Write a run as an experiment would, quick to score; return its folder."""

    def make(
        records: Iterable[Record], *overrides: str, seconds: float = 0.5, data: str = "made up"
    ) -> Path:
        quick = "convention.score.resamples=99"
        config = run_config(
            compose_config([quick, f"paths.results={tmp_path / 'results'}", *overrides])
        )
        files = (DataFile(data, "0" * 64),)
        folder = config.run_folder(config.fingerprint(files))
        with open_run(folder) as store:
            for record in records:
                store.append(record, Timing(record.query_id, seconds, 0.25))
            store.write_manifest(
                {
                    "config": config.resolved,
                    "fingerprint": config.fingerprint(files),
                    "data": [{"name": files[0].name, "sha256": files[0].sha256}],
                    "prompts": [asdict(one) for one in config.prompts],
                    "commits": ["0123456789abcdef"],
                    "index_seconds": 2.0,
                    "index_usage": {},
                    "partial": False,
                }
            )
        return folder

    return make
