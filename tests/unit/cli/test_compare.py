"""`remem compare --head-to-head` shows questions that one run alone has right."""

from dataclasses import replace

import typer
from typer.testing import CliRunner

from remem.cli.compare import compare
from remem.types import Gold, Record

RIGHT = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")


def test_two_runs_meet_head_to_head_on_request(make_run) -> None:
    app = typer.Typer()
    app.command()(compare)
    folders = [
        str(make_run([RIGHT])),
        str(make_run([replace(RIGHT, answer="blue")], "method=remem_s")),
    ]
    quick = ["--score", "em", "--override", "convention.score.resamples=99"]
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
