"""The texts of its prompts identify a run, wherever their files are."""

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.config.fingerprint import named_prompts
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import UsageError
from remem.prompts.chosen import PromptSum
from remem.prompts.library import load

OWN = {"_target_": "remem.prompts.library.own_library"}
MODEL = "reader.build.chat_model=null"
Configure = Callable[..., RunConfig]


@pytest.fixture
def configure() -> Configure:
    def make(*overrides: str) -> RunConfig:
        return run_config(compose_config(["dataset=generated_tot", *overrides]))

    return make


def part(**settings: object) -> dict[str, object]:
    return {"_target_": "remem.readers.direct.DirectReader", "prompts": OWN, **settings}


def test_prompts_are_found_in_every_part_once() -> None:
    build = {
        "_target_": "remem.memory.remem_memory.REMem",
        "planner": part(prompt="planner.v1"),
        "extractor": part(gist_prompt=None, fact_prompt="temporal_facts.v1"),
        "again": [part(prompt="planner.v1")],
    }
    assert named_prompts(build, ("remem",)) == tuple(
        PromptSum("own", name, load(name).sha256) for name in ("planner.v1", "temporal_facts.v1")
    )


def test_a_library_is_one_that_conf_names_of_an_admitted_package(tmp_path: Path) -> None:
    build = part(prompt="x", prompts={"_target_": "os.getcwd"})
    with pytest.raises(UsageError, match=r"prompts: _target_ 'os\.getcwd' is not in"):
        named_prompts(build, ("remem",))
    store = {"store": str(tmp_path / "made"), "model": "m", "dimension": 4}
    other = {"_target_": "remem.llm.vector_store.VectorStore", **store}
    folder = {"name": "released", "folder": other, "sums": {}}
    nested = {"_target_": "remem.benchmarks.files.fetched_prompts.FetchedLibrary", **folder}
    for library in (other, nested):
        with pytest.raises(UsageError, match=r"VectorStore' is not a prompt library"):
            named_prompts(part(prompt="x", prompts=library), ("remem",))
    assert not list(tmp_path.iterdir())


def test_a_changed_text_is_another_run(configure: Configure, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("=== user ===\n{{ question }} {{ evidence }}\n")
    config = configure("reader=direct", MODEL, f"reader.build.prompt={path}")
    first = config.fingerprint([])
    assert config.fingerprint([]) == first
    path.write_text("=== user ===\n{{ evidence }} {{ question }}\n")
    assert config.fingerprint([]) != first
    assert configure("reader=direct", MODEL).fingerprint([]) != first


def test_a_prompt_of_the_extractor_names_the_index_and_one_of_the_planner_does_not(
    configure: Configure, tmp_path: Path
) -> None:
    planner, facts = tmp_path / "planner.txt", tmp_path / "facts.txt"
    for path in (planner, facts):
        path.write_text("=== user ===\nfirst\n")
    config = configure(
        "method=remem_i",
        "extractor=llm",
        "extractor.build.chat_model=null",
        f"extractor.build.fact_prompt={facts}",
        "planner=llm",
        "planner.build.chat_model=null",
        f"planner.build.prompt={planner}",
    )
    index, run = config.index_fingerprint("h"), config.fingerprint([])
    planner.write_text("=== user ===\nsecond\n")
    assert config.index_fingerprint("h") == index
    assert config.fingerprint([]) != run
    facts.write_text("=== user ===\nsecond\n")
    assert config.index_fingerprint("h") != index
