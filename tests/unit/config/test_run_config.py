"""What a run's name depends on, what a configuration may build, and every file of conf/."""

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from omegaconf import DictConfig, OmegaConf

from remem.config.conf_files import NAMED_BY_CODE, conf_choices, conf_groups, conf_targets
from remem.config.instantiation import OURS, check_targets
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import UsageError
from remem.protocols import DataFile
from remem.tables.table_plan import read_plan, table_names

FILES = (DataFile("a.json", "1" * 64), DataFile("b.json", "2" * 64))
GROUPS = {
    group: [path.stem for path in conf_choices(group)]
    for group in conf_groups()
    if group not in ("table", "prices", "score", "experiment")
}
MOST_FILES = max(len(names) for names in GROUPS.values())
MODEL = "gpt-4.1-mini-2025-04-14"
RECORDED = f"llm@llm.recorded={MODEL}"
A_FILE = ("llm.path=model.gguf", f"llm.sha256={'a' * 64}")
"""llm=gguf names no file itself."""
PROGRAMS = {
    "method=command": ("method.build.command=[memory]",),
    "method=mcp": (
        "method.build.command=[memory]",
        *("method.build.store_tool=store", 'method.build.store_arguments={text: "{text}"}'),
        *("method.build.search_tool=find", 'method.build.search_arguments={query: "{query}"}'),
    ),
    "method=http": (
        "method.build.address=http://127.0.0.1:1",
        *("method.build.store_route='POST /add'", "method.build.search_route='POST /search'"),
        'method.build.store_arguments={user: "{namespace}", text: "{text}"}',
        'method.build.search_arguments={user: "{namespace}", query: "{query}"}',
        "method.build.found_list=hits",
    ),
}
"""What these methods do not say themselves."""
ASKING = (
    {"extractor=llm", "planner=llm", "planner=llm_tools"}
    | {f"judge={name}" for name in ("llm", "mem0", "likelihood", "longmemeval", "locomo_plus")}
    | {f"judge={name}_official" for name in ("longmemeval", "locomo_plus")}
    | {f"judge={name}" for name in ("beam", "beam_released", "beam_official")}
    | {f"reader={name}" for name in ("direct", "tiser", "dataset_prompt", "hybrid")}
)
"""What asks a language model."""


