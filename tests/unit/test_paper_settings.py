"""The settings that the paper states, written down by hand and compared with what `conf` composes.

Each row names the section of the paper or, where the paper says nothing, another source. The
values come from there: if a test here fails, the configuration differs from the paper.
"""

from functools import cache
from typing import Any

from omegaconf import DictConfig, OmegaConf

from remem.config.conf_files import conf_folder
from remem.config.run_config import compose_config
from remem.paper.layout import MeasuredQuantity
from remem.prompts.library import own_library
from remem.tables.paper.rows import paper_overrides

MODEL = "gpt-4.1-mini-2025-04-14"
WITH_MODEL = (f"llm={MODEL}", "extractor=llm", "planner=llm", "reader=direct")
REMEM_I = ("method=remem_i", *WITH_MODEL, "embedder=nv_embed_v2", "judge=llm")
REFERENCE = ("convention=reference", *REMEM_I)
QWEN = ("method=embedding_messages", "embedder=qwen3_embedding_8b")
IN_CONTEXT = ("method=bm25_messages", "ranking=contextual")
WEIGHTS = "method.build.ranking.weights"

IMPLEMENTATION = "Experimental Setup, Implementation Details"
HIPPORAG_2 = "HippoRAG 2 and its package, whose implementation the paper runs"
MODEL_CARD = "the model card of nvidia/NV-Embed-v2"
QWEN_CARD = "the model card of Qwen/Qwen3-Embedding-8B"
BM25S = "the defaults of bm25s, which the released code uses"
RANK_BM25 = "the defaults of rank-bm25"
RANKING = "docs/readers.md: not in the paper"
RELEASED = "the paper is silent; the released code"
RELEASED_TOOLS = "the tools of the released code, where they differ from the paper"
COMPLEX_TR_LISTS = "the released code joins several answers to one gold at semicolons"

T_MAX = {
    "locomo": 3,
    "realtalk": 3,
    "complex_tr": 5,
    "tot": 5,
}
"""Implementation Details: 3 for "recollection tasks and [...] 5 for episodic reasoning tasks"."""

T_MAX_OF_OURS = {
    "locomo_live_check": 3,  # a part of LoCoMo
    "locomo_plus": 3,  # LoCoMo with cues
    "personamem": 3,  # recollection
    "generated_dialogues": 3,  # recollection
    "generated_updates": 3,  # recollection
    "generated_complex_tr": 5,  # reasoning
    "generated_tot": 5,  # reasoning
    "beam": 3,  # recollection
    "longmemeval": 3,  # recollection
    "longmemeval_excerpt": 3,  # recollection
    "musique": 3,  # the paper names no T_max for it
    "musique_train": 3,
    "two_wiki": 3,
}
"""Datasets for which the paper states no T_max take that of the paper's kind of task."""

