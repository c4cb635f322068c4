"""A report takes its texts from cached indexes and from the data; it builds nothing."""

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import DamagedIndexError
from remem.index.stored_arrays import LIST_NAME, write_arrays
from remem.protocols import DataFile
from remem.reports.html.calls import Items, KeptIndex, named_items, read_items
from remem.reports.html.report import write_report
from remem.results.run import Run
from remem.run.experiment import run_experiment


@pytest.fixture
def config(tiny: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path) -> RunConfig:
    """The configuration of a run of REMem-I on two histories of two event statements each."""
    parts = ("method=remem_i", "planner=symbolic", "reader=symbolic")
    return run_config(compose_config([*tiny, *parts, f"paths.results={tmp_path}"]))


def test_the_items_of_an_index_and_the_messages_are_found(config: RunConfig) -> None:
    folder = run_experiment(config).folder
    items = read_items(Run.open(folder, ["rehearsal"]), {"h2": 0})
    assert (list(items.histories), items.missing) == ([0], 0)
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
    items = read_items(Run.open(folder, ["rehearsal"]), {"h1": 0, "h2": 1})
    assert items.missing == 2 and items.histories[0]["facts"] == []
    assert items.empty
    assert not kept.exists()


def test_data_that_are_others_by_now_lend_the_ids_no_texts(config: RunConfig) -> None:
    run = Run.open(run_experiment(config).folder, ["rehearsal"])
    changed = replace(run, manifest=replace(run.manifest, data=(DataFile("tiny", "0"),)))
    assert read_items(changed, {"h1": 0}) == Items()


def test_what_questions_name_is_left_of_a_history() -> None:
    messages = {item: ["", "", f"said {item}"] for item in ("m1", "m2", "m3", "m4", "m5")}
    gists = [["g1", "", "m1", ["m1"], "one"], ["g2", "", "m2", ["m2"], "two"]]
    facts = [["f1", "", "m3", ["m3"], "E1", "R1", "E2"], ["f2", "", "m3", ["m3"], "E1", "R1", "E3"]]
    kept = {"messages": messages, "gists": gists, "facts": facts, "synonyms": [[0, 1]]}
    question = {
        "history": 0,
        "evidence": [["m4"]],
        "steps": [{"tool": "t", "seen": ["f2"]}],
        "items": [["g1", ["m1"]], ["p1", ["m2"]]],
    }
    assert named_items(Items({0: kept, 1: kept}), [question]) == {
        0: {
            "messages": {item: messages[item] for item in ("m1", "m2", "m4")},
            "gists": gists[:1],
            "facts": facts[1:],
        }
    }


def test_a_report_of_the_readers_own_data_shows_the_memory_with_texts_alone(
    config: RunConfig,
) -> None:
    folder = run_experiment(config).folder
    assert b"E1 was the R1 of E2 from 1960" not in write_report(folder).read_bytes()
    page = write_report(folder, with_text=True, packages=["rehearsal"]).read_bytes()
    assert b"E1 was the R1 of E2 from 1960" in page and b'id="memory"' in page


def test_a_damaged_index_is_named(tmp_path: Path) -> None:
    (tmp_path / LIST_NAME).write_bytes(b"half")
    with pytest.raises(DamagedIndexError, match="not a complete stored memory"):
        KeptIndex().load(tmp_path)


def test_an_index_of_another_kind_of_memory_has_no_items(tmp_path: Path) -> None:
    kept = KeptIndex()
    kept.load(tmp_path)
    write_arrays(tmp_path, "of another kind", {})
    kept.load(tmp_path)
    assert (kept.gists, kept.facts) == ((), ())
