"""Each named ablation takes away what its name says, and nothing else."""

from functools import cache
from typing import Any

import pytest
from omegaconf import OmegaConf

from remem.config.conf_files import conf_folder
from remem.config.run_config import compose_config, run_config
from remem.memory.remem_memory import REMem
from remem.types import Observation, ToolCall

TAKEN = {
    "no_gists": {"gists"},
    "no_facts": {"facts"},
    "no_synonymy": {"synonymy"},
    "no_semantic_retrieve": {"tools.semantic_retrieve"},
    "no_lexical_retrieve": {"tools.lexical_retrieve"},
    "no_find_gist_contexts": {"tools.find_gist_contexts"},
    "no_find_entity_contexts": {"tools.find_entity_contexts"},
}
SMALL = (
    "dataset=generated_complex_tr",
    "dataset.build.subjects=6",
    "dataset.build.questions_per_level=1",
    "method=remem_i",
    "method.build.synonymy_threshold=0.3",  # so that this small graph has synonymy edges
)
CALLS = {
    "semantic_retrieve": {"query": "worked for"},
    "lexical_retrieve": {"query": "worked for"},
    "find_gist_contexts": {"gist_id": "g1"},
    "find_entity_contexts": {"start_time": "1000"},
}


def switches(name: str) -> dict[str, Any]:
    content = OmegaConf.to_container(OmegaConf.load(conf_folder() / "ablation" / f"{name}.yaml"))
    assert isinstance(content, dict)
    assert content.pop("name") == name
    tools = content.pop("tools")
    return {**content, **{f"tools.{tool}": on for tool, on in tools.items()}}


@cache
def observed(name: str) -> dict[str, Observation]:
    config = run_config(compose_config([*SMALL, f"ablation={name}"]))
    memory = config.memory_factory()()
    assert isinstance(memory, REMem)
    memory.index(config.build_benchmark().histories()[0])
    toolbox = memory.toolbox()
    return {
        tool: toolbox.execute(ToolCall(tool, given), "Who worked for whom?")
        for tool, given in CALLS.items()
    }


def made(*overrides: str) -> object:
    return run_config(compose_config([*SMALL, *overrides])).memory_factory()()


@pytest.mark.parametrize("tool", ["semantic_retrieve", "lexical_retrieve"])
def test_remem_s_refuses_to_do_without_its_one_tool(tool: str) -> None:
    chosen = ("method=remem_s", f"convention.run.single_step_tool={tool}")
    with pytest.raises(ValueError, match=f"needs {tool}, which this ablation removes"):
        made(*chosen, f"ablation=no_{tool}")
    for other in TAKEN.keys() - {f"no_{tool}"}:
        assert isinstance(made(*chosen, f"ablation={other}"), REMem)


def test_remem_i_refuses_to_do_without_any_tool() -> None:
    masked = [f"ablation.tools.{tool}=false" for tool in CALLS]
    with pytest.raises(ValueError, match="remaining tools: none"):
        made(*masked)


def test_every_ablation_file_is_listed_here() -> None:
    files = {path.stem for path in (conf_folder() / "ablation").glob("*.yaml")}
    assert files == {"none", *TAKEN}
    assert all(switches("none").values())


@pytest.mark.parametrize("name", TAKEN)
def test_a_file_switches_off_what_its_name_says_and_nothing_else(name: str) -> None:
    found = switches(name)
    assert found.keys() == switches("none").keys()
    assert {key for key, on in found.items() if on is not True} == TAKEN[name]


def test_without_ablation_every_tool_returns_gists_and_facts() -> None:
    for tool, observation in observed("none").items():
        assert observation.gists, tool
        assert observation.facts, tool


def test_without_gists_or_facts_the_other_half_is_as_before() -> None:
    for tool in ("semantic_retrieve", "lexical_retrieve", "find_entity_contexts"):
        whole = observed("none")[tool]
        assert (observed("no_gists")[tool].gists, observed("no_gists")[tool].facts) == (
            (),
            whole.facts,
        )
        assert (observed("no_facts")[tool].gists, observed("no_facts")[tool].facts) == (
            whole.gists,
            (),
        )


def test_without_synonymy_only_the_contexts_of_a_gist_change() -> None:
    whole, without = observed("none"), observed("no_synonymy")
    assert without["find_gist_contexts"].facts == whole["find_gist_contexts"].facts
    assert len(without["find_gist_contexts"].gists) < len(whole["find_gist_contexts"].gists)
    for tool in CALLS.keys() - {"find_gist_contexts"}:
        assert without[tool] == whole[tool]


@pytest.mark.parametrize("tool", CALLS)
def test_without_a_tool_its_call_is_an_error_and_the_others_are_as_before(tool: str) -> None:
    whole, without = observed("none"), observed(f"no_{tool}")
    assert without[tool].error
    assert "not offered" in without[tool].message
    assert {other: without[other] for other in CALLS if other != tool} == {
        other: whole[other] for other in CALLS if other != tool
    }
