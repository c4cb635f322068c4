"""Verdicts on answers, stored next to the records."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from remem.results.verdicts import (
    JudgedCase,
    Judgment,
    mean_of_cases,
    open_judgments,
    verdicts_by_case,
)
from remem.types import Usage

FIRST = JudgedCase("q1", 0, "When?", ("May",), "in May")
AGAIN = replace(FIRST, repeat=1)
OTHER = JudgedCase("q2", 0, "Who?", ("Ann", "Anna"), "Eve")


def write(path: Path, *judgments: Judgment) -> None:
    with open_judgments(path) as log:
        for judgment in judgments:
            log.append(judgment)


def verdicts(path: Path, cases: list[JudgedCase]) -> Mapping[str, float]:
    return mean_of_cases(verdicts_by_case(path), cases)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "judgments.llm.jsonl"


def test_verdicts_are_averaged_over_the_repeats_of_a_question(path: Path) -> None:
    assert verdicts(path, [FIRST]) == {}  # the file is not there
    write(
        path,
        Judgment(FIRST, "ok", correct=True, usage=Usage(1, 5, 2)),
        Judgment(AGAIN, "ok", correct=False),
        Judgment(OTHER, "ok", correct=False),
    )
    assert verdicts(path, [FIRST, AGAIN, OTHER]) == {"q1": 0.5, "q2": 0.0}
    assert verdicts(path, [FIRST]) == {"q1": 1.0}


def test_a_verdict_may_be_a_share_from_0_to_1(path: Path) -> None:
    write(path, Judgment(FIRST, "ok", correct=0.5), Judgment(AGAIN, "ok", correct=1.0))
    assert verdicts(path, [FIRST]) == {"q1": 0.5}
    assert verdicts(path, [FIRST, AGAIN]) == {"q1": 0.75}
    assert b'"correct":true' not in path.read_bytes()
    write(path, Judgment(FIRST, "ok", correct=1.5))
    with pytest.raises(ValueError, match="not a judgment"):
        verdicts(path, [FIRST])


def test_an_error_is_no_verdict_and_is_asked_again(path: Path) -> None:
    write(path, Judgment(FIRST, "error", error="no label"), Judgment(OTHER, "ok", correct=True))
    assert verdicts(path, [FIRST, OTHER]) == {"q2": 1.0}
    with open_judgments(path) as log:
        assert log.pending([FIRST, AGAIN, OTHER]) == [FIRST, AGAIN]


@pytest.mark.parametrize(
    "changed",
    [replace(FIRST, answer="in June"), replace(FIRST, golds=("June",)), replace(FIRST, repeat=1)],
)
def test_a_verdict_holds_only_for_what_it_was_given_on(path: Path, changed: JudgedCase) -> None:
    write(path, Judgment(FIRST, "ok", correct=True))
    assert verdicts(path, [changed]) == {}
    with open_judgments(path) as log:
        assert log.pending([FIRST, changed]) == [changed]


def test_a_damaged_line_is_named(path: Path) -> None:
    path.write_bytes(b'{"case": 1}\n')
    with pytest.raises(ValueError, match=r"judgments\.llm\.jsonl:1: not a judgment .*remove"):
        verdicts(path, [FIRST])


def test_a_flipped_verdict_is_named_and_its_case_asked_again(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(path, Judgment(FIRST, "ok", correct=True), Judgment(OTHER, "ok", correct=True))
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"query_id":"q2"', b'"query_id":"q3"'))
    with pytest.raises(
        ValueError, match=r"judgments\.llm\.jsonl:2: the line changed since this run wrote it"
    ):
        verdicts(path, [FIRST, OTHER])
    with open_judgments(path) as log:
        assert log.pending([FIRST, OTHER]) == [OTHER]
    assert "line 2 changed since this run wrote it" in caplog.text
    assert verdicts(path, [FIRST, OTHER]) == {"q1": 1.0}
