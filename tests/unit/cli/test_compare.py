"""`remem compare`: questions that one run alone has right, and what both runs took."""

import json
from dataclasses import replace

import typer
from typer.testing import CliRunner

from remem.cli.measure import compare
from remem.types import Gold, Record

RIGHT = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")


def test_two_runs_meet_head_to_head_on_request(make_run) -> None:
    app = typer.Typer()
    app.command()(compare)
    folders = [
        str(make_run([RIGHT])),
        str(make_run([replace(RIGHT, answer="blue")], "method=remem_s")),
    ]
    quick = ["--score", "em", "convention.score.resamples=99"]
    plain = CliRunner().invoke(app, [*folders, *quick], catch_exceptions=False)
    assert "REMem-I better on 1, REMem-S on 0, equal on 0" in plain.output.replace(
        " (scripted)", ""
    )
    assert " right:" not in plain.output
    met = CliRunner().invoke(app, [*folders, *quick, "--head-to-head", "2"], catch_exceptions=False)
    assert "only REMem-I (scripted) right: h/q, category 1" in met.output
    assert "  REMem-S: blue" in met.output
    for output in (plain.output, met.output):
        assert "first" not in output and "second" not in output


def test_both_runs_are_shown_with_what_they_took_for_the_questions_of_both(make_run) -> None:
    app = typer.Typer()
    app.command()(compare)
    other = replace(RIGHT, query_id="h/r", index=1, gold=Gold(("red",), "2"))
    alone = replace(other, query_id="h/s", index=2)
    failed = replace(alone, query_id="h/t", index=3, status="error", answer="", error="E: e")
    folders = [
        str(make_run([RIGHT, other, alone, failed])),
        str(make_run([RIGHT, other], "method=remem_s", seconds=0.125)),
    ]
    asked = [*folders, "--score", "em", "convention.score.resamples=99"]
    shown = CliRunner().invoke(app, asked, catch_exceptions=False).output
    assert "recall (ms)" in shown
    (first,) = (line for line in shown.splitlines() if line.startswith(" REMem-I (scripted)"))
    (second,) = (line for line in shown.splitlines() if line.startswith(" REMem-S"))
    assert "500 / 500 / 500" in first and "125 / 125 / 125" in second
    assert "50th / 95th / 99th percentiles" in shown
    told = CliRunner().invoke(app, [*asked, "--category", "2", "--json"], catch_exceptions=False)
    costs = json.loads(told.output)["costs"]
    assert [row["label"] for row in costs] == ["REMem-I (scripted)", "REMem-S"]
    recalls = [
        next(cost["found"] for cost in row["run"]["costs"] if cost["name"] == "recall")
        for row in costs
    ]
    assert [recall["n"] for recall in recalls] == [1, 1]
    assert recalls[1] == {"p50": 125.0, "p95": 125.0, "p99": 125.0, "n": 1, "total": 125.0}
