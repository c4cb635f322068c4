"""The boards of a leaderboard: entries, ranks, fronts and history; all runs are made up."""

from collections.abc import Sequence
from dataclasses import replace

from remem.apps.referee.certificates.certificate import (
    FORMAT,
    BundleContent,
    Certificate,
    CertifiedCode,
    CertifiedCost,
    CertifiedRun,
    CertifiedScore,
    CertifiedScores,
)
from remem.apps.referee.leaderboards.leaderboard import boards, cost_of
from remem.apps.referee.leaderboards.leaderboard_entries import UNSIGNED, BoardEntry
from remem.protocols import DataFile

CHOICES = {"bootstrap_unit": "questions", "resamples": 999, "seed": 0}


def scored(values: Sequence[float], judge: str = "") -> CertifiedScore:
    mean = sum(values) / len(values)
    name, heading = ("llm_judge", "LLM-J") if judge else ("f1", "F1")
    return CertifiedScore(
        name=name,
        heading=heading,
        judge=judge,
        better="higher",
        share=True,
        mean=mean,
        low=None,
        high=None,
        n=len(values),
        clusters=None,
        values=tuple(values),
    )


def run(method: str, right: int, *, recall: float = 1.0, tokens: float = 0.0) -> CertifiedRun:
    """Return a run of 100 questions with `right` right answers."""
    spent = "tokens" if tokens else "evidence"
    return CertifiedRun(
        label=method,
        dataset="made_up",
        data=(DataFile("made_up.json", "0" * 64),),
        method=method,
        reader="extractive",
        planner="",
        ablation="none",
        llm="small" if tokens else "none",
        model="",
        embedder="hashing",
        prompts=(),
        judges=(),
        ran_on=CertifiedCode((), (), "", "", {}),
        fingerprint=f"{abs(hash(method)) % 16**12:012x}",
        settings_sum="a" * 12,
        records_sha256="1" * 64,
        started="2026-01-01",
        finished="2026-01-02",
        asked=100,
        answered=100,
        of=100,
        with_records=False,
        replayed=True,
        missing="",
        rival=None,
        other_data=False,
        other_releases=(),
        own_convention="paper",
        scorings=(
            CertifiedScores("paper", CHOICES, (scored([1.0] * right + [0.0] * (100 - right)),)),
        ),
        questions=tuple(f"q{at}" for at in range(100)),
        clusters=tuple(f"q{at}" for at in range(100)),
        costs=(cost("recall", "ms", recall), cost(spent, "tokens", tokens or 40.0)),
        index_seconds=0.0,
        index_bytes=None,
        peak_mib=0,
    )


def cost(name: str, unit: str, value: float) -> CertifiedCost:
    return CertifiedCost(name, unit, "question", value, value, value, 100, 100 * value)


def entry(file: str, *runs: CertifiedRun) -> BoardEntry:
    certificate = Certificate(
        format=FORMAT,
        certified_with="0.1.0",
        bundle=BundleContent(f"{sum(file.encode()):064x}", 1, "remem", (), 1, 0, 0),
        runs=runs,
        tables=(),
    )
    return BoardEntry(file, certificate, UNSIGNED)


def test_runs_are_ranked_with_the_best_first() -> None:
    (board,) = boards([entry("a", run("Weak", 30)), entry("b", run("Best", 90), run("Good", 88))])
    assert [(row.rank, row.system.run.method) for row in board.rows] == [
        (1, "Best"),
        (1, "Good"),
        (3, "Weak"),
    ]
    assert (board.dataset, board.convention, board.judge) == ("made_up", "paper", "")
    assert (board.tests, board.apart) == (3, 0)


def test_other_data_other_conventions_and_judges_have_boards_of_their_own() -> None:
    plain = run("Plain", 50)
    other = replace(run("Other", 50), data=(DataFile("made_up.json", "2" * 64),))
    way = plain.scorings[0]
    judged = scored([1.0] * 70 + [0.0] * 30, "judgments.a.jsonl")
    strict = replace(way, convention="strict")
    with_more = replace(plain, scorings=(replace(way, scores=(*way.scores, judged)), strict))
    found = boards([entry("a", with_more), entry("b", other)])
    assert [(board.data[0][0], board.convention, board.judge) for board in found] == [
        ("0", "paper", ""),
        ("0", "paper", "judgments.a.jsonl"),
        ("0", "strict", ""),
        ("2", "paper", ""),
    ]
    assert all(len(board.rows) == 1 for board in found)


def test_another_choice_of_a_convention_of_the_same_name_is_another_board() -> None:
    plain, other = run("Plain", 50), run("Other", 50)
    changed = replace(other.scorings[0], choices={**CHOICES, "seed": 1})
    found = boards([entry("a", plain), entry("b", replace(other, scorings=(changed,)))])
    assert len(found) == 2


