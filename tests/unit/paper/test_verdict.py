"""Verdicts, with z worked out by hand."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from remem.metrics.intervals import Interval
from remem.paper.layout import PaperCell, PaperTable
from remem.paper.verdict import exact_verdict, paper_error, verdict

WriteTable = Callable[..., PaperTable]

GROUP = "key: g, title: G, dataset: locomo, category: all, n: 100, metrics: {%s: %s}"


@pytest.fixture
def printed(table: WriteTable) -> Callable[..., PaperCell]:
    """Return a function that makes a printed number over 100 questions, with its `made_with`."""

    def write(number: str, made_with: str) -> PaperCell:
        made = table("t", [GROUP % ("llm_j", made_with)], ["label | g", f"A | {number}"])
        return made.cells["A", "g"]

    return write


def ours(value: float, half: float = 0.0, n: int = 100) -> Interval:
    """A number of ours whose standard error is half / 1.96."""
    return Interval(value, value - half, value + half, n, None)


def test_the_papers_error_is_half_its_interval_over_1_96(
    printed: Callable[..., PaperCell],
) -> None:
    error = paper_error(printed("50.0 -3.0 +4.84", "locomo_f1"))
    assert (round(error.error, 6), error.taken_from) == (2.0, "printed interval")


def test_a_share_without_an_interval_has_the_binomial_error(
    printed: Callable[..., PaperCell],
) -> None:
    # 100 * sqrt(0.8 * 0.2 / 100) = 4
    error = paper_error(printed("80.0", "mem0_judge"))
    assert (round(error.error, 9), error.taken_from) == (4.0, "binomial")


@pytest.mark.parametrize(
    ("value", "z", "word"),
    [
        (59.9, 1.98, "agrees"),  # 9.9 / sqrt(3^2 + 4^2) = 9.9 / 5
        (60.0, 2.0, "near"),
        (35.1, -2.98, "near"),
        (65.0, 3.0, "differs"),
        (34.0, -3.2, "differs"),
    ],
)
def test_both_errors_make_z(
    printed: Callable[..., PaperCell], value: float, z: float, word: str
) -> None:
    paper = printed("50.0 -7.84 +7.84", "locomo_f1")  # SE 4
    found = verdict(paper, ours(value, half=5.88))  # SE 3
    assert (found.word, found.z) == (word, pytest.approx(z))
    assert found.delta == pytest.approx(value - 50)


def test_the_binomial_error_counts_too(printed: Callable[..., PaperCell]) -> None:
    # delta 10, SE sqrt(3^2 + 4^2) = 5: z = 2
    found = verdict(printed("80.0", "tot_em"), ours(90.0, half=5.88))
    assert (found.word, found.z) == ("near", pytest.approx(2.0))
    assert "binomial" in found.reason


def test_one_question_has_no_error_and_so_no_verdict(printed: Callable[..., PaperCell]) -> None:
    paper = replace(printed("50.0 -1.0 +1.0", "locomo_f1"), n=1)
    found = verdict(paper, Interval(100.0, None, None, 1, None))
    assert (found.word, found.reason) == ("no verdict", "one question has no interval")
    assert (found.delta, found.z) == (50.0, None)


def test_f1_without_an_interval_leaves_our_error_alone_and_says_so(
    printed: Callable[..., PaperCell],
) -> None:
    found = verdict(printed("50.0", "locomo_f1"), ours(51.0, half=0.98))  # SE 0.5
    assert (found.word, found.z) == ("near", pytest.approx(2.0))
    assert "SE of ours only" in found.reason


def test_fewer_questions_than_the_papers_are_incomplete(
    printed: Callable[..., PaperCell],
) -> None:
    found = verdict(printed("50.0", "mem0_judge"), ours(50.0, n=99), ["model x"])
    assert (found.word, found.reason, found.z) == ("incomplete", "99/100 questions", None)


def test_other_prompts_are_not_comparable_and_keep_their_delta(
    printed: Callable[..., PaperCell],
) -> None:
    found = verdict(printed("50.0", "mem0_judge"), ours(52.0, half=1.0), ["prompts", "model x"])
    assert (found.word, found.reason, found.z) == ("not comparable", "prompts; model x", None)
    assert found.delta == pytest.approx(2.0)


@pytest.mark.parametrize(("value", "word"), [(100.04, "agrees"), (99.0, "differs")])
def test_without_any_error_rounding_alone_may_set_them_apart(
    printed: Callable[..., PaperCell], value: float, word: str
) -> None:
    assert verdict(printed("100.0", "mem0_judge"), ours(value)).word == word


@pytest.mark.parametrize(("count", "word"), [(1986, "agrees"), (1985, "differs")])
def test_a_count_agrees_if_it_is_the_printed_one(
    printed: Callable[..., PaperCell], count: int, word: str
) -> None:
    assert exact_verdict(printed("1,986", "counted"), count).word == word
