"""The rows of the paper's tables are composed of the parts that the paper names."""

from functools import cache
from typing import Any

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.paper.layout import MeasuredQuantity, paper_folder, paper_table_names, read_table
from remem.tables.paper.rows import DATASETS, judge_command, paper_overrides
from remem.tables.rows import run_command

DENSE, LEXICAL = "DenseRetriever", "Bm25sLexical"


@cache
def printed() -> frozenset[tuple[str, str, str, str]]:
    """The rows that the paper prints: memory, reader, variant, dataset."""
    tables = (
        read_table(paper_folder() / f"{item}.yaml") for item in paper_table_names(paper_folder())
    )
    measured = (cell.measured for table in tables for cell in table.cells.values())
    return frozenset((item.memory, item.reader, item.variant, item.dataset) for item in measured)


@cache
def row(memory: str, reader: str, variant: str, dataset: str) -> RunConfig:
    measured = MeasuredQuantity(memory, reader, "none", variant, dataset, "all", "f1")
    overrides = paper_overrides(measured, dataset, None)
    assert overrides is not None
    return run_config(compose_config(list(overrides)))


def build(config: RunConfig, group: str) -> dict[str, Any]:
    found: dict[str, Any] = config.resolved[group]["build"]
    return found


def name(part: dict[str, Any]) -> str:
    return str(part["_target_"]).rpartition(".")[2]


def test_rag_over_messages_searches_by_the_encoder_of_its_row() -> None:
    cases = [
        ("embedding_messages", "", "locomo", DENSE, "nvidia/NV-Embed-v2", 10),
        ("embedding_messages", "top_k=3", "locomo", DENSE, "nvidia/NV-Embed-v2", 3),
        (
            *("embedding_messages", "qwen3_embedding_8b", "realtalk"),
            *(DENSE, "Qwen/Qwen3-Embedding-8B", 10),
        ),
        ("embedding_messages", "", "complex_tr", DENSE, "nvidia/NV-Embed-v2", 10),
        ("bm25_messages", "", "tot", LEXICAL, "", 10),
    ]
    for memory, variant, dataset, retriever, model, top_k in cases:
        assert (memory, "direct", variant, dataset) in printed()
        method = build(row(memory, "direct", variant, dataset), "method")
        assert (method["unit"], method["top_k"]) == ("message", top_k)
        assert name(method["retriever"]) == retriever
        embedder = method["retriever"].get("embedder", {}).get("embedder", {})
        assert embedder.get("model", "") == model


def test_tiser_reads_what_any_memory_recalls_and_a_dataset_may_have_a_prompt_of_its_own() -> None:
    cases = [
        ("embedding_messages", "complex_tr", True),
        ("full_context", "tot", True),
        ("bm25_messages", "tot", False),
    ]
    for memory, dataset, is_printed in cases:
        assert ((memory, "tiser", "", dataset) in printed()) is is_printed
        tiser, direct = (row(memory, reader, "", dataset) for reader in ("tiser", "direct"))
        assert name(build(tiser, "reader")) == "TiserReader"
        assert build(tiser, "method") == build(direct, "method")
    readers = [("tot", "DatasetPromptReader"), ("complex_tr", "DirectReader")]
    for dataset, reader in readers:
        assert ("full_context", "direct", "", dataset) in printed()
        assert name(build(row("full_context", "direct", "", dataset), "reader")) == reader


def test_hipporag_reads_three_sessions_or_ten_facts_or_passages() -> None:
    for dataset in DATASETS:
        method = build(row("hipporag2", "direct", "", dataset), "method")
        of_sessions = dataset in ("locomo", "realtalk")
        expected = ("session", 3) if of_sessions else ("message", 10)
        assert (method["unit"], method["top_k"]) == expected


def test_a_command_repeats_no_place_of_here_and_nothing_that_changes_no_number() -> None:
    here = (
        *("paths.results=/home/ann", "runner=threads", "run.health=warn", "logger=none"),
        "llm.build.endpoint.base_url=http://127.0.0.1:8000/v1",
    )
    chosen = ("method=remem_i", "llm=gpt-5-chat", "run.limit=3", "convention.score.resamples=50")
    assert run_command((*chosen, *here)) == f"remem run {' '.join(chosen)}"
    judged = "remem judge run RUN llm=gpt-5-chat convention.score.resamples=50"
    assert judge_command("", (*chosen, *here)) == judged
    own = ("method=mine", "run.packages=[mine]")
    assert run_command(own) == "remem run method=mine 'run.packages=[mine]'"
