"""The figures that claims.yaml gives as measured are those of the released data."""

import os
import re
from collections.abc import Mapping
from functools import cache

import pytest

from remem.config.run_config import compose_config, run_config
from remem.paper.claims import MeasuredValue, read_claims
from remem.paper.layout import paper_folder
from remem.passages import dated_line, undated_line
from remem.protocols import Benchmark
from remem.types import Question

needs_data = pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")

MEASURED: Mapping[str, MeasuredValue] = {
    result.id: result.measured
    for result in read_claims(paper_folder()).results
    if result.measured is not None
}
RECOUNTED = {"full_context_tokens", "cross_session", "unanswerable"}
"""The claims with a figure, each recounted below."""


@cache
def locomo() -> Benchmark:
    """Return LoCoMo with the evidence as its annotators wrote it."""
    rule = "convention.run.evidence_rule=tolerant"
    return run_config(compose_config(["dataset=locomo", rule])).build_benchmark()


@cache
def asked() -> tuple[Question, ...]:
    benchmark = locomo()
    return tuple(
        question for each in benchmark.histories() for question in benchmark.questions(each.id)
    )


def said(claim: str) -> tuple[str, list[int]]:
    """Return the figure of a claim, and the whole numbers in the words next to it."""
    measured = MEASURED[claim]
    assert measured.value is not None
    numbers = re.findall(r"(?<![\w.])\d[\d,]*\b(?!\.\d)", measured.of)
    return measured.value, [int(number.replace(",", "")) for number in numbers]


def test_every_figure_is_recounted_and_what_is_not_measured_names_its_command() -> None:
    assert {name for name, one in MEASURED.items() if one.value is not None} == RECOUNTED
    for item in MEASURED.values():
        assert item.value is not None or re.search(r"\bremem [a-z]", item.of)


@pytest.mark.real_data
@needs_data
def test_the_questions_with_evidence_in_several_sessions_are_counted() -> None:
    # A session is what follows the D of an id; ids of no message count as well.
    sessions = [
        set(re.findall(r"D:?(\d+)", " ".join((*gold.evidence, *gold.unresolved))))
        for gold in (question.gold for question in asked())
    ]
    several = sum(len(session) > 1 for session in sessions)
    of_category_1 = sum(question.gold.category == "1" for question in asked())
    assert said("cross_session") == (
        f"{100 * several / len(asked()):.1f}%",
        [several, len(asked()), 1, of_category_1],
    )


@pytest.mark.real_data
@needs_data
def test_the_unanswerable_questions_without_an_answer_are_counted() -> None:
    fifth = [question.gold for question in asked() if question.gold.category == "5"]
    without = sum(gold.answers == ("no information available",) for gold in fifth)
    assert said("unanswerable") == (str(without), [5, len(fifth)])
    assert len(fifth) - without == 2


@pytest.mark.real_data
@needs_data
def test_the_length_of_dates_before_messages_is_measured() -> None:
    sessions = [episode for each in locomo().histories() for episode in each.episodes]
    each = sum(len(dated_line(message)) for session in sessions for message in session.messages)
    once = sum(
        len(session.messages[0].date)
        + sum(len(undated_line(message)) for message in session.messages)
        for session in sessions
    )
    assert said("full_context_tokens") == (f"{each / once:.1f} x", [])
