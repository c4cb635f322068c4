"""A table with failed questions is shown with n/N, and written only on request."""

import csv
import json
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from typer.testing import CliRunner, Result

from remem.cli.main import app
from remem.errors import QuestionsInErrorError, UsageError


@pytest.fixture
def conf(tmp_path: Path, rehearsed: tuple[str, ...]) -> Path:
    """A folder with a table that has one row, a run of the rehearsal."""
    quick = ["convention.score.resamples=99", f"paths.results={tmp_path / 'results'}"]
    block = {
        "title": "Block",
        "overrides": [*(item for item in rehearsed if not item.startswith("run.packages")), *quick],
        "columns": [{"heading": "EM", "score": "em"}],
        "rows": [{"overrides": []}],
        "notes": [],
    }
    folder = tmp_path / "conf"
    (folder / "table").mkdir(parents=True)
    (folder / "table/mine.yaml").write_text(yaml.safe_dump({"title": "T", "blocks": [block]}))
    return folder


def made(conf: Path, *options: str) -> Result:
    changes = ("run.packages=[rehearsal]", f"paths.results={conf.parent / 'results'}")
    return CliRunner().invoke(
        app, ["table", "mine", "--trust-config", str(conf), *changes, *options]
    )


def test_errors_keep_a_table_from_being_written_and_leave_the_earlier_one(
    conf: Path, rehearsal: ModuleType
) -> None:
    written = conf.parent / "results/tables/mine/mine.md"
    rehearsal.FAILING.add("h1/1")
    partly = made(conf)
    assert isinstance(partly.exception, QuestionsInErrorError)
    assert "3/4" in partly.output
    assert "--allow-partial" in partly.output
    assert not written.exists()

    rehearsal.FAILING.clear()
    shown = made(conf)
    assert (shown.exit_code, "50th / 95th / 99th percentiles" in shown.output) == (0, False)
    assert "50th / 95th / 99th percentiles" in made(conf, "--costs").output
    whole = written.read_text()
    page = written.with_name("report.html").read_text()
    assert "partial" not in page
    assert "Time and cost" in page
    costs = list(csv.DictReader(written.with_name("costs.csv").read_text().splitlines()))
    assert {(line["measure"], line["n"]) for line in costs} >= {("recall", "4"), ("answer", "4")}
    assert "3/4" not in whole

    for log in (conf.parent / "results/runs").rglob("records.jsonl"):
        log.unlink()
    rehearsal.FAILING.add("h1/1")
    made(conf)
    assert written.read_text() == whole


def test_a_partial_table_is_written_where_that_is_asked_for(
    conf: Path, rehearsal: ModuleType
) -> None:
    rehearsal.FAILING.add("h1/1")
    partly = made(conf, "--allow-partial")
    assert isinstance(partly.exception, QuestionsInErrorError)
    written = conf.parent / "results/tables/mine"
    assert "3/4" in (written / "mine.md").read_text()
    page = (written / "report.html").read_text()
    assert "partial: some questions have no answer" in page and "3/4" in page


def test_json_of_a_table_with_errors_has_no_files(conf: Path, rehearsal: ModuleType) -> None:
    rehearsal.FAILING.add("h1/1")
    partly = made(conf, "--json")
    assert isinstance(partly.exception, QuestionsInErrorError)
    found = json.loads(partly.stdout)
    assert (found["files"], len(found["errors"])) == ([], 1)
    assert found["blocks"][0]["rows"][0]["questions"]["failed"] == 1


def test_options_that_do_not_belong_together_are_refused() -> None:
    for words, told in (
        (("3", "--costs"), "--costs is only for tables of conf/table"),
        (
            ("locomo_1", "--json", "--explain", "REMem-I | f1"),
            "--json cannot be used with --explain or --plan",
        ),
    ):
        refused = CliRunner().invoke(app, ["table", *words])
        assert isinstance(refused.exception, UsageError)
        assert told in str(refused.exception)
