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
    assert "first better on 1" in plain.output and "only first right" not in plain.output
    met = CliRunner().invoke(app, [*folders, *quick, "--head-to-head", "2"], catch_exceptions=False)
    assert "only first right: h/q, category 1" in met.output
    assert "second: REMem-S" in met.output
