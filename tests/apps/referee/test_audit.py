"""`remem referee audit`, and the tracked page of the published answers in REMEM_DATA."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from remem.cli.main import app
from remem.errors import UsageError

ANSWERS = Path(os.environ.get("REMEM_DATA", "datasets")) / "answers"
PAGE = Path(__file__).parents[3] / "docs/apps/referee/audit.html"
STATED = ("--stated", "zep=75.14", "--stated", "backboard=90.00")
ROWS = [
    {"system": system, "id": f"q{at}", "question": f"Which is {at}?", "gold": f"red {at}"}
    | {"answer": f"red {at}" if at >= least else "blue", "correct": at >= least}
    for system, least in (("[/a]", 0), ("b", 20))
    for at in range(24)
]


def audited(folder: Path, *options: str) -> Result:
    """Call `remem referee audit` on a file of rows."""
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return CliRunner().invoke(app, ["referee", "audit", str(path), *options])


def test_an_audit_scores_checks_and_compares_the_systems_and_writes_no_run(tmp_path: Path) -> None:
    place = f"paths.results={tmp_path / 'results'}"
    done = audited(tmp_path, place, "--stated", "b=20.83", "--json")
    assert done.exit_code == 0, done.output
    audit = json.loads(done.stdout)["audit"]
    first, second = audit["systems"]
    assert (first["system"], first["answers"], first["words"]) == ("[/a]", 24, 2)
    assert second["published"]["mean"] == pytest.approx(4 / 24)
    assert second["rules"]["mean"] == pytest.approx(4 / 24)
    assert second["f1"]["mean"] == pytest.approx(4 / 24)
    (stated,) = second["means"]
    assert (stated["outcome"], stated["reason"]) == (
        "does not follow",
        "4 of 24 are right; this mean would need 5",
    )
    by_judge, by_rules = audit["compared"]
    assert (by_judge["judge"], by_rules["judge"]) == ("judge", "rules")
    assert by_judge["pairs"][0]["difference"]["mean"] == pytest.approx(20 / 24)
    assert audit["lengths"][0]["longer_accepted"]["mean"] == 1  # "red 7" is longer than "blue"
    assert not (tmp_path / "results").exists()


def test_a_page_has_the_tables_without_any_text_of_the_data(tmp_path: Path) -> None:
    done = audited(tmp_path, "--html", str(tmp_path / "audit.html"))
    assert done.exit_code == 0, done.output
    assert "16.67" in done.output
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "[/a], rows" in page
    assert "Which is" not in page
    assert "blue" not in page


@pytest.mark.parametrize("stated", ["b", "b=101", "b=x", "c=50", "b=0.17", "b@zep=50"])
def test_a_stated_mean_that_is_none_or_of_no_system_is_refused(tmp_path: Path, stated: str) -> None:
    refused = audited(tmp_path, "--stated", stated)
    assert isinstance(refused.exception, UsageError)
    assert "--stated" in str(refused.exception)


def test_a_file_that_is_named_twice_and_a_system_of_two_sources_are_refused(tmp_path: Path) -> None:
    twice = audited(tmp_path, str(tmp_path / "rows.jsonl"))
    assert "leave out one of them" in str(twice.exception)
    row = {"question": "Which is 0?", "golden_answer": "red", "answer": "red", "grade": True}
    (tmp_path / "zep.json").write_text(json.dumps({"h": [row]}))
    named = [row | {"system": "zep"} for row in ROWS[:24]]
    (tmp_path / "named.jsonl").write_text("\n".join(map(json.dumps, named)))
    words = ["referee", "audit", str(tmp_path / "zep.json"), str(tmp_path / "named.jsonl")]
    both = CliRunner().invoke(app, [*words, "--stated", "zep=50"])
    assert "which is in several sources (rows, zep)" in str(both.exception)
    one = CliRunner().invoke(app, [*words, "--stated", "zep@rows=100", "--json"])
    assert json.loads(one.stdout)["audit"]["systems"][1]["means"][0]["outcome"] == "follows"


@pytest.mark.real_data
@pytest.mark.slow
@pytest.mark.skipif(not ANSWERS.is_dir(), reason="REMEM_DATA has no published answers")
def test_the_tracked_page_is_what_the_published_answers_give(tmp_path: Path) -> None:
    words = ["referee", "audit", str(ANSWERS), *STATED, "--html", str(tmp_path / "audit.html")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "audit.html").read_bytes() == PAGE.read_bytes()
