import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from remem.cli.main import app
from remem.errors import UsageError
from remem.results.verdicts import judgment_files

ROWS = [
    {"system": system, "id": f"q{at}", "question": f"Which is {at}?", "gold": f"red {at}"}
    | {"answer": f"red {at}" if at >= least else "I cannot tell.", "correct": at >= least}
    for system, least in (("[/a]", 1), ("b", 3))
    for at in range(6)
]

Import = Callable[..., Result]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    """Call `remem referee import` on a file of rows, with results in a folder of the test's own."""

    def call(*options: str) -> Result:
        path = tmp_path / "rows.jsonl"
        path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
        place = f"paths.results={tmp_path / 'results'}"
        return CliRunner().invoke(app, ["referee", "import", str(path), place, *options])

    return call


def test_an_import_prints_one_object_for_programs(imported: Import) -> None:
    found = json.loads(imported("--json").stdout)
    assert found["command"] == "referee import"
    assert [run["census"]["counts"]["refused"] for run in found["runs"]] == [1, 3]
    assert found["runs"][0]["aggregates"][0]["recomputed"]["mean"] == pytest.approx(5 / 6)


def test_an_import_ends_with_the_folders_and_a_diagnosis_says_what_cannot_be_known(
    imported: Import,
) -> None:
    folders = [line for line in imported().output.splitlines() if line.startswith("/")]
    assert [Path(folder).is_dir() for folder in folders] == [True, True]
    done = CliRunner().invoke(app, ["diagnose", folders[0]])
    assert done.exit_code == 0, done.output
    assert "evidence not known" in done.output
    assert "neither the memory nor the reader can be asked" in done.output


@pytest.mark.parametrize("named", ["", "/*"])
def test_a_folder_or_a_pattern_is_read_and_what_is_no_answers_is_named(
    tmp_path: Path, named: str
) -> None:
    (tmp_path / "answers/of_b").mkdir(parents=True)
    (tmp_path / "answers/rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (tmp_path / "answers/notes.txt").write_text("no answers")
    place = f"paths.results={tmp_path / 'results'}"
    words = ["referee", "import", f"{tmp_path}/answers{named}", place]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "83.33" in done.stdout
    assert f"skipped {tmp_path}/answers/notes.txt: " in done.stderr
    (tmp_path / "answers/rows.jsonl").unlink()
    refused = CliRunner().invoke(app, words)
    assert isinstance(refused.exception, UsageError)
    assert "no answers in" in str(refused.exception)


@pytest.mark.parametrize(("named", "is_read"), [("", False), ("/*", True), ("/link.jsonl", True)])
def test_a_link_is_followed_if_its_name_is_given_and_not_out_of_a_folder(
    tmp_path: Path, named: str, is_read: bool
) -> None:
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers/link.jsonl").symlink_to(tmp_path / "mine.jsonl")
    place = f"paths.results={tmp_path / 'results'}"
    done = CliRunner().invoke(app, ["referee", "import", f"{tmp_path}/answers{named}", place])
    assert (done.exit_code == 0) == is_read, done.output
    assert ("skipped" in done.stderr) != is_read


@pytest.mark.parametrize(
    ("verb", "systems", "reason"),
    [
        ("import", 501, "answers of 501 systems, expected at most 500"),
        ("audit", 101, "5,050 pairs; the maximum is 5,000"),
    ],
)
def test_a_file_of_too_many_systems_is_refused_before_a_run_is_written(
    tmp_path: Path, verb: str, systems: int, reason: str
) -> None:
    row = {"id": "q", "question": "Which?", "gold": "red", "answer": "red", "correct": True}
    lines = (json.dumps(row | {"system": f"s{number}"}) for number in range(systems))
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    place = f"paths.results={tmp_path / 'results'}"
    words = ["referee", verb, str(tmp_path / "rows.jsonl"), place]
    refused = CliRunner().invoke(app, words)
    assert reason in str(refused.exception)
    assert not (tmp_path / "results").exists()


def test_imported_runs_are_compared_by_their_stored_verdicts(imported: Import) -> None:
    runs = [run["folder"] for run in json.loads(imported("--json").stdout)["runs"]]
    judge = judgment_files(Path(runs[0]))[0].stem.removeprefix("judgments.")
    done = CliRunner().invoke(app, ["compare", *runs, "--judge", "published-judge", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["comparison"]["difference"]["mean"] == pytest.approx(2 / 6)
    other = CliRunner().invoke(app, ["compare", *runs, "--judge", "rules"])
    assert isinstance(other.exception, UsageError)
    assert (
        f"found 0 judges of {runs[0]} with a name that begins with 'rules', "
        f"expected exactly one; all judges: {judge}" in str(other.exception)
    )


def test_a_comparison_by_stored_verdicts_has_no_page(imported: Import, tmp_path: Path) -> None:
    runs = [run["folder"] for run in json.loads(imported("--json").stdout)["runs"]]
    page = ("--judge", "published-judge", "--html", str(tmp_path / "a.html"))
    done = CliRunner().invoke(app, ["compare", *runs, *page])
    assert "--judge compares stored verdicts only" in str(done.exception)


@pytest.mark.parametrize("verb", [["score"], ["report"], ["report", "--with-text", "--with-calls"]])
def test_a_verb_that_reads_runs_takes_an_imported_one(imported: Import, verb: list[str]) -> None:
    (run, _) = [run["folder"] for run in json.loads(imported("--json").stdout)["runs"]]
    done = CliRunner().invoke(app, [*verb, run])
    assert done.exit_code == 0, done.output
    if verb == ["score"]:
        assert (
            "Imported from rows.jsonl (rows); the file does not state: what "
            "was retrieved" in done.output
        )


def test_a_mapping_reads_a_file_of_any_shape_and_takes_the_place_of_a_format(
    tmp_path: Path, imported: Import
) -> None:
    mapping = tmp_path / "mapping.yaml"
    mapping.write_text("id: id\nanswer: answer\ngold: gold\nverdict: correct\nsystem: system\n")
    found = json.loads(imported("--mapping", str(mapping), "--json").stdout)
    assert [(run["format"], run["label"]) for run in found["runs"]] == [
        ("mapping", "[/a]"),
        ("mapping", "b"),
    ]
    assert found["runs"][0]["not_read"] == ["question"]
    done = imported("--mapping", str(mapping), "--format", "rows")
    assert isinstance(done.exception, UsageError)
    assert "leave out one of them" in str(done.exception)
