"""`remem referee gate` freezes a run, compares another run, and has its own exit codes."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import Result

from remem.apps.referee.gates.gate import GateFailedError
from remem.apps.referee.gates.gate_baseline import FailedQuestionsError
from remem.config.error_messages import ending
from remem.errors import UsageError, VerificationFailedError
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.types import Gold, Record

Ask = Callable[..., Result]
MakeRun = Callable[..., Path]
PAGE = Path(__file__).parents[3] / "docs" / "apps" / "referee" / "gate.md"
HOSTILE = "a | b</testcase>\x1b[2J\x00 [x](http://evil) ![y](z) <script> \u202e]]>"


def records(wrong: Sequence[int] = (), category: str = "1", total: int = 40) -> list[Record]:
    return [
        Record(
            query_id=f"h/{at}",
            history_id="h",
            index=at,
            question=f"secret question {at}?",
            gold=Gold(("red",), category),
            status="ok",
            answer="blue" if at in wrong else "red",
        )
        for at in range(total)
    ]


@pytest.fixture
def before(make_run: MakeRun) -> Path:
    return make_run(records())


@pytest.fixture
def baseline(ask: Ask, before: Path, tmp_path: Path) -> Path:
    file = tmp_path / "baseline.jsonl"
    assert ask("referee", "gate", before, "--freeze", file, "--score", "em").exit_code == 0
    return file


def test_freezing_says_what_a_gate_will_find_and_writes_no_text(
    ask: Ask, before: Path, tmp_path: Path
) -> None:
    file = tmp_path / "frozen.jsonl"
    said = ask("referee", "gate", before, "--freeze", file, "--score", "em", "--score", "f1").output
    assert said.startswith("em, f1: 40 questions\n")
    # an error of sqrt(.15 / 40) = 6.12 points; quantiles 1.685 and 1.304 of 39 degrees;
    # passes with the probability of 4 / 6.12 - 1.685 = -1.03
    assert "if 15% of questions differ: power: an unchanged memory passes in 15%" in said
    assert "with a margin of 18.3 an unchanged memory passes in 90%" in said
    content = file.read_text("utf-8")
    assert "secret" not in content and "red" not in content
    assert len(content.splitlines()) == 41


def test_a_worse_run_fails_with_code_6_and_writes_all_files(
    ask: Ask, baseline: Path, make_run: MakeRun, tmp_path: Path
) -> None:
    worse = make_run(records(range(10), HOSTILE), "method=remem_s")
    # the category belongs to the checksum, so the baseline has it too
    frozen = make_run(records((), HOSTILE), "method=no_memory")
    junit, summary = tmp_path / "gate.xml", tmp_path / "gate.md"
    found = ask(
        *("referee", "gate", worse, "--baseline", frozen, "--score", "em"),
        *("--junit", junit, "--summary", summary),
    )
    assert isinstance(found.exception, GateFailedError)
    assert ending(found.exception).code == 6
    assert "EM: -25.0 points" in found.output and "\x1b" not in found.output
    suites = ElementTree.parse(junit).getroot()
    assert suites.attrib == {"tests": "2", "failures": "2", "errors": "0"}
    whole, category = suites.iter("testcase")
    assert (whole.get("classname"), whole.get("name")) == ("gate.em", "all questions")
    assert whole.find("failure").get("message").startswith("EM: -25.0 points, at least -3")
    assert category.get("name").startswith("category a | b</testcase> [2J [x](http://evil)")
    written = summary.read_text("utf-8")
    assert written.startswith("## Memory gate: failed\n")
    assert r"a \| b&lt;/testcase&gt;" in written
    assert r"\[x\](http://evil) !\[y\](z) &lt;script&gt;" in written
    for text in (junit.read_text("utf-8"), written):
        assert "secret" not in text and "\x1b" not in text and "\u202e" not in text


def test_the_result_is_one_json_object(ask: Ask, baseline: Path, make_run: MakeRun) -> None:
    worse = make_run(records(range(10)), "method=remem_s")
    found = ask("referee", "gate", worse, "--baseline", baseline, "--json")
    assert isinstance(found.exception, GateFailedError)
    said = json.loads(found.stdout)
    assert (said["command"], said["passed"]) == ("referee gate", False)
    (score,) = said["gate"]["scores"]
    assert (score["verdict"], score["worse"]) == ("worse", 10)
    assert score["bounds"]["mean"] == -0.25
    assert said["gate"]["margin"] == 0.04


def test_failed_questions_end_with_code_3_and_a_junit_error(
    ask: Ask, baseline: Path, make_run: MakeRun, tmp_path: Path
) -> None:
    some = records()
    some[4] = replace(some[4], status="error", answer="", error="timeout")
    run = make_run(some, "method=remem_s")
    junit, summary = tmp_path / "gate.xml", tmp_path / "gate.md"
    options = ("--junit", junit, "--summary", summary)
    found = ask("referee", "gate", run, "--baseline", baseline, *options)
    assert isinstance(found.exception, FailedQuestionsError)
    assert ending(found.exception).code == 3
    (case,) = ElementTree.parse(junit).getroot().iter("testcase")
    assert "1 of 40 questions failed (first: 'h/4')" in case.find("error").get("message")
    assert summary.read_text().startswith("## Memory gate: no decision\n")
    refused = ask("referee", "gate", run, "--freeze", tmp_path / "no.jsonl")
    assert isinstance(refused.exception, FailedQuestionsError)
    assert not (tmp_path / "no.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give --baseline FILE"),
        (("--freeze", "b", "--json"), "--freeze only writes a baseline"),
        (("--freeze", "b", "--score", "refused"), "neither better nor worse"),
        (("--freeze", "b", "--score", "context_tokens"), "context_tokens is a count"),
        (
            ("--freeze", "b", "--score", "recall_at_10"),
            "no question of .* has a value for recall_at_10",
        ),
        (("--freeze", "b", "--score", "llm_judge"), "no question of .* has a value for llm_judge"),
        (("--freeze", "b", "--score", "emm"), "unknown score 'emm'"),
    ],
)
def test_what_makes_no_sense_is_refused(ask: Ask, before: Path, tmp_path, options, said) -> None:
    placed = [tmp_path / "b" if word == "b" else word for word in options]
    found = ask("referee", "gate", before, *placed)
    assert isinstance(found.exception, UsageError)
    with pytest.raises(UsageError, match=said):
        raise found.exception
    assert not (tmp_path / "b").exists()


def test_scores_and_margin_are_checked_against_the_baseline(
    ask: Ask, before: Path, baseline: Path
) -> None:
    found = ask("referee", "gate", before, "--baseline", baseline, "--score", "f1")
    assert "the baseline has no score 'f1'; choose em, or freeze a new baseline" in str(
        found.exception
    )
    found = ask("referee", "gate", before, "--baseline", baseline, "--margin", "0")
    assert "the margin is 0 points" in str(found.exception)


def judge(folder: Path, found: Sequence[Record], correct: bool | float, name: str) -> None:
    with open_judgments(folder / f"judgments.{name}.jsonl") as log:
        for case in cases_of(found, "by_category", 1):
            log.append(Judgment(case, "ok", correct=correct))


def test_verdicts_of_the_same_judge_are_compared(
    ask: Ask, before: Path, make_run: MakeRun, tmp_path: Path
) -> None:
    file = tmp_path / "judged.jsonl"
    judge(before, records(), True, "llm-0123456789ab")
    assert ask("referee", "gate", before, "--freeze", file).exit_code == 0
    assert '"scores":["llm_judge"]' in file.read_text()
    now = make_run(records(), "method=remem_s")
    judge(now, records(), True, "another-0123456789ab")
    unjudged = ask("referee", "gate", now, "--baseline", file)
    assert "the judge of the baseline" in str(unjudged.exception)
    judge(now, records(), 0.5, "llm-0123456789ab")
    found = ask("referee", "gate", now, "--baseline", file)
    assert isinstance(found.exception, VerificationFailedError)
    assert "the verdicts of the judge have changed; use those of the" in str(found.exception)
    other = make_run(records([0]), "method=no_memory")
    judge(other, records([0]), 0.5, "llm-0123456789ab")
    found = ask("referee", "gate", other, "--baseline", file)
    assert isinstance(found.exception, GateFailedError)
    assert "LLM-J: -50.0 points" in found.output


def test_a_baseline_with_better_scores_than_its_records_have_is_refused(
    ask: Ask, make_run: MakeRun, tmp_path: Path
) -> None:
    run, file = make_run(records(range(30))), tmp_path / "edited.jsonl"
    assert ask("referee", "gate", run, "--freeze", file, "--score", "em").exit_code == 0
    file.write_text(file.read_text().replace('"scores":[0.0]', '"scores":[1.0]'))
    found = ask("referee", "gate", run, "--baseline", file, "--junit", tmp_path / "gate.xml")
    assert isinstance(found.exception, VerificationFailedError)
    assert ending(found.exception).code == 5
    assert "a different em in 30 of 40 questions (first: 'h/0')" in str(found.exception)
    assert 'errors="1"' in (tmp_path / "gate.xml").read_text()


@pytest.mark.slow
def test_the_example_of_the_page_prints_what_the_page_shows(
    tmp_path: Path, remem: Callable[..., Any]
) -> None:
    def printed(*words: str, code: int = 0) -> str:
        done = remem(tmp_path, *words)
        assert done.code == code, done.err
        return str(done.out)

    blocks = re.findall(
        r"^```console\n(\$ .*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    lines = [line for block in blocks for line in block.splitlines()]
    shown = [line for line in lines if not line.startswith(("$ ", "..."))]
    assert len(blocks) == 3 and len(shown) >= 9
    assert [line for line in lines if line.startswith("$ ")] == [
        "$ remem referee gate RUN --baseline baseline.jsonl",
        "$ remem run method=bm25_messages method.build.top_k=2",
        "$ remem referee gate NEW_RUN --baseline baseline.jsonl",
        "$ remem referee gate RUN --freeze baseline.jsonl --score f1 --score recall_at_10",
    ]
    run, baseline = ("run", "method=bm25_messages"), ("--baseline", "baseline.jsonl")
    before = printed(*run).splitlines()[-1]
    freeze = ("--freeze", "baseline.jsonl", "--score", "f1", "--score", "recall_at_10")
    said = printed("referee", "gate", before, *freeze)
    said += printed("referee", "gate", before, *baseline)
    now = printed(*run, "method.build.top_k=2").splitlines()[-1]
    said += printed("referee", "gate", now, *baseline, code=6)
    assert [line for line in shown if line not in said.splitlines()] == []