def test_an_earlier_bundle_of_the_same_system_is_its_history() -> None:
    new, old = run("Mine", 60), replace(run("Mine", 40), finished="2025-06-01")
    rival = run("Rival", 50)
    (board,) = boards([entry("old", old), entry("new", new), entry("rival", rival)])
    first, second = board.rows
    assert [(row.system.run.method, row.score.mean) for row in board.rows] == [
        ("Mine", 0.6),
        ("Rival", 0.5),
    ]
    assert [(e.system.files, e.score and e.score.mean) for e in first.earlier] == [(("old",), 0.4)]
    assert second.earlier == ()


def test_a_run_of_other_settings_replaces_no_system_by_its_name() -> None:
    honest = run("BM25", 80)
    other = replace(run("BM25", 20), finished="2099-01-01", settings_sum="b" * 12)
    (board,) = boards([entry("honest", honest), entry("other", other)])
    assert [(row.system.name, row.rank, row.earlier) for row in board.rows] == [
        ("BM25 (reader extractive, hashing), settings aaaaaaaaaaaa", 1, ()),
        ("BM25 (reader extractive, hashing), settings bbbbbbbbbbbb", 2, ()),
    ]


def test_a_run_of_equal_settings_and_another_name_is_no_history() -> None:
    (board,) = boards([entry("a", run("BM25", 80)), entry("b", run("Worst ever", 80))])
    assert [row.earlier for row in board.rows] == [(), ()]


def test_a_newer_run_of_fewer_questions_replaces_no_system() -> None:
    part = replace(run("Mine", 100), asked=4, answered=4, finished="2099-01-01")
    (board,) = boards([entry("all", run("Mine", 60)), entry("part", part)])
    (row,) = board.rows
    assert row.score.mean == 0.6
    assert [before.system.files for before in row.earlier] == [("part",)]


def test_other_scores_with_the_copied_sums_of_a_run_are_not_that_run() -> None:
    (board,) = boards([entry("a", run("Mine", 10)), entry("b", run("Mine", 60))])
    (row,) = board.rows
    assert len(row.earlier) == 1


def test_a_name_has_no_invisible_characters() -> None:
    (board,) = boards([entry("a", run("BM\x1b[2J\u200b25", 10))])
    assert board.rows[0].system.name == "BM [2J 25 (reader extractive, hashing)"


def test_a_run_of_the_stub_is_named_no_result() -> None:
    stubbed = replace(run("HippoRAG 2", 10), llm="loopback-stub")
    (board,) = boards([entry("a", stubbed)])
    name = "HippoRAG 2 (reader extractive, loopback-stub: no result, hashing)"
    assert board.rows[0].system.name == name


def test_a_run_of_the_stub_is_shown_last_without_a_rank_and_compared_with_none() -> None:
    stubbed = replace(run("Stub", 100), llm="loopback-stub")
    (board,) = boards([entry("a", stubbed, run("Weak", 30), run("Best", 90))])
    shown = [(row.rank, row.system.run.method, row.fronts) for row in board.rows]
    assert [(rank, method) for rank, method, _ in shown] == [
        (1, "Best"),
        (2, "Weak"),
        (None, "Stub"),
    ]
    assert shown[-1][2] == ()
    assert board.tests == 1


def test_the_same_run_in_two_bundles_is_one_system() -> None:
    (board,) = boards([entry("a", run("Mine", 60)), entry("b", run("Mine", 60))])
    (row,) = board.rows
    assert (row.system.files, row.earlier) == (("a", "b"), ())


def test_two_runs_of_one_bundle_with_the_same_parts_are_told_apart() -> None:
    other = replace(run("Mine", 40), fingerprint="abcdefabcdef", records_sha256="2" * 64)
    (board,) = boards([entry("a", run("Mine", 60), other)])
    assert [row.earlier for row in board.rows] == [(), ()]
    assert board.rows[1].system.name.endswith(" abcdefabcdef")


def test_the_front_weighs_the_score_against_each_measure() -> None:
    """Slow is best and slowest; Quick is quickest, and beats Worse in score and in time."""
    systems = [
        run("Slow", 90, recall=9.0, tokens=500.0),
        run("Quick", 50, recall=1.0),
        run("Worse", 40, recall=2.0),
    ]
    (board,) = boards([entry("a", *systems)])
    fronts = {row.system.run.method: row.fronts for row in board.rows}
    assert fronts == {"Slow": ("recall", "tokens"), "Quick": ("recall", "tokens"), "Worse": ()}


def test_a_run_that_called_no_model_used_no_tokens_and_no_dollars() -> None:
    cases = [("recall", 3.0), ("tokens", 0.0), ("dollars", 0.0), ("answer", None)]
    for measure, value in cases:
        assert cost_of(run("Rules", 50, recall=3.0), measure) == value


def test_the_dollars_of_a_model_without_a_price_are_unknown() -> None:
    asked = run("Model", 50, tokens=500.0)
    assert (cost_of(asked, "tokens"), cost_of(asked, "dollars")) == (500.0, None)
    priced = replace(asked, costs=(replace(cost("dollars", "$", 0.5), total=20.0),))
    assert cost_of(priced, "dollars") == 0.2  # the mean of 100 questions
