"""The file of a baseline is small, holds no text, is reproducible, and is refused if damaged."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.apps.referee.gates.gate_baseline import Baseline, BaselineRun, FrozenQuestion
from remem.apps.referee.gates.gate_baseline_file import read_baseline, write_baseline
from remem.errors import UsageError

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
QUESTIONS = st.lists(
    st.builds(
        FrozenQuestion,
        id=NAMES,
        sha256=NAMES,
        category=NAMES,
        cluster=st.integers(0, 99),
        scores=st.tuples(st.none() | st.floats(0, 1)),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda question: question.id,
)


def baseline(questions: list[FrozenQuestion]) -> Baseline:
    run = BaselineRun(
        label="BM25",
        dataset="made_up",
        fingerprint="0123456789ab",
        convention={"f1": "mem0", "seed": 0},
        judge="",
        scores=("em",),
        data={"made up": "0" * 64},
        records="0" * 64,
        questions=len(questions),
    )
    return Baseline(run, tuple(questions))


ONE = FrozenQuestion("h/0", "0123456789abcdef", "1", 0, (0.5,))
TWO = FrozenQuestion("h/1", "0123456789abcdef", "2", 0, (None,))


@given(questions=QUESTIONS)
def test_a_written_baseline_is_read_back(tmp_path_factory, questions: list[FrozenQuestion]) -> None:
    path = tmp_path_factory.getbasetemp() / "baseline.jsonl"
    write_baseline(path, baseline(questions))
    assert read_baseline(path) == baseline(questions)
    first = path.read_bytes()
    write_baseline(path, read_baseline(path))
    assert path.read_bytes() == first
    assert first.isascii()


def test_a_question_is_a_line_of_about_a_hundred_bytes(tmp_path: Path) -> None:
    write_baseline(tmp_path / "b.jsonl", baseline([ONE, TWO]))
    lines = (tmp_path / "b.jsonl").read_text().splitlines()
    assert lines[1:] == [
        '{"id":"h/0","sha256":"0123456789abcdef","category":"1","cluster":0,"scores":[0.5]}',
        '{"id":"h/1","sha256":"0123456789abcdef","category":"2","cluster":0,"scores":[null]}',
    ]


@pytest.mark.parametrize(
    ("line", "change", "said"),
    [
        (1, {"id": None}, r":2 is not a line .*id is None, expected text"),
        (1, {"scores": [2.0]}, r":2 .*scores.*expected at most 1"),
        (1, {"scores": [0.5, 0.5]}, r":2 has 2 scores, expected 1 \(em\)"),
        (1, {"scores": ["0.5"]}, r":2 .*expected a number"),
        (1, {"scores": [float("nan")]}, r":2 is not a line"),
        (1, {"cluster": -1}, r":2 .*expected at least 0"),
        (1, {"id": "x" * 1001}, r":2 "),
        (2, {"id": "h/0"}, r"has question 'h/0' twice"),
        (0, {"questions": 3}, r"has 2 questions, expected 3"),
        (0, {"gate_baseline": 2}, r":1 .*gate_baseline"),
        (0, {"scores": []}, r":1 .*scores"),
    ],
)
def test_a_damaged_baseline_is_refused_with_its_line(tmp_path, line, change, said) -> None:
    path = tmp_path / "b.jsonl"
    write_baseline(path, baseline([ONE, TWO]))
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    lines[line] = {**lines[line], **change}
    path.write_text("".join(json.dumps(content) + "\n" for content in lines))
    with pytest.raises(UsageError, match=said):
        read_baseline(path)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\xff\xfe", b"[]", b'{"gate_baseline":1}', b"[" * 100_000]
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "b.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"b\.jsonl:1 is not a line of a gate's baseline"):
        read_baseline(path)


def test_a_file_of_more_than_the_largest_size_is_not_read(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "b.jsonl"
    write_baseline(path, baseline([ONE]))
    monkeypatch.setattr("remem.apps.referee.gates.gate_baseline_file.MOST_BYTES", 10)
    with pytest.raises(UsageError, match="more than 10 bytes"):
        read_baseline(path)
