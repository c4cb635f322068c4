"""Configurations that are composed without Hydra equal those that Hydra composes."""

import os
import shutil
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

import pytest
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import ConfigAttributeError

from remem.config import compositions
from remem.config.compositions import by_hydra, composition
from remem.config.conf_files import conf_choices, conf_folder, conf_groups
from remem.tables.table_plan import read_plan, table_names

NO_GROUPS = {"table", "score", "prices", "llm@judge_llm"}


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Clear all caches, so that every test starts like a new process."""
    kept = (compositions._chosen, compositions._defaults, compositions._content)
    for function in kept:
        function.cache_clear()
    yield
    for function in kept:
        function.cache_clear()


def outcome(compose: object, overrides: Sequence[str]) -> str:
    """Return the configuration as YAML in its order, or the error."""
    assert callable(compose)
    try:
        composed = compose(overrides)
    except (HydraException, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    with pytest.raises(ConfigAttributeError):
        composed.run.no_such_key = 1
    return OmegaConf.to_yaml(composed)


def same(overrides: Sequence[str]) -> None:
    assert outcome(composition, overrides) == outcome(by_hydra, overrides), overrides


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the overrides of the table rows that have a choice or a key which no earlier row has.

    Of several overrides for a key, only the last is returned.
    """
    seen: set[str] = set()
    plans = (read_plan(name) for name in table_names())
    for block in (block for plan in plans for block in plan.blocks):
        for row in block.rows:
            last = {text.partition("=")[0]: text for text in (*block.overrides, *row.overrides)}
            parts = {key if "." in key else text for key, text in last.items()}
            if not parts <= seen:
                yield tuple(last.values())
            seen |= parts


@pytest.mark.slow
def test_every_file_of_conf_is_composed_as_by_hydra() -> None:
    files = [
        [f"{group}={file.stem}" for file in conf_choices(group)]
        for group in conf_groups()
        if group not in NO_GROUPS
    ]
    special = {"llm=replay", "prompts=released", "dataset=validation", "ranking=fused"}
    plain = [[choice for choice in choices if choice not in special] for choices in files]
    for chosen in zip_longest(*plain):
        same([choice for choice in chosen if choice is not None])


@pytest.mark.slow
def test_the_rows_of_tables_are_composed_as_by_hydra() -> None:
    for row in rows():
        same(row)


def test_choices_and_values_are_composed_as_by_hydra() -> None:
    every = [
        ["method=hipporag2", "embedder=nv_embed_v2", "llm=gpt-4.1-mini-2025-04-14", "judge=mem0"],
        ["+score=[f1,em]", "run.limit=3"],
        ["ranking=fused", "method=remem_s", "method.build.ranking.weights.reach=3"],
        ["prompts=released", "extractor=llm"],
        ["llm@judge_llm=gpt-4.1-mini-2025-04-14", "judge=llm"],
        ["dataset=validation"],
        ["~judge"],
        ["method=../reader/direct"],
        ["method=remem_s", "method=remem_i"],
        ["run.limit=1", "run={limit: 2}", "run.limit=3"],
        ["paths.results='a, b'", "run.packages=[json]", "run.limit=null"],
        ["convention.run={limit: top_k}", "+run.more=[1]"],
        ["~run.limit"],
        ["~dataset.build", "+dataset.build={_target_: a.B, seed: 0}", "dataset.build.seed=1"],
        ["++reader.build.x=1", "~reader.build.x", "+method.build.more={a: {b: 1}}"],
        ["run.packages=[a, b]", "+run.packages=[c]"],
        ["method=remem_i", "planner=llm", "planner.build.chat_model={_target_: a.B, repeat: 0}"],
        ["extractor=llm", "++extractor.build.chat_model={x: 1}"],
    ]
    for overrides in every:
        same(overrides)


def test_errors_are_those_of_hydra() -> None:
    every = [
        ["method=remem_x"],
        ["methods=remem_s"],
        ["judge=null"],
        ["method=remem_s,remem_i"],
        ["run.limits=3"],
        ["~run.health=warn"],
        ["+run.health=warn"],
        ["run.limit=1,2"],
        ["run.limit@run=1"],
        ["paths.results=a:b c}"],
        ["hydra.job.name=x", "run.limits=3"],
    ]
    for overrides in every:
        said = outcome(composition, overrides)
        assert "Error" in said.partition(":")[0] or "Exception" in said.partition(":")[0]
        assert said == outcome(by_hydra, overrides)


def test_hydra_composes_the_defaults_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []
    with_hydra = compositions._with_hydra

    def counted(overrides: Sequence[str]) -> object:
        asked.append(overrides)
        return with_hydra(overrides)

    monkeypatch.setattr(compositions, "_with_hydra", counted)
    for method in ("remem_s", "remem_i", "no_memory"):
        for limit in (1, 2):
            composed = composition([f"method={method}", f"run.limit={limit}"])
            assert (composed.method.name, composed.run.limit) == (method, limit)
            composed.method.name = "changed"  # which changes no other
    assert asked == [()]


@pytest.fixture
def copied_conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of conf, used in its place."""
    copied = tmp_path / "conf"
    shutil.copytree(conf_folder(), copied)
    for module in ("compositions", "conf_files"):
        monkeypatch.setattr(f"remem.config.{module}.conf_folder", lambda: copied)
    return copied


def test_a_changed_file_is_read_again(copied_conf: Path) -> None:
    method = copied_conf / "method" / "remem_s.yaml"
    assert composition(["method=remem_s"]).method.name == "remem_s"
    method.write_text(method.read_text().replace("name: remem_s", "name: another"))
    os.utime(method, ns=(1, 1))
    assert composition(["method=remem_s"]).method.name == "another"


def test_a_file_that_sets_values_of_other_groups_is_left_to_hydra(copied_conf: Path) -> None:
    plain = copied_conf / "ranking" / "plain.yaml"
    plain.write_text("# @package _global_\nmethod: {name: mine}\n")
    assert composition(["method=remem_s"]).method.name == "mine"
