"""The published answers in REMEM_DATA match what docs/apps/referee/imports.md says of them."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import pytest

from remem.apps.referee.audits.audited import audit_systems, find
from remem.apps.referee.imports.census import census
from remem.apps.referee.imports.formats import read_answers
from remem.apps.referee.imports.importing import read_matched
from remem.apps.referee.imports.known_questions import DataSets, KnownQuestions
from remem.apps.referee.imports.mapped_answers import REPEATED
from remem.apps.referee.imports.matched import MatchedAnswers
from remem.apps.referee.imports.system_ranking import rankings
from remem.apps.referee.judges.judge_calibration import corrected_rows, error_rows
from remem.apps.referee.judges.judge_rankings import ranking, scores_by
from remem.apps.referee.judges.judged_answers import JudgedAnswer, JudgeRule, system_name
from remem.apps.referee.judges.runs_sheet import read_runs_sheet
from remem.judge.rules_judge import RulesJudge

LABELS = Path(__file__).parents[4] / "docs" / "apps" / "referee" / "judge_labels"
ANSWERS = Path(os.environ.get("REMEM_DATA", "datasets")) / "answers"

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.slow,
    pytest.mark.skipif(not ANSWERS.is_dir(), reason="REMEM_DATA has no published answers"),
]


@pytest.fixture(scope="module")
def runs() -> Sequence[MatchedAnswers]:
    """The published answers of 17 systems, read once."""
    arena = sorted((ANSWERS / "memory_arena").glob("longmemeval-s_*.json"))
    return read_matched([*arena, *(ANSWERS / "agent_memory_benchmark").glob("*.json.gz")])


def test_every_answer_has_its_question_in_the_data_set(runs: Sequence[MatchedAnswers]) -> None:
    assert len(runs) == 37
    assert sum(len(run.answers) for run in runs) == 724
    assert all(answer.of_data_set for run in runs for answer in run.answers)
    assert sum(census(run).counts["right"] for run in runs) == 219 + 122


def test_the_checks_find_what_the_page_says(runs: Sequence[MatchedAnswers]) -> None:
    found = {finding.check: finding for finding in find(runs, rankings(runs))}
    assert "x 0.80 if sources_pass is false (572 answers)" in found["formula"].text
    assert "x 0.50 if temporal_correct is false (134 answers)" in found["formula"].text
    assert found["right answers with half the score"].count == 7
    assert found["present day"].text.endswith("'temporal': 19 of 20")
    assert found["contexts without dates"].count == 152
    assert "leaked gold answers" not in found


def test_most_of_the_sixteen_systems_cannot_be_told_apart(runs: Sequence[MatchedAnswers]) -> None:
    (ranking,) = rankings(runs)
    assert [system.system for system in ranking.systems[:3]] == ["mem0g", "mem0", "persona_profile"]
    assert (sum(pair.told_apart for pair in ranking.pairs), len(ranking.pairs)) == (8, 120)


@pytest.fixture(scope="module")
def locomo() -> KnownQuestions:
    """The questions of LoCoMo."""
    (known,) = DataSets().of("locomo")
    return known


@pytest.mark.parametrize("form", ["mem0", "zep"])
def test_a_file_by_conversation_finds_the_questions_of_locomo_by_their_words(
    tmp_path: Path, locomo: KnownQuestions, form: str
) -> None:
    numbers = {history.id: number for number, history in enumerate(locomo.histories)}
    listed: dict[str, list[dict[str, str]]] = {}
    for question in locomo.questions:
        number = numbers[question.query.history_id]
        key = str(number) if form == "mem0" else f"locomo_experiment_user_{number}"
        said = {"question": question.query.text, "category": question.gold.category}
        gold = question.gold.answers[0]
        golds = {"answer": gold, "response": gold} if form == "mem0" else {"golden_answer": gold}
        listed.setdefault(key, []).append({"answer": gold, **said, **golds})
    path = tmp_path / "made_up.json"
    path.write_text(json.dumps(listed), encoding="utf-8")
    (imported,) = read_answers(path)
    assert imported.format == form
    taken: list[str] = []
    for answer in imported.answers:
        found = locomo.find(answer, taken)
        taken.append("" if found is None else found.query.id)
    assert taken == [question.query.id for question in locomo.questions]


READ = {
    "a40_labs/locomo_*": (600, 600, 265, None),
    "a40_labs/longmemeval*": (1_424, 1_424, 652, None),
    "backboard/*": (2_370, 1_185, 1_065, 0.8987),
    "locomo_audit/*": (6_160, 6_160, 5_067, 0.8219),
    "zep/*": (3_080, 3_080, 1_157, None),
}
"""By files: rows, answers, those that their verdict calls right, and the published mean."""


@pytest.mark.parametrize(("files", "read"), READ.items())
def test_every_row_of_other_files_is_an_answer_or_left_out_by_name(
    files: str, read: tuple[int, int, int, float | None]
) -> None:
    matched = read_matched(sorted(ANSWERS.glob(files)))
    rows = sum(run.account.arrived for run in matched)
    judged = [verdict for run in matched for verdict in _verdicts(run)]
    answers = sum(len(run.answers) for run in matched)
    assert (rows, answers, sum(verdict >= 0.5 for verdict in judged)) == read[:3]
    stated = [mean for each in audit_systems(matched).systems for mean in each.means]
    assert {mean.outcome for mean in stated} <= {"follows"}
    assert bool(stated) == (read[3] is not None)
    if read[3]:
        assert fmean(judged) == pytest.approx(read[3], abs=5e-5)
    for run in matched:
        assert {remark.what for remark in run.account.left_out} <= {REPEATED}


def _verdicts(run: MatchedAnswers) -> list[float]:
    judge = run.imported.main
    return [
        answer.answer.verdicts[judge] for answer in run.answers if judge in answer.answer.verdicts
    ]


def test_a_published_file_without_answers_is_refused_by_its_keys() -> None:
    with pytest.raises(ValueError, match=r"has the keys 'snapshot_id'.*none of the known formats"):
        read_answers(ANSWERS / "memory_arena" / "manifest.json")


@pytest.fixture(scope="module")
def judged(runs: Sequence[MatchedAnswers]) -> Sequence[JudgedAnswer]:
    """The answers of the 17 systems with their published verdicts, and those of judge=rules."""
    rules = RulesJudge(least_recall=0.5)  # as in conf/judge/rules.yaml
    found = []
    for run in runs:
        name = f"{run.imported.label}, {run.imported.format}"
        for matched, record in zip(run.answers, run.records, strict=True):
            golds = record.gold.answers
            verdict, _ = rules.judge(record.question, golds, record.answer)
            verdicts = {judge: (given,) for judge, given in matched.answer.verdicts.items()}
            judges = {**verdicts, "rules": (float(verdict),)}
            content = (record.question, *golds, record.answer)
            parts = (record.query_id, record.gold.category, content, judges)
            found.append(JudgedAnswer(name, system_name(name), *parts))
    return found


OF_SOURCE = {"longmemeval": "memory-arena", "locomo": "agent-memory-benchmark"}


@pytest.mark.parametrize(
    ("labels", "judge", "of_right", "of_wrong", "accepted", "corrected"),
    [
        ("longmemeval", "claude-opus-4-7", "32 of 32", "10 of 78", 38.3, 29.2),
        ("longmemeval", "rules", "23 of 32", "9 of 78", 29.0, 29.0),
        ("locomo", "gemini-2.5-flash-lite", "29 of 29", "2 of 11", 80.3, 75.9),
        ("locomo", "rules", "23 of 29", "1 of 11", 68.4, 84.5),
    ],
)
def test_judges_err_as_often_as_the_page_says(
    judged: Sequence[JudgedAnswer],
    labels: str,
    judge: str,
    of_right: str,
    of_wrong: str,
    accepted: float,
    corrected: float,
) -> None:
    answers = [answer for answer in judged if answer.run.endswith(OF_SOURCE[labels])]
    right = read_runs_sheet(LABELS / f"{labels}.csv", answers)
    error = error_rows(answers, right, [JudgeRule(judge)])[0].error
    assert f"{error.accepted_right} of {error.right}" == of_right
    assert f"{error.accepted_wrong} of {error.wrong}" == of_wrong
    (row,) = corrected_rows(answers, right, [JudgeRule(judge)])
    assert round(100 * row.accepted / row.n, 1) == accepted
    assert row.rogan_gladen is not None
    assert round(100 * row.rogan_gladen.mean, 1) == corrected


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        (JudgeRule("accuracy", None), "mem0g"),
        (JudgeRule("claude-opus-4-7"), "naive_vector"),
        (JudgeRule("claude-opus-4-7", 0.8), "mem0g"),
        (JudgeRule("rules"), "mem0g"),
    ],
)
def test_the_first_place_depends_on_the_judge_and_the_last_two_do_not(
    judged: Sequence[JudgedAnswer], rule: JudgeRule, first: str
) -> None:
    answers = [answer for answer in judged if answer.run.endswith(OF_SOURCE["longmemeval"])]
    systems = ranking(rule.name, answers, scores_by(rule, answers)).systems
    names = [row.system.partition(",")[0] for row in systems]
    assert (len(names), names[0]) == (16, first)
    assert {*names[-2:]} == {"memori", "recency_window"}
