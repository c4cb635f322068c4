"""The paper's worked examples: questions of the real data, as the LaTeX source prints them."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.paper.cases import Case, PaperAnswer, find_case, read_cases, text_sum
from remem.paper.layout import paper_folder
from remem.types import Gold, Query, Question

CASES = read_cases(paper_folder())
DATA = os.environ.get("REMEM_DATA")
PAPER = os.environ.get("REMEM_PAPER")
needs_data = pytest.mark.skipif(DATA is None, reason="REMEM_DATA is not set")
needs_paper = pytest.mark.skipif(PAPER is None, reason="REMEM_PAPER is not the path of remem.tex")

QUOTED = re.compile(r"``\\textit\{([^}]*)\}''")
TABLE_ROW = re.compile(r"^Q\d: (.*)$", re.MULTILINE)


def asked(query_id: str, text: str) -> Question:
    return Question(Query(query_id, "h", 0, text), Gold(("x",), "1"))


CASE = Case(
    key="K",
    place="p",
    about="a",
    dataset="d",
    id="q2",
    question=text_sum("Who is it?"),
    gold=text_sum("Ann"),
    answers=(PaperAnswer(system="S", memory="remem", reader="direct", answer="Bob", verdict="F"),),
)


def test_case_articles_spaces_and_punctuation_do_not_tell_texts_apart() -> None:
    assert text_sum("The Boat, 3June.") == text_sum("a boat 3 June")
    assert text_sum("boat") != text_sum("boats")


def test_a_question_is_found_by_its_words_and_the_id_chooses_among_several() -> None:
    same = [asked("q1", "Who is it?"), asked("q2", "who is it"), asked("q3", "Where?")]
    found = find_case(CASE, same)
    assert found is not None and found.query.id == "q2"
    unknown = find_case(replace(CASE, id=None), same)
    assert unknown is not None and unknown.query.id == "q1"
    assert find_case(CASE, same[2:]) is None


def test_the_table_the_error_analysis_and_the_comparison_with_tiser_have_their_cases() -> None:
    assert [case.key for case in CASES] == ["Q1", "Q2", "Q3", "E1", "E2", "E3", "E4", "T1", "T2"]
    verdicts = {case.key: [answer.verdict for answer in case.answers] for case in CASES}
    assert (verdicts["Q1"], verdicts["Q3"]) == (["F", "T"], ["T", "F"])


@pytest.mark.real_data
@needs_data
def test_every_case_of_locomo_has_the_id_and_the_gold_that_the_paper_prints() -> None:
    benchmark = run_config(compose_config(["dataset=locomo"])).build_benchmark()
    questions = [
        question
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    ]
    for case in CASES:
        if case.dataset == "locomo":
            found = find_case(case, questions)
            assert found is not None and found.query.id == case.id
            same = any(text_sum(answer) == case.gold for answer in found.gold.answers)
            assert same != bool(case.gold_note), case.key  # of Q1 the paper drops a word


@needs_paper
def test_the_sums_and_the_answers_are_of_what_the_latex_prints() -> None:
    text = Path(PAPER or "").read_text(encoding="utf-8")
    cells = [
        cell.strip().removesuffix("\\\\").removesuffix("\\midrule").strip().removesuffix("\\\\")
        for line in text.splitlines()
        for cell in line.split("&")
    ]
    rows = [row.split("&")[0] for row in TABLE_ROW.findall(text)]
    printed = [quote.rstrip(".,") for quote in (*QUOTED.findall(text), *rows, *cells)]
    printed.append("the Naval Academy at Mürwik; the University of Münster")  # quoted as two
    printed.append("Virginia Tech; BC Cancer Research Centre")
    sums = {text_sum(item) for item in printed}
    answers = {re.sub(r" \([TF]\)$", "", item) for item in printed}
    for case in CASES:
        assert case.question in sums and case.gold in sums, case.key
        for answer in case.answers:
            # "(later universities)" is told, and Virginia Tech printed without quotation marks
            assert answer.answer in answers or answer.answer.strip("()") in text, answer.answer