def with_a_model(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Choose a real model if a part asks one, and the recorded calls if they are replayed."""
    if "llm=replay" in choices:
        return (*choices, RECORDED)
    if "llm=gguf" in choices:
        return (*choices, *A_FILE)
    if ASKING & set(choices):
        return tuple(f"llm={MODEL}" if choice == "llm=none" else choice for choice in choices)
    return choices


RANKED = ("method=remem_i", "method=remem_s", "method=bm25_messages", "method=embedding_messages")
"""The methods that a ranking can be added to."""


def with_a_ranked_method(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Remove the ranking if the method takes none, or has no embeddings for it."""
    takes_one = RANKED[:2] if "ranking=fused" in choices else RANKED
    ranked = set(takes_one) & set(choices) and "ranking=plain" not in choices
    return choices if ranked else tuple(it for it in choices if not it.startswith("ranking="))


def with_a_program(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Name a program where the method is one."""
    named = (setting for choice in choices for setting in PROGRAMS.get(choice, ()))
    return (*choices, *named)


SAMPLES = [
    with_a_program(
        with_a_ranked_method(
            with_a_model(
                tuple(f"{group}={names[at % len(names)]}" for group, names in GROUPS.items())
            )
        )
    )
    for at in range(MOST_FILES)
]
"""Configurations that together choose every file of every group."""
ROWS = [
    (*block.overrides, *row.overrides)
    for name in table_names()
    for block in read_plan(name).blocks
    for row in block.rows
]


@cache
def chosen(*choices: str) -> DictConfig:
    return compose_config(["dataset=generated_tot", *choices])


def composed(*overrides: str) -> RunConfig:
    """Compose the chosen files once and set the values in a copy."""
    keys = {override: override.partition("=")[0] for override in overrides}
    values = [override for override, key in keys.items() if "." in key and "@" not in key]
    config = chosen(*(override for override in overrides if override not in values)).copy()
    OmegaConf.set_struct(config, False)
    config.merge_with_dotlist(values)
    return run_config(config)


@cache
def fingerprint(*overrides: str, files: tuple[DataFile, ...] = FILES) -> str:
    return composed(*overrides).fingerprint(files)


def test_a_subset_is_asked_for_at_the_top_of_the_dataset_and_is_part_of_the_run() -> None:
    for dataset in ("dataset=tot", "dataset=generated_tot"):
        assert composed(dataset).resolved["dataset"]["build"]["subset"] is None
        part, built = "dataset.subset=160", "dataset.build.subset=160"
        assert composed(dataset, part).resolved["dataset"]["build"]["subset"] == 160
        assert fingerprint(dataset, part) == fingerprint(dataset, built) != fingerprint(dataset)


@cache
def index_fingerprint(*overrides: str, history_sum: str = "h") -> str:
    found = composed(*overrides).index_fingerprint(history_sum)
    assert found is not None
    return found


def test_where_how_fast_how_many_and_how_scored_does_not_name_a_run() -> None:
    chosen = ("method=remem_i", "dataset=locomo")
    changes = [
        ("paths.data=/elsewhere",),
        ("paths.results=/elsewhere",),
        ("runner=threads", "runner.workers=3"),
        ("run.limit=2",),
        ("run.histories=1",),
        ("convention.score.seed=1",),
        ("convention.score.bootstrap_unit=questions",),
    ]
    assert not [it for it in changes if fingerprint(*chosen, *it) != fingerprint(*chosen)]


def test_a_group_that_the_method_does_not_use_does_not_name_a_run() -> None:
    for method, *unused in (
        ("method=full_context", "embedder.build.dimension=64", "lexical=rank_bm25"),
        ("method=remem_i", f"llm={MODEL}"),
    ):
        assert not [it for it in unused if fingerprint(method, it) != fingerprint(method)]
    searched = ("method=embedding_messages", "embedder=qwen3_embedding_8b")
    device = "embedder.build.embedder.device=[cuda:0,cuda:1]"
    assert fingerprint(*searched, device) == fingerprint(*searched)


def test_what_is_run_names_the_run() -> None:
    changes = [
        ("remem_i", "dataset.build.seed=8"),
        ("remem_i", "method.build.top_k=11"),
        ("remem_i", "reader=symbolic"),
        ("remem_i", "ablation=no_gists"),
        ("remem_i", "planner=symbolic"),
        ("remem_i", "lexical=rank_bm25"),
        ("remem_i", "embedder.build.dimension=64"),
        ("remem_i", "convention.run.gist_contexts=similar"),
        ("remem_i", "convention.run.limit=top_k"),
        ("remem_i", "convention.run.fact_string=released"),
        ("remem_i", "convention.run.final_answer=proposed"),
        ("remem_s", "convention.run.single_step_tool=lexical_retrieve"),
        ("full_context", "convention.run.full_context_order=chronological"),
    ]
    assert not [
        (method, change)
        for method, change in changes
        if fingerprint(f"method={method}", change) == fingerprint(f"method={method}")
    ]


def retargeted(pattern: str, target: str) -> RunConfig:
    """Compose REMem-I with `target` in place of every `_target_` that matches the pattern."""
    text = OmegaConf.to_yaml(chosen("method=remem_i"))
    changed, count = re.subn(rf"(?<=_target_: ){pattern}$", target, text, flags=re.MULTILINE)
    assert count
    return run_config(OmegaConf.create(changed))


def named(config: RunConfig) -> tuple[str, str | None]:
    return config.fingerprint(FILES), config.index_fingerprint("h" * 64)


def test_moving_a_class_of_ours_renames_no_run_and_no_index() -> None:
    moved = retargeted(r"(remem|baselines)\.[a-z0-9_.]+\.(\w+)", r"remem.elsewhere.\2")
    assert named(moved) == named(composed("method=remem_i"))


def test_another_class_is_another_run_and_another_index() -> None:
    other = retargeted(r"(remem\.memory\.remem_memory)\.REMem", r"\1.Another")
    for before, now in zip(named(composed("method=remem_i")), named(other), strict=True):
        assert before != now


def test_two_packages_of_others_may_have_a_class_of_the_same_name() -> None:
    one, other = (
        retargeted(r"remem\.memory\.remem_memory\.REMem", f"{package}.memory.REMem")
        for package in ("mine", "yours")
    )
    assert one.fingerprint(FILES) != other.fingerprint(FILES)


def test_no_two_classes_that_conf_names_have_the_same_name() -> None:
    classes = [target.rpartition(".")[2] for target in (*conf_targets(), *NAMED_BY_CODE)]
    assert sorted(classes) == sorted(set(classes))


def test_the_data_name_the_run_in_any_order() -> None:
    other = (FILES[0], DataFile("b.json", "3" * 64))
    assert fingerprint(files=FILES[::-1]) == fingerprint()
    assert fingerprint(files=other) != fingerprint()


ASKS = ("method=remem_i", "extractor=llm", "planner=llm", "reader=direct")
ASKED = (*ASKS, f"llm={MODEL}")


def names(*overrides: str) -> tuple[str, str]:
    return fingerprint(*overrides), index_fingerprint(*overrides)


def test_what_shapes_no_reply_names_no_run() -> None:
    unshaping = [
        "llm.build.budget_dollars=50",
        "llm.build.prices=mine.yaml",
        "llm.build.store=/elsewhere/calls.sqlite",
        "llm.build.endpoint.tries=1",
        "llm.build.endpoint.timeout_seconds=1",
    ]
    assert not [change for change in unshaping if names(*ASKED, change) != names(*ASKED)]


def test_what_shapes_replies_names_the_run_and_its_indexes() -> None:
    shaping = [
        "llm.build.endpoint.model=another",
        "llm.build.endpoint.temperature=1",
        "llm.build.endpoint.seed=3",
        "llm.build.endpoint.max_output_tokens=9",
        "llm.build.endpoint.json_mode=object",
        "llm.build.repeat=1",
        "llm.build.attempts=1",
    ]
    for change in shaping:
        for before, now in zip(names(*ASKED), names(*ASKED, change), strict=True):
            assert before != now, change


def test_a_replayed_run_is_the_recorded_one() -> None:
    replayed = (*ASKS, "llm=replay", RECORDED)
    assert names(*replayed) == names(*ASKED)
    assert composed(*replayed).run_folder("f") == composed(*ASKED).run_folder("f")


def test_all_roles_share_one_chat_model_and_thereby_its_budget(tmp_path: Path) -> None:
    config = composed(*ASKED, f"paths.results={tmp_path}")
    make_memory = config.memory_factory()
    memories: list[Any] = [make_memory(), make_memory()]
    parts: list[Any] = [config.build_extractor(), config.build_reader()]
    for memory in memories:
        parts += [memory._extractor, memory._planner]
    assert len({id(part._chat_model) for part in parts}) == 1
    assert len(list((tmp_path / "cache").glob("calls.sqlite"))) == 1


def test_an_index_is_shared_by_all_that_only_ask_it_differently() -> None:
    asking = [
        ("method=remem_s",),
        ("method=remem_i", "planner=symbolic"),
        ("method=remem_i", "runner=threads", "runner.workers=3"),
        ("method=remem_i", "reader=symbolic"),
        ("method=remem_i", "ablation=no_gists"),
        ("method=remem_i", "convention=strict", "paths.results=/elsewhere"),
    ]
    shared = index_fingerprint("method=remem_i")
    assert not [overrides for overrides in asking if index_fingerprint(*overrides) != shared]


def test_an_index_that_would_be_built_otherwise_is_another_one() -> None:
    building = [
        "embedder.build.dimension=64",
        "extractor.build._target_=remem.memory.rules_extractor.Other",
        "method.build.synonymy_threshold=0.9",
        "method.build.episode_unit=message",
        "convention.run.fact_string=released",
    ]
    method = "method=remem_i"
    before = index_fingerprint(method)
    assert not [change for change in building if index_fingerprint(method, change) == before]
    assert index_fingerprint(method, history_sum="two") != before


def test_only_classes_of_admitted_packages_are_built() -> None:
    refused = [
        ("os.system", r"run\.packages=\[os\]"),
        ("remem.run.store.os.system", "is not one of those in the conf"),
        ("remem.run.store.Path", "is not one of those in the conf"),
        ("remem", "is not one of those in the conf"),
    ]
    for target, complaint in refused:
        config = composed("reader=always_refuse", f"reader.build._target_={target}")
        with pytest.raises(UsageError, match=f"reader: .*{complaint}"):
            config.build_reader()


def test_a_module_of_ours_that_conf_does_not_name_is_not_even_imported() -> None:
    module = "remem.reports.wandb.client"
    config = composed("reader=always_refuse", f"reader.build._target_={module}.Reader")
    sys.modules.pop(module, None)
    with pytest.raises(UsageError, match="is not one of those in the conf"):
        config.build_reader()
    assert module not in sys.modules


def test_an_admitted_package_gives_classes_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from pathlib import Path\nCOUNT = 1\nclass Mute:\n    pass\n"
    (tmp_path / "visitors.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)

    def built(target: str) -> object:
        choices = ("reader=always_refuse", f"reader.build._target_={target}")
        return composed(*choices, "run.packages=[visitors]").build_reader()

    assert type(built("visitors.Mute")).__name__ == "Mute"
    refused = [
        ("visitors.Path", "is defined in 'pathlib', which is not an allowed package"),
        ("visitors.COUNT", "is neither a class nor a function"),
        ("visitors" + ".a" * 2_000, "cannot be imported"),
    ]
    for target, complaint in refused:
        with pytest.raises(UsageError, match=f"reader: .*{complaint}"):
            built(target)


def test_a_target_deep_inside_a_method_is_checked_too() -> None:
    config = composed("method=bm25_messages", "lexical.build._target_=shutil.rmtree")
    with pytest.raises(UsageError, match=r"method: _target_ 'shutil.rmtree' is not in"):
        config.memory_factory()


def test_arguments_that_do_not_fit_are_named() -> None:
    misfits = [
        (("reader.build.mood=good",), "reader: ExtractiveReader got an unexpected .* 'mood'"),
        (("lexical.build.k2=1",), "method: Bm25sLexical got an unexpected .* 'k2'"),
        (("method=no_memory", "method.build.k=1"), "method: NoMemory got an unexpected .* 'k'"),
        (("method=full_context", "ranking=contextual"), "FullContext got an .* 'ranking'"),
    ]
    for overrides, complaint in misfits:
        config = composed(*overrides)
        with pytest.raises(UsageError, match=complaint):
            config.memory_factory()
            config.build_reader()


def test_a_number_of_questions_or_workers_is_at_least_one() -> None:
    for setting in ("run.limit=0", "run.histories=0", "runner.workers=-1"):
        with pytest.raises(UsageError, match=f"{setting.partition('=')[0]} is .* at least 1"):
            composed(setting)


@pytest.mark.app("small_model")
def test_a_part_that_asks_a_model_needs_one_and_a_judge_may_have_its_own() -> None:
    config = run_config(compose_config(["judge=llm", "llm@judge_llm=smollm2"]))
    assert config.llm == "none"
    assert config.judge_model is not None
    for part in ("planner=llm", "reader=direct", "extractor=llm", "judge=llm", "judge=likelihood"):
        with pytest.raises(UsageError, match="needs a language model, and llm=none is not one"):
            composed("method=remem_i", part)


@pytest.mark.parametrize("ranking", GROUPS["ranking"])
@pytest.mark.parametrize("method", RANKED[1:3])
def test_a_ranking_is_named_in_the_label_of_a_method_that_takes_one(
    ranking: str, method: str
) -> None:
    config = composed(method, f"ranking={ranking}", "embedder=hashing")
    alone = composed(method, "embedder=hashing")
    assert (config.label == alone.label) is (ranking == "plain")
    assert (config.fingerprint(FILES) == alone.fingerprint(FILES)) is (ranking == "plain")
    if ranking == "fused" and method not in RANKED[:2]:
        with pytest.raises(ValueError, match="ranking=contextual"):
            config.memory_factory()()
    else:
        config.memory_factory()()


def test_every_file_of_every_group_composes_and_builds(tmp_path: Path) -> None:
    for choices in SAMPLES:
        config = composed(*choices, f"paths.data={tmp_path}", f"paths.results={tmp_path}")
        for group, name in (choice.split("=") for choice in choices):
            if "." in group:  # no file of conf/
                continue
            content = config.resolved[group]
            # A validation part is named by what it is of, too.
            named = content.get("name", "default")
            assert named.endswith(MODEL if name == "replay" else name), choices
            check_targets(group, content.get("build", {}), OURS)
        config.score_convention()
        builds_or_says_what_is_lacking(config)


def builds_or_says_what_is_lacking(config: RunConfig) -> None:
    """Check that all parts can be built, unless an extra, prompts, a GPU or data are missing."""
    try:
        make_memory = config.memory_factory()
        assert make_memory() is not make_memory()
    except ImportError as error:
        steps = ("pip install", "make env NAME=nv-embed", "to create the environment")
        assert any(step in str(error) for step in steps)
    except FileNotFoundError as error:
        assert "remem data prompts" in str(error)
    except ValueError as error:  # the GPU's
        assert "index=" in str(error)
    try:
        assert callable(config.build_reader().read)
    except FileNotFoundError as error:
        assert "remem data prompts" in str(error)
    try:
        config.build_benchmark()
    except FileNotFoundError as error:
        assert "README.md" in str(error)


def test_every_override_of_every_table_composes() -> None:
    for row in rows_with_every_override():
        check_row(row)


def rows_with_every_override() -> list[tuple[str, ...]]:
    """Return a few rows that together contain every override of every table."""
    left = {override for row in ROWS for override in row}
    chosen = []
    while left:
        chosen.append(max(ROWS, key=lambda row: len(left.intersection(row))))
        left.difference_update(chosen[-1])
    return chosen


def check_row(row: tuple[str, ...]) -> None:
    config = composed(*row)
    try:
        config.memory_factory()
    except ImportError as error:  # an encoder of an extra
        assert "pip install" in str(error), row
    config.build_reader()
    assert config.label, row


def test_a_mistyped_setting_is_named_and_never_taken_for_another() -> None:
    mistyped = [
        ("method=remem_s", "convention.run.single_step_tool=semantic_retreive"),
        ("method=remem_i", "ablation.tools.lexical_retrieve=maybe"),
        ("method=remem_i", "convention.run.undated_items=kep"),
        ("method=remem_i", "method.build.top_k=ten"),
        ("method=bm25_messages", "lexical.build.k1=foo"),
    ]
    for overrides in mistyped:
        value = overrides[-1].partition("=")[2]
        with pytest.raises(UsageError, match=f"'{value}'"):
            composed(*overrides).memory_factory()