TABLE: tuple[tuple[tuple[str, ...], str, object, str], ...] = (
    # REMem
    (REMEM_I, "method.build.top_k", 10, IMPLEMENTATION),
    (REMEM_I, "method.build.synonymy_threshold", 0.8, IMPLEMENTATION),
    (("method=remem_s",), "method.build.top_k", 10, IMPLEMENTATION),
    (("method=remem_s",), "method.build.synonymy_threshold", 0.8, IMPLEMENTATION),
    (("method=remem_s",), "method.build.max_steps", 1, "REMem-S is a single step"),
    (("method=remem_s",), "method.build.planner.tool", "semantic_retrieve", IMPLEMENTATION),
    (REMEM_I, "method.build.use_gists", True, "Methodology"),
    (REMEM_I, "method.build.use_facts", True, "Methodology"),
    (REMEM_I, "method.build.use_synonymy", True, "Methodology"),
    (
        REMEM_I,
        "method.build.tools",
        {
            "semantic_retrieve": True,
            "lexical_retrieve": True,
            "find_gist_contexts": True,
            "find_entity_contexts": True,
        },
        "Methodology, table of tools; output_answer is always there",
    ),
    # Retrieval baselines
    (("method=bm25_messages",), "method.build.top_k", 10, IMPLEMENTATION),
    (("method=bm25_messages",), "method.build.unit", "message", IMPLEMENTATION),
    (QWEN, "method.build.top_k", 10, IMPLEMENTATION),
    (QWEN, "method.build.unit", "message", IMPLEMENTATION),
    (QWEN, "method.build.embed_date", False, RELEASED),
    (("lexical=bm25",), "lexical.build.k1", 1.5, BM25S),
    (("lexical=bm25",), "lexical.build.b", 0.75, BM25S),
    (("lexical=rank_bm25",), "lexical.build.k1", 1.5, RANK_BM25),
    (("lexical=rank_bm25",), "lexical.build.b", 0.75, RANK_BM25),
    (("lexical=rank_bm25",), "lexical.build.epsilon", 0.25, RANK_BM25),
    (IN_CONTEXT, f"{WEIGHTS}.neighbours", 0.4, RANKING),
    (IN_CONTEXT, f"{WEIGHTS}.reach", 2, RANKING),
    (IN_CONTEXT, f"{WEIGHTS}.reply", 0.4, RANKING),
    (IN_CONTEXT, f"{WEIGHTS}.session", 0.6, RANKING),
    (IN_CONTEXT, f"{WEIGHTS}.speaker", 0.3, RANKING),
    (IN_CONTEXT, f"{WEIGHTS}.semantic", 0, RANKING),
    (("method=remem_s", "ranking=fused"), f"{WEIGHTS}.semantic", 0.75, RANKING),
    # Structured memories
    (("method=mem0",), "method.build.top_k", 10, IMPLEMENTATION),
    (("method=mem0",), "method.build.graph", False, "the paper's row is the flat Mem0"),
    (("method=graphiti",), "method.build.top_k", 10, IMPLEMENTATION),
    (("method=graphiti",), "method.build.min_similarity", 0.6, "Graphiti's package"),
    (("method=hipporag2",), "method.build.top_k", 3, f"{IMPLEMENTATION}: top-3 sessions"),
    (("method=hipporag2",), "method.build.unit", "session", IMPLEMENTATION),
    (("method=hipporag2",), "method.build.synonymy_threshold", 0.8, HIPPORAG_2),
    (("method=hipporag2",), "method.build.damping", 0.5, HIPPORAG_2),
    (("method=hipporag2",), "method.build.linking_top_k", 5, HIPPORAG_2),
    (("method=hipporag2",), "method.build.passage_node_weight", 0.05, HIPPORAG_2),
    # References
    (("method=full_context",), "method.build.order", "newest_first", RELEASED),
    # Models
    (REMEM_I, "llm.build.endpoint.model", MODEL, IMPLEMENTATION),
    (REMEM_I, "llm.build.endpoint.temperature", 0, RELEASED),
    (REMEM_I, "embedder.build.embedder.model", "nvidia/NV-Embed-v2", MODEL_CARD),
    (REMEM_I, "embedder.build.embedder.add_eos", True, MODEL_CARD),
    (REMEM_I, "embedder.build.embedder.padding_side", "right", MODEL_CARD),
    (REMEM_I, "embedder.build.embedder.dimension", 4096, MODEL_CARD),
    (REMEM_I, "embedder.build.embedder.max_length", 4096, f"{RELEASED} (its server)"),
    (
        REMEM_I,
        "embedder.build.embedder.instructions.passage",
        "Given a question, retrieve relevant documents that best answer the question.",
        RELEASED,
    ),
    (
        REMEM_I,
        "embedder.build.embedder.instructions.fact",
        "Given a question, retrieve relevant triplet facts that matches this question.",
        RELEASED,
    ),
    (
        QWEN,
        "embedder.build.embedder.model",
        "Qwen/Qwen3-Embedding-8B",
        "Methods for Comparison",
    ),
    (QWEN, "embedder.build.embedder.padding_side", "left", RELEASED),
    (QWEN, "embedder.build.embedder.dimension", 4096, QWEN_CARD),
    # Scores
    (REMEM_I, "convention.name", "paper", "the default convention"),
    (REMEM_I, "convention.score.f1", "hipporag2", "Metrics"),
    (REMEM_I, "convention.score.bleu", "evaluate", "Metrics"),
    (REMEM_I, "convention.score.refusal_detection", "phrase_or_empty", "Refusal Performance"),
    (REMEM_I, "convention.score.refusal_gold", "by_category", "Refusal Performance: 446 of 1,986"),
    (REMEM_I, "convention.run.final_answer", "synthesise", "Algorithm 2"),
    (
        REMEM_I,
        "convention.run.undated_items",
        "record_time",
        "released filter; the paper is silent",
    ),
    (REMEM_I, "convention.score.resamples", 9999, "docs/conventions.md; the paper is silent"),
    (REMEM_I, "judge.repeats", 1, "Metrics: one verdict for each answer"),
    # Conventions of the released code
    (REFERENCE, "method.build.rules.undated_items", "record_time", RELEASED_TOOLS),
    (REFERENCE, "method.build.rules.time_filter", "facts", f"{RELEASED_TOOLS}: facts only"),
    (REFERENCE, "method.build.rules.gist_contexts", "similar", f"{RELEASED_TOOLS}: synonyms"),
    (REFERENCE, "method.build.rules.limit", "top_k", f"{RELEASED_TOOLS}: min(10, limit)"),
    (REFERENCE, "method.build.rules.offered_tools", "once_found", f"{RELEASED_TOOLS}: can_execute"),
    (REFERENCE, "method.build.rules.unknown_tool", "semantic_retrieve", RELEASED_TOOLS),
    (REFERENCE, "method.build.fact_string", "released", "its code writes (s, p, o), {qualifiers}"),
    (REFERENCE, "judge.build.golds", "each", "its judge"),
    # Answers that are lists
    (("dataset=complex_tr",), "dataset.answer_separator", "semicolons", COMPLEX_TR_LISTS),
    (("dataset=tot",), "dataset.answer_separator", "commas", "the questions of Test of Time"),
    (("dataset=locomo",), "dataset.answer_separator", "commas", "the golds of LoCoMo"),
)

