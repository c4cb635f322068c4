"""Questions that one of two runs alone has right are counted both ways and drawn with a seed."""

from dataclasses import replace
from pathlib import Path

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.reports.html.diff import HeadToHead, for_terminal, meet
from remem.reports.terminal.console import table_console
from remem.results.conventions import score_sets
from remem.results.run import Run
from remem.run.run_manifest import RunManifest
from remem.types import Gold, Record, Retrieved

(CONVENTION,) = score_sets(["paper,bootstrap_unit=questions,resamples=9"]).values()
DATA = ("dataset=generated_dialogues", "reader=extractive")
CONFIG = run_config(compose_config([*DATA, "method=bm25_messages"]))
OTHER = run_config(compose_config([*DATA, "method=bm25_messages", "method.build.top_k=5"]))


def run_of(
    answers: str, *, seed: int = 0, found: tuple[str, ...] = (), config: RunConfig = CONFIG
) -> Run:
    """Make a run of a question for each letter: r is answered right, w wrong, e ends in an error.

    The questions are of categories 1 and 2 in turn, their gold evidence are m1 and m2.
    """
    records = tuple(
        Record(
            *(f"q{at}", "h", at, f"What {at}?"),
            Gold(("red",), str(1 + at % 2), evidence=("m1", "m2")),
            "error" if letter == "e" else "ok",
            answer={"r": "red", "w": "\x1b[2Jblue", "e": ""}[letter],
            retrieved=tuple(Retrieved(f"p{item}", (item,)) for item in found),
        )
        for at, letter in enumerate(answers)
    )
    scoring = replace(CONVENTION, seed=seed)
    return Run(Path("x"), config, RunManifest(), records, scoring=scoring)


def met(first: str, second: str, sampled: int = 9, seed: int = 0) -> HeadToHead:
    return meet(
        run_of(first, seed=seed), run_of(second), score="em", category=None, sampled=sampled
    )


def counts(found: HeadToHead) -> dict[str, tuple[int, int, int]]:
    return {name: (found.asked[name], row.first, row.second) for name, row in found.rows.items()}


def printed(found: HeadToHead) -> str:
    console = table_console()
    with console.capture() as said:
        console.print(for_terminal(found))
    return said.get()


def test_both_ways_are_counted_by_category_over_what_both_answered() -> None:
    found = met("rrrwwre", "wwrrwer")
    # q0 is of category 1, q1 of 2, and so on; q5 and q6 ended in an error in one run
    assert counts(found) == {"1": (3, 1, 0), "2": (2, 1, 1), "all": (5, 2, 1)}
    assert [(item.first.query_id, item.better) for item in found.sample] == [
        ("q0", "first"),
        ("q1", "first"),
        ("q3", "second"),
    ]


def test_a_category_is_met_alone() -> None:
    found = meet(run_of("rr"), run_of("ww"), score="em", category="2", sampled=9)
    assert counts(found) == {"2": (1, 1, 0), "all": (1, 1, 0)}


def test_so_many_are_drawn_of_each_kind_the_same_with_the_same_seed() -> None:
    first, second = "r" * 20 + "w" * 20, "w" * 20 + "r" * 20
    drawn = [item.first.index for item in met(first, second, 3).sample]
    assert len(drawn) == 6 and max(drawn[:3]) < 20 <= min(drawn[3:])
    assert drawn == [item.first.index for item in met(first, second, 3).sample]
    assert drawn[:3] == sorted(drawn[:3])
    others = {
        tuple(item.first.index for item in met(first, second, 3, at).sample) for at in range(9)
    }
    assert len(others) > 1


def test_runs_that_agree_have_nothing_to_draw() -> None:
    found = met("rrw", "rrw")
    assert (found.sample, counts(found)) == ((), {})
    assert printed(found).count(" 0 ") >= 3  # a row of zeros for each category and for all


def test_a_question_is_shown_with_gold_answers_and_the_evidence_of_each() -> None:
    runs = run_of("r", found=("m2", "m9")), run_of("w", config=OTHER)
    said = printed(meet(*runs, score="em", category=None, sampled=1))
    assert "BM25 with top_k=10: reader extractive, llm none" in said
    assert "only BM25 with top_k=10 right: q0, category 1" in said
    assert "  question: What 0?\n  gold: red\n  BM25 with top_k=10: red\n" in said.replace(
        " \n", "\n"
    )
    assert "evidence found: 1 of 2: m2" in said and "evidence found: 0 of 2" in said
    assert "BM25 with top_k=5: [2Jblue" in said and "\x1b" not in said
    assert "diverged: other evidence" in said


def test_what_has_no_gold_evidence_says_so() -> None:
    first, second = run_of("r"), run_of("w")
    bare = [
        replace(run, records=(replace(run.records[0], gold=Gold(("red",), "1")),))
        for run in (first, second)
    ]
    found = meet(*bare, score="em", category=None, sampled=1)
    assert "no gold evidence is known" in printed(found)


@pytest.mark.parametrize(("score", "heading"), [("f1", "F1"), ("bleu1", "BLEU-1")])
def test_graded_scores_are_right_from_one_half(score: str, heading: str) -> None:
    found = meet(run_of("r"), run_of("w"), score=score, category=None, sampled=1)
    assert counts(found)["all"] == (1, 1, 0)
    assert f"right is {heading} of 0.5 or more" in printed(found)
