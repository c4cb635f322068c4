"""The page of a run that asked while its memory grew: charts, a table, CSV, and no texts."""

import csv
import io
from pathlib import Path

import pytest

from remem.cli.pages import report
from remem.config.run_config import configure
from remem.reports.html.report import curves_csv, stream_page
from remem.results.run import Run
from remem.results.stream_curves import stream_scores
from remem.run.experiment import run_experiment


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = configure(
        "dataset=generated_dialogues",
        "dataset.build.conversations=2",
        "dataset.build.sessions=6",
        "method=bm25_messages",
        "run.stream=session",
        "+method.appends=false",
        "convention.score.resamples=99",
        f"paths.results={tmp_path_factory.mktemp('page')}",
    )
    return run_experiment(config).folder


def test_the_report_of_such_a_run_has_a_page_over_time_and_its_numbers(folder, capsys):
    report(folder)
    said = capsys.readouterr().out
    assert "Over the age of the memory" in said
    assert "Over the age of the last evidence" in said
    assert f"Written: {folder}/stream.html and stream.csv" in said.replace("\n", "")
    page = (folder / "stream.html").read_text("utf-8")
    assert page.count("<figure>") == page.count("</figure>") > 8
    assert "it was built again at every checkpoint" in page
    assert "these data do not say when a fact changes" in page
    assert "the scores after the last session" in (folder / "report.html").read_text("utf-8")


def test_the_same_run_gives_the_same_bytes_and_no_text_of_the_data(folder):
    run = Run.open(folder)
    found = stream_scores(run)
    page = stream_page(run, found)
    assert page == stream_page(run, found)
    text = page.decode()
    assert not any(record.question in text for record in run.records)


def test_the_csv_has_a_line_for_each_point(folder):
    run = Run.open(folder)
    found = stream_scores(run)
    lines = list(csv.DictReader(io.StringIO(curves_csv(run, found))))
    points = [(one, point) for one in found.curves for point in one.points]
    assert len(lines) == len(points)
    for line, (one, point) in zip(lines, points, strict=True):
        assert (line["measure"], int(line["from"])) == (one.measure.name, point.low)
        assert float(line["mean"]) == pytest.approx(point.interval.mean, rel=1e-5, abs=1e-9)
