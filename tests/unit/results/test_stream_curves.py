"""Scores and costs over time, compared with sums over the same records worked out here."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import pytest

from remem.config.run_config import configure
from remem.metrics.qa import token_f1
from remem.metrics.refusal import is_empty_or_phrase
from remem.results.run import Run
from remem.results.stream_curves import Curve, StreamScores, curve_rows, is_stale, stream_scores
from remem.run.checkpoint_store import read_growth, read_marked
from remem.run.experiment import run_experiment
from remem.types import REFUSAL_PHRASE


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    results = tmp_path_factory.mktemp("stream")
    config = configure(
        "dataset=generated_dialogues",
        "dataset.build.conversations=2",
        "dataset.build.sessions=7",
        "method=remem_s",
        "run.stream=session",
        "convention.score.resamples=99",
        f"paths.results={results}",
    )
    return Run.open(run_experiment(config).folder)


@pytest.fixture(scope="module")
def found(run: Run) -> StreamScores:
    return stream_scores(run)


def curve(found: StreamScores, axis: str, name: str) -> Curve:
    (one,) = [one for one in found.curves if (one.axis, one.measure.name) == (axis, name)]
    return one


def means(one: Curve) -> dict[tuple[int, int], float]:
    return {(point.low, point.high): point.interval.mean for point in one.points}


Ages = tuple[int, int]


def means_by_age(values: Iterable[tuple[Ages, float]]) -> dict[Ages, float]:
    grouped = defaultdict(list)
    for ages, value in values:
        grouped[ages].append(float(value))
    return {ages: mean(some) for ages, some in grouped.items()}


def test_refusals_before_the_evidence_are_counted_by_the_age_of_the_memory(run, found):
    refused = [
        ((mark.sessions, mark.sessions), is_empty_or_phrase(record.answer))
        for mark, record in read_marked(run.folder)
        if mark.answerable == "not yet"
    ]
    assert means(curve(found, "memory", "refused_not_yet")) == pytest.approx(means_by_age(refused))
    assert found.not_yet == len(refused)


def test_f1_is_of_answerable_questions_by_the_age_of_their_evidence(run, found):
    bins = {0: (0, 0), 1: (1, 1), 2: (2, 2), 3: (3, 4), 4: (3, 4), 5: (5, 8), 6: (5, 8)}
    scores = [
        (bins[mark.evidence_sessions], token_f1(record.answer, record.gold.answers))
        for mark, record in read_marked(run.folder)
        if mark.answerable == "yes" and mark.evidence_sessions is not None
    ]
    assert means(curve(found, "evidence", "f1")) == pytest.approx(means_by_age(scores))


def test_f1_over_the_age_of_the_memory_counts_refused_unanswerable_questions_as_right(run, found):
    scores = []
    for mark, record in read_marked(run.folder):
        if mark.answerable != "not yet":
            right = is_empty_or_phrase(record.answer)
            score = token_f1(record.answer, record.gold.answers)
            scores.append(((mark.sessions,) * 2, score if record.gold.answerable else right))
    assert means(curve(found, "memory", "f1")) == pytest.approx(means_by_age(scores))
    assert any(REFUSAL_PHRASE in record.answer for record in run.records)


def test_the_last_point_of_the_memory_is_the_score_of_the_batch_run(run, found):
    whole = run.summary.overall.means["recall_at_10"]
    last = curve(found, "memory", "recall_at_10").points[-1]
    assert whole is not None
    assert (last.low, last.interval.n) == (7, whole.n)
    assert last.interval.mean == pytest.approx(whole.mean)


def test_the_memory_grows_and_its_size_is_that_of_the_saved_index(run, found):
    sizes = [((line.sessions,) * 2, line.index_bytes) for line in read_growth(run.folder)]
    assert means(curve(found, "memory", "index_bytes")) == pytest.approx(means_by_age(sizes))


def test_a_table_has_a_row_for_each_age_and_a_dash_where_nothing_was_measured(found):
    curves = [curve(found, "memory", name) for name in ("f1", "refused_not_yet")]
    rows = list(curve_rows(curves))
    assert [row.ages for row in rows] == ["1", "2", "3", "4", "5", "6", "7"]
    assert rows[-1].cells[1] == "-"  # at the end no question is too early


def test_a_batch_run_has_no_curves(tmp_path: Path):
    small = ("dataset.build.conversations=1", "dataset.build.sessions=1", "run.limit=1")
    config = configure("method=bm25_messages", *small, f"paths.results={tmp_path}")
    batch = Run.open(run_experiment(config).folder)
    with pytest.raises(FileNotFoundError, match=r"only runs with run\.stream=session"):
        stream_scores(batch)


@pytest.mark.parametrize(
    ("answer", "stale"),
    [
        ("Dunmere", True),
        ("in dunmere, I think", True),
        ("Eastholm", False),
        ("from Dunmere to Eastholm", False),
        ("Alderbay", False),
        (REFUSAL_PHRASE, False),
    ],
)
def test_an_answer_is_stale_if_it_names_only_what_was_right_before(answer, stale):
    assert is_stale(answer, ["Eastholm"], ["Dunmere", "Brackwater"]) is stale


def test_stale_answers_are_counted_among_questions_whose_fact_has_changed(tmp_path: Path):
    config = configure(
        "dataset=generated_updates",
        "dataset.build.conversations=3",
        "dataset.build.sessions=8",
        "method=bm25_messages",
        "reader=typed",
        "run.stream=session",
        "convention.score.resamples=99",
        f"paths.results={tmp_path}",
    )
    run = Run.open(run_experiment(config).folder)
    found = stream_scores(run)
    expected = means_by_age(
        ((mark.sessions,) * 2, is_stale(record.answer, record.gold.answers, mark.outdated))
        for mark, record in read_marked(run.folder)
        if mark.outdated and mark.answerable == "yes"
    )
    assert means(curve(found, "memory", "stale")) == pytest.approx(expected)
    assert 0 < mean(expected.values()) < 1
    assert found.with_updates > 0
