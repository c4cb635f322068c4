"""Files of questions are read in every accepted format; an error names its line."""

import json
from pathlib import Path

import pytest

from remem.apps.own_log.logs.questions import read_questions
from remem.types import REFUSAL_PHRASE, Episode, History, Message, Question

MESSAGES = tuple(Message(f"m{number}", "Ann", f"text {number}") for number in (1, 2, 3))
HISTORY = History("diary", (Episode("s1", MESSAGES),))


def read(path: Path, text: str) -> list[Question]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read_questions(path, HISTORY)


TWO = [
    {"question": "Who, then?", "answer": "Ann", "category": "who", "evidence": [1, 3]},
    {"question": "Why?", "answer": ""},
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.jsonl", "\n\n".join(json.dumps(record) for record in TWO)),
        ("q.json", json.dumps(TWO, indent=1)),
        ("q.csv", 'question,answer,category,evidence\n"Who, then?",Ann,who,1 3\nWhy?,,,\n'),
        ("q.csv", "\ufeffquestion;answer;category;evidence\nWho, then?;Ann;who;1,3\n\nWhy?;;;\n"),
        ("q.tsv", "question\tanswer\tcategory\tevidence\nWho, then?\tAnn\twho\t1 3\nWhy?\t\t\t\n"),
    ],
)
def test_the_same_questions_are_read_from_each_format(tmp_path: Path, name: str, text: str) -> None:
    who, why = read(tmp_path / name, text)
    assert (who.query.text, who.gold.answers, who.gold.category) == ("Who, then?", ("Ann",), "who")
    assert (who.gold.evidence, who.gold.answerable) == (("m1", "m3"), True)
    assert (why.query.text, why.gold.answerable, why.gold.evidence) == ("Why?", False, ())


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["Ann", "Ann", "she"], ("Ann", "she")),
        ({"text": ["Ann"], "answer_start": [0]}, ("Ann",)),
        ("Ann", ("Ann",)),
        ([3.0, 2.50, 7], ("3", "2.5", "7")),
        ([], (REFUSAL_PHRASE,)),
    ],
)
def test_alternative_answers_are_a_list_or_as_squad_has_them(
    tmp_path: Path, answers: object, expected: tuple[str, ...]
) -> None:
    (found,) = read(tmp_path / "q.jsonl", json.dumps({"question": "Who?", "answers": answers}))
    assert found.gold.answers == expected


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("q.jsonl", '\n{"answer": "x"}', r"q\.jsonl:2 has no 'question', only 'answer'"),
        ("q.jsonl", '{"question": " ", "answer": "x"}', r"q\.jsonl:1 has an empty 'question'"),
        ("q.jsonl", '{"question": "Who?"}', r"q\.jsonl:1 has no 'answer', only 'question'; add"),
        ("q.jsonl", "[1]", r"q\.jsonl:1 is list, expected an object"),
        ("q.jsonl", '{"question": ', r"q\.jsonl:1"),
        (
            "q.jsonl",
            '{"question": "Who?", "answer": "Ann", "evidence": [7]}',
            r"q\.jsonl:1 names message 7 as evidence, expected 1 to 3",
        ),
        (
            "q.jsonl",
            '{"question": "Who?", "answer": "Ann", "evidence": 7}',
            "'evidence' of .* is int, expected list",
        ),
        (
            "q.jsonl",
            '{"question": "Who?", "answer": null}',
            r"q\.jsonl:1 has null as 'answer'; write \"\" for a question that should be refused",
        ),
        ("q.jsonl", '{"question": "Who?", "answers": ["x", null]}', "has null as 'answers'"),
        ("q.jsonl", '{"question": "Who?", "answer": NaN}', r"q\.jsonl:1 has the answer nan"),
        ("q.jsonl", '{"question": "Who?", "answer": true}', r"q\.jsonl:1 has the answer True"),
        ("q.jsonl", "\n", "has no questions"),
        ("q.json", '{"question": "Who?"}', "is dict, expected a list"),
        ("q.json", '[{"answer": "x"}]', r"q\.json, question 1 has no 'question'"),
        ("q.csv", 'question,answer\n"Two\nlines",x\n,y\n', r"q\.csv:4 has an empty 'question'"),
        ("q.csv", "question\nWho?\n", r"q\.csv:2 has no 'answer'"),
        ("q.csv", "question,answer\nWho, then?,Ann\n", r"q\.csv:2 has 3 cells, expected 2"),
        ("q.csv", 'question,answer\n"Who?" x,y\n', r"q\.csv:2 is not a row of CSV"),
        ("q.csv", "question,answer,evidence\nWho?,Ann,m1\n", r"'evidence' of .*q\.csv:2 has 'm1'"),
        ("q.txt", "Who?", "unknown extension; expected .*jsonl"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, name: str, text: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        read(tmp_path / name, text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such question file"):
        read_questions(tmp_path / "q.csv", HISTORY)