REFUSALS = {
    "reader_direct.v1": ("does not tell the answer", "answer: no information available"),
    "reader_tiser.v1": ("does not tell the answer", "the answer is: no information available"),
    "planner.v1": ("the memory does not tell it", "call output_answer without an answer"),
}
"""What a prompt tells a model to do where the memory holds no answer (Refusal Performance)."""


@cache
def composed(overrides: tuple[str, ...]) -> DictConfig:
    return compose_config(overrides)


def setting(overrides: tuple[str, ...], key: str) -> Any:
    value = OmegaConf.select(composed(overrides), key, throw_on_missing=True)
    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value


def test_a_setting_is_what_the_paper_states() -> None:
    for overrides, key, stated, source in TABLE:
        assert setting(overrides, key) == stated, source


def test_t_max_of_a_dataset_reaches_memory_and_planner() -> None:
    for dataset, stated in {**T_MAX, **T_MAX_OF_OURS}.items():
        overrides = (f"dataset={dataset}", "method=remem_i", *WITH_MODEL)
        assert setting(overrides, "method.build.max_steps") == stated
        assert setting(overrides, "planner.build.max_steps") == stated


def test_every_dataset_has_its_t_max_in_the_table() -> None:
    names = {path.stem for path in (conf_folder() / "dataset").glob("*.yaml")}
    assert names == {*T_MAX, *T_MAX_OF_OURS, "validation"}  # a part of another one, as it says


def test_a_validation_part_takes_t_max_from_its_dataset() -> None:
    part = ("dataset=validation", "dataset@dataset.of=tot", "method=remem_i")
    assert setting(part, "method.build.max_steps") == T_MAX["tot"]


def test_a_row_of_the_paper_gets_its_number_of_passages() -> None:
    cases = [
        ("embedding_messages", "", "locomo", ("message", 10)),
        ("embedding_messages", "top_k=3", "locomo", ("message", 3)),  # Appendix, LoCoMo
        ("embedding_messages", "qwen3_embedding_8b", "realtalk", ("message", 10)),
        ("hipporag2", "", "locomo", ("session", 3)),
        ("hipporag2", "", "realtalk", ("session", 3)),
        # A statement or paragraph is no session: the ten passages of the other baselines.
        ("hipporag2", "", "complex_tr", ("message", 10)),
        ("hipporag2", "", "tot", ("message", 10)),
        ("hipporag2", "", "musique", ("message", 10)),
        ("hipporag2", "", "two_wiki", ("message", 10)),
    ]
    for memory, variant, dataset, passages in cases:
        overrides = row_of(memory, variant, dataset)
        found = tuple(setting(overrides, f"method.build.{name}") for name in ("unit", "top_k"))
        assert found == passages


def test_rows_of_the_paper_use_its_models_unless_the_row_names_another() -> None:
    plain, qwen = row_of("remem_i", "", "locomo"), row_of("remem_i", "qwen3_embedding_8b", "locomo")
    assert setting(plain, "llm.name") == MODEL
    assert [setting(row, "embedder.name") for row in (plain, qwen)] == [
        "nv_embed_v2",
        "qwen3_embedding_8b",
    ]
    assert setting(row_of("remem_i", "gpt-5-chat", "locomo"), "llm.name") == "gpt-5-chat"


def test_a_prompt_asks_for_a_refusal_where_the_memory_does_not_tell() -> None:
    for prompt, rule in REFUSALS.items():
        case, order = rule
        assert order in sentence(prompt, case)


def test_the_judge_grades_a_refusal_by_what_the_reference_says() -> None:
    due = sentence("judge.v1", "If the reference says that no information is available")
    assert "is CORRECT only if it too says that this is not known, or says nothing at all" in due
    assert due.endswith("any other answer is WRONG.")
    undue = sentence(
        "judge.v1", "the answer says that this is not known and the reference does not"
    )
    assert undue.endswith("it is WRONG.")
    assert "CORRECT" not in undue


def row_of(memory: str, variant: str, dataset: str) -> tuple[str, ...]:
    """Return the overrides of a row of the paper's tables."""
    measured = MeasuredQuantity(
        memory, "direct", "none", variant, dataset, category="all", metric="f1"
    )
    overrides = paper_overrides(measured, dataset, None)
    assert overrides is not None
    return overrides


def sentence(prompt: str, words: str) -> str:
    """Return a line of a prompt from these words on, with the refusal phrase filled in."""
    text = own_library().load(prompt).text.replace("{{ refusal }}", "no information available")
    (line,) = (line for line in text.splitlines() if words in line)
    return line[line.index(words) :]
