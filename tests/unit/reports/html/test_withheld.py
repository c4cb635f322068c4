"""Reports on generated data are complete; those on the user's own data omit the memory's texts."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from remem.config.run_config import compose_config, run_config
from remem.reports.html.diff import diff_page
from remem.reports.html.questions import is_generated
from remem.reports.html.report import write_report
from remem.results.compare import ScoredRuns
from remem.results.run import Run
from remem.results.run_names import run_names
from remem.results.standings import standings
from remem.run.experiment import run_experiment
from remem.types import Gold, Record

RECORD = Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")
SMALL = (
    *("dataset.build.conversations=1", "dataset.build.sessions=4", "run.limit=8"),
    "convention.score.resamples=99",
)


@pytest.mark.parametrize(
    ("overrides", "whole"),
    [
        (("dataset=generated_dialogues",), True),
        (("dataset=generated_tot",), True),
        (("dataset=validation",), True),
        (("dataset=validation", "dataset@dataset.of=locomo"), False),
        (("dataset=locomo",), False),
        (("dataset=locomo", "dataset.build.file=generated_dialogues.json"), False),
    ],
)
def test_the_data_that_our_generators_make_are_shown_whole_and_no_others(
    make_run, overrides: tuple[str, ...], whole: bool
) -> None:
    assert is_generated(Run.open(make_run([RECORD], *overrides))) is whole


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two small runs on generated dialogues: one of an agent, one without a memory."""
    results = f"paths.results={tmp_path_factory.mktemp('results')}"
    first, second = (
        run_experiment(run_config(compose_config([*SMALL, results, f"method={method}"]))).folder
        for method in ("remem_i", "no_memory")
    )
    return first, second


def test_a_report_of_generated_data_is_whole_without_a_switch(folders) -> None:
    page = write_report(folders[0]).read_text(encoding="utf-8")
    data, question = data_of(page), asked(Run.open(folders[0]).records)
    shown = next(item for item in data["questions"] if item["id"] == question.query_id)
    assert (shown["question"], shown["gold"]) == (question.question, list(question.gold.answers))
    step = shown["steps"][0]
    assert step["thought"] and step["arguments"] and len(step["seen"]) == len(step["seen_scores"])
    kept = data["items"]["0"]
    gists = {gist[0]: gist for gist in kept["gists"]}
    assert all(gists[item][1] and gists[item][4] for item in step["seen"])  # its time and its text
    assert all(message in kept["messages"] for message, *_ in shown["evidence"])
    assert 'id="memory-view"' in page and "--with-text" not in page


def test_a_diff_of_generated_data_has_the_texts_that_its_traces_name(folders) -> None:
    runs = [Run.open(folder) for folder in folders]
    standing = standings(run_names(*runs), ScoredRuns.of_runs(runs, "hit_at_10", None))
    page = diff_page(runs, standing, score="hit_at_10", category=None, notes=())
    data = data_of(page.decode())
    first, second = next(
        question["answers"]
        for question in data["questions"]
        if "steps" in question["answers"][0] and "evidence" in question["answers"][1]
    )
    assert (first["history"], second["history"]) == (0, 1)
    texts = {item[0]: item[4] for item in data["items"]["0"]["gists"]}
    seen = [item for step in first["steps"] for item in step.get("seen", ())]
    assert seen and all(texts[item] for item in seen)
    message = second["evidence"][0][0]
    assert data["items"]["1"]["messages"][message][2]
    assert data["items"]["1"]["gists"] == []


def data_of(page: str) -> dict[str, Any]:
    return json.loads(page.split('id="data">')[1].split("</script>", maxsplit=1)[0])


def asked(records: Sequence[Record]) -> Record:
    """Return the first record that has evidence and steps."""
    return next(record for record in records if record.gold.evidence and record.steps)
