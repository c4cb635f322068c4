"""The names of two runs distinguish them by the settings that a person chose."""

import pytest

from remem.results.run import Run
from remem.results.run_names import run_names
from remem.types import Gold, Record

ANSWERED = Record("q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("method=bm25_messages", "method=remem_s", ("BM25", "REMem-S")),
        ("", "method.build.top_k=5", ("BM25 with top_k=10", "BM25 with top_k=5")),
        (  # the reader has settings of its own, which its name stands for
            "reader=extractive method.build.top_k=3",
            "reader=always_refuse",
            ("BM25 with reader=extractive, top_k=3", "BM25 with reader=always_refuse, top_k=10"),
        ),
        (
            "",
            "reader.build.refusal_threshold=0.5",
            ("BM25 with refusal_threshold=0.35", "BM25 with refusal_threshold=0.5"),
        ),
    ],
)
def test_labels_name_runs_and_settings_tell_equal_labels_apart(
    make_run, first: str, second: str, names: tuple[str, str]
) -> None:
    runs = [
        Run.open(make_run([ANSWERED], "method=bm25_messages", *chosen.split()))
        for chosen in (first, second)
    ]
    assert run_names(*runs) == names


def test_an_ablation_is_named_once_for_all_that_it_changes(make_run) -> None:
    whole, bare = (
        Run.open(make_run([ANSWERED], "method=remem_s", *chosen))
        for chosen in ((), ("ablation=no_facts",))
    )
    assert run_names(whole, bare) == (
        "REMem-S with ablation=none",
        "REMem-S with ablation=no_facts",
    )


def test_a_run_beside_itself_has_two_names(make_run) -> None:
    run = Run.open(make_run([ANSWERED], "method=bm25_messages"))
    assert run_names(run, run) == ("BM25 (A)", "BM25 (B)")
