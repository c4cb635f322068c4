"""Small multiples: the most varied key is the axis, the others are the panels."""

from pathlib import Path

from remem.cli.hydra_entry import run_one
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.metrics.intervals import Interval
from remem.reports.html.small_multiples import Point, multiples, read_points, varied
from remem.run.sweep_jobs import Job


def point(f1: float, **choices: str) -> Point:
    return Point(choices, "locomo", {"f1": Interval(f1, f1, f1, 10, None)})


POINTS = [
    point(0.2, method="a", k="5", same="x"),
    point(0.4, method="a", k="10", same="x"),
    point(0.6, method="a", k="15", same="x"),
    point(0.3, method="b", k="5", same="x"),
    point(0.5, method="b", k="10", same="x"),
    point(0.7, method="b", k="15", same="x"),
]


def test_only_what_differs_counts_and_the_most_varied_key_is_the_axis() -> None:
    assert varied(POINTS) == ["k", "method"]


def test_numbers_are_points_along_an_axis_in_a_panel_for_each_other_choice() -> None:
    first, second = multiples(POINTS)
    assert (first.title, first.kind, first.across) == ("f1 · method=a", "points", "k")
    assert second.title == "f1 · method=b"
    assert [mark.tip.split(",")[0] for mark in first.marks] == [
        "5: 20.0 [20.0",
        "10: 40.0 [40.0",
        "15: 60.0 [60.0",
    ]


def test_names_are_bars_and_one_job_is_a_chart_too() -> None:
    (names,) = multiples([point(0.1, method="a"), point(0.2, method="b")])
    assert (names.kind, [tick.text for tick in names.x_ticks]) == ("bars", ["a", "b"])
    (alone,) = multiples([point(0.1, method="a")])
    assert len(alone.marks) == 1


def test_what_cannot_lie_on_an_axis_from_zero_is_a_bar() -> None:
    (chart,) = multiples([point(0.1, k="-1"), point(0.2, k="nan"), point(0.3, k="2")])
    assert chart.kind == "bars"


def test_jobs_of_one_run_that_differ_in_their_limit_have_their_own_scores(
    tmp_path: Path, rehearsed: tuple[str, ...]
) -> None:
    def config(*limits: str) -> RunConfig:
        where = f"paths.results={tmp_path}"
        return run_config(compose_config([*rehearsed, where, "dataset.scores=[em]", *limits]))

    choices = (("run.limit=1",), ("run.histories=1", "run.limit=1"), ("run.limit=null",))
    folders = [run_one(config(*limits)) for limits in choices]
    assert len(set(folders)) == 1
    jobs = [
        Job(at, limits, "done", str(folder))
        for at, (limits, folder) in enumerate(zip(choices, folders, strict=True))
    ]
    # There are two histories of two questions.
    assert [found.scores["EM"].n for found in read_points(jobs)] == [2, 1, 4]
