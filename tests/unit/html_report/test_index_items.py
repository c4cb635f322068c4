"""The texts of a report come from the indexes in the cache and from the data; nothing is built."""

from pathlib import Path
from types import ModuleType

import pytest

from remem.config import RunConfig, compose_config, run_config
from remem.experiment import run_experiment
from remem.html_report.index_items import KeptIndex, read_items
from remem.html_report.report import write_report
from remem.html_report.restored import restored_config
from remem.memory.index_file import FILE_NAME


@pytest.fixture
def config(tiny: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path) -> RunConfig:
    """A run of REMem-I on two histories of two event statements each."""
    parts = ("method=remem_i", "planner=symbolic", "reader=symbolic")
    return run_config(compose_config([*tiny, *parts, f"paths.results={tmp_path}"]))


def test_the_items_of_an_index_and_the_messages_are_found(config: RunConfig) -> None:
    folder = run_experiment(config).folder
    items = read_items(restored_config(folder), {"h2": 0})
    assert (list(items.histories), items.lacking) == ([0], 0)
    history = items.histories[0]
    assert history["messages"]["m1"] == ["", "", "E1 was the R1 of E2 from 1960 to 1965."]
    assert history["facts"][0] == ["f1", "1960/1965", "m1", ["m1"], "E1", "R1", "E2"]
    assert history["gists"] == []


def test_an_index_that_is_not_in_the_cache_is_counted_and_not_built(
    config: RunConfig, tmp_path: Path
) -> None:
    folder = run_experiment(config).folder
    kept = tmp_path / "cache" / "indexes"
    kept.rename(tmp_path / "away")
    items = read_items(restored_config(folder), {"h1": 0, "h2": 1})
    assert items.lacking == 2 and items.histories[0]["facts"] == []
    assert not kept.exists()


def test_a_report_with_texts_shows_the_memory(config: RunConfig) -> None:
    folder = run_experiment(config).folder
    assert b"E1 was the R1 of E2 from 1960" not in write_report(folder).read_bytes()
    page = write_report(folder, with_text=True).read_bytes()
    assert b"E1 was the R1 of E2 from 1960" in page and b'id="memory"' in page


def test_a_damaged_index_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"half")
    with pytest.raises(ValueError, match="not a whole index"):
        KeptIndex().load(tmp_path)


def test_an_index_of_another_kind_of_memory_has_no_items(tmp_path: Path) -> None:
    kept = KeptIndex()
    kept.load(tmp_path)
    assert (kept.gists, kept.facts) == ((), ())
