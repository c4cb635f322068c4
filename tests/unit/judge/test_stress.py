"""Generated wrong answers are wrong, of the stated kind, and seeded; errors are not verdicts."""

from collections import Counter
from collections.abc import Sequence

from remem.errors import ModelUnavailableError
from remem.judge.stress import SPECIFIC, VAGUE, MadeAnswer, right_answers, stress, wrong_answers
from remem.metrics.intervals import share
from remem.metrics.qa import token_f1
from remem.reports.terminal.judge_tables import show_stress
from remem.types import Gold, Query, Question, Usage


def asked(*golds: str, answerable: bool = True) -> list[Question]:
    return [
        Question(
            Query(f"q{at}", "h", at, f"What did Ann of Rome, not Bob, do in case {at}?"),
            Gold((gold,), "1", answerable=answerable),
        )
        for at, gold in enumerate(golds)
    ]


QUESTIONS = asked("8 May 2023", "on 3 June 2022", "May 2023", "2 dogs", "4 dogs", "with Eve", "Eve")


def made(kind: str, questions: Sequence[Question] = QUESTIONS) -> list[MadeAnswer]:
    return [
        wrong_answer
        for wrong_answer in wrong_answers(questions, 50, seed=1)
        if wrong_answer.kind == kind
    ]


def test_a_date_is_replaced_by_one_that_shares_no_day_with_it() -> None:
    found = {item.golds[0]: item.answer for item in made("date")}
    assert found == {
        "8 May 2023": "3 June 2022",  # never May 2023, which holds the day
        "May 2023": "3 June 2022",
        "on 3 June 2022": found["on 3 June 2022"],
    }
    assert found["on 3 June 2022"] in ("on 8 May 2023", "on May 2023")


def test_a_number_and_a_name_are_replaced_and_the_rest_stays() -> None:
    assert {item.golds[0]: item.answer for item in made("number")} == {
        "2 dogs": "4 dogs",
        "4 dogs": "2 dogs",
    }
    names = {item.golds[0]: item.answer for item in made("name")}
    assert set(names) == {"with Eve", "Eve"}
    assert names["Eve"] in ("Ann", "Rome", "Bob")
    assert names["with Eve"] in ("with Ann", "with Rome", "with Bob")


def test_a_count_is_not_replaced_by_a_year_nor_a_part_by_its_like() -> None:
    assert made("number", asked("2 dogs", "1999", "2 cats")) == []
    assert made("name", asked("Ann", "Ann and Bob of Rome")) == [
        MadeAnswer(item.question, item.golds, item.answer, "name")
        for item in made("name", asked("Ann"))
    ]


def test_vague_answers_name_nothing_or_repeat_the_question() -> None:
    assert len(made("generic")) == len(made("topical")) == len(QUESTIONS)
    assert all(token_f1(item.answer, item.golds) == 0 for item in made("generic"))
    assert all(item.question in item.answer for item in made("topical"))


def test_the_unanswerable_are_left_out_and_no_kind_exceeds_its_number() -> None:
    assert wrong_answers(asked("8 May 2023", answerable=False), 9, seed=0) == []
    counts = Counter(wrong_answer.kind for wrong_answer in wrong_answers(QUESTIONS, 2, seed=0))
    assert counts == dict.fromkeys((*SPECIFIC, *VAGUE), 2)


def test_right_answers_say_the_gold_in_other_words() -> None:
    found = right_answers(QUESTIONS, 50, seed=1)
    of = {(item.golds[0], item.kind): item.answer for item in found}
    assert of["2 dogs", "gold"] == "2 dogs"
    assert of["2 dogs", "sentence"] == "From what was said, the answer is: 2 dogs."
    assert of["on 3 June 2022", "other_date"] == "on 2022-06-03"
    assert ("May 2023", "other_date") not in of  # a month is no complete date
    assert ("2 dogs", "other_date") not in of
    assert right_answers(asked("2 dogs", answerable=False), 9, seed=0) == []
    counts = Counter(item.kind for item in right_answers(QUESTIONS, 1, seed=0))
    assert counts == {"gold": 1, "sentence": 1, "other_date": 1}


def test_the_seed_decides() -> None:
    assert wrong_answers(QUESTIONS, 3, seed=5) == wrong_answers(QUESTIONS, 3, seed=5)
    assert wrong_answers(QUESTIONS, 3, seed=5) != wrong_answers(QUESTIONS, 3, seed=6)


class Topical:
    """Accepts answers that repeat the question, and fails on those with the year 2022."""

    def judge(self, question: str, golds: Sequence[str], answer: str) -> tuple[bool, Usage]:
        if "2022" in answer:
            raise ModelUnavailableError("no label")
        return question in answer, Usage(1, 10, 1)


def test_the_false_accept_rate_is_told_by_kind_and_errors_are_no_part_of_it() -> None:
    answers = wrong_answers(QUESTIONS, 50, seed=1)
    result = stress(Topical(), answers, workers=3)
    assert result.accepted["topical"] == share(7, 7)
    assert result.accepted["generic"] == share(0, 7)
    assert result.accepted["number"] == share(0, 2)
    assert result.errors == sum("2022" in answer.answer for answer in answers) >= 2
    assert result.usage.calls == len(answers) - result.errors
    table = show_stress(result)
    titles = [str(cell) for cell in table.columns[0].cells]
    assert titles[0] == "wrong: specific"
    assert titles[-3:] == ["wrong: vague", "  generic", "  topical"]
    assert list(table.columns[2].cells)[-3:] == ["7", "0", "7"]
