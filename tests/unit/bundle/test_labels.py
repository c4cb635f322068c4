from typing import Any

from remem.bundle.gathering import told_apart


def config(reader: str, llm: str = "none") -> dict[str, Any]:
    names = {"reader": reader, "ablation": "none", "llm": llm, "embedder": "hashing"}
    return {group: {"name": name} for group, name in names.items()}


def test_runs_of_one_label_are_told_apart_by_what_differs_alone() -> None:
    labels = ["Mem0 on locomo", "BM25 on locomo", "Mem0 on locomo", "Mem0 on tot"]
    configs = [config("direct"), config("direct"), config("tiser"), config("tiser")]
    assert told_apart(labels, configs) == (
        "Mem0 on locomo (reader direct)",
        "BM25 on locomo",
        "Mem0 on locomo (reader tiser)",
        "Mem0 on tot",
    )


def test_several_differences_are_named_the_reader_first() -> None:
    configs = [config("direct", "a"), config("tiser", "a"), config("direct", "b")]
    assert told_apart(["Mem0 on tot"] * 3, configs) == (
        "Mem0 on tot (reader direct, llm a)",
        "Mem0 on tot (reader tiser, llm a)",
        "Mem0 on tot (reader direct, llm b)",
    )
