"""`--json` prints one JSON object on stdout and nothing else; what people watch is on stderr."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import Result

from remem.cli.hydra_entry import main, run_one
from remem.config.run_config import compose_config, run_config
from remem.errors import QuestionsInErrorError, UsageError
from remem.results.run import SCORES
from remem.run.run_result import RunResult
from remem.types import Gold, Record

Ask = Callable[..., Result]
RIGHT = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")


def printed(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def answered(rehearsed: tuple[str, ...], tmp_path: Path) -> Any:
    where = (f"paths.results={tmp_path}", "convention.score.resamples=99")
    return run_config(compose_config([*rehearsed, *where]))


def test_a_run_prints_the_scores_of_its_file(answered: Any, capsys: Any) -> None:
    folder = run_one(answered, json=True)
    said = capsys.readouterr()
    found = json.loads(said.out)
    overall = json.loads((folder / SCORES).read_bytes())["overall"]
    assert (found["command"], found["dataset"]) == ("run", "tiny")
    assert (found["folder"], found["scores_file"]) == (str(folder), str(folder / SCORES))
    assert found["questions"] == {"asked": 4, "answered": 4, "failed": 0}
    of_all = {item["score"]: item for item in found["scores"] if item["category"] is None}
    for name in answered.scores:
        ends = {end: of_all[name][end] for end in ("mean", "low", "high", "n", "clusters")}
        assert ends == overall[name]
    assert of_all["refusal_f1"]["unit"] == "share"
    assert "No memory: 4 questions" in said.err


def test_a_run_with_failed_questions_prints_their_errors_and_ends_as_before(
    answered: Any, rehearsal: ModuleType, capsys: Any
) -> None:
    rehearsal.FAILING.add("h1/0")
    with pytest.raises(QuestionsInErrorError, match="1 of 4 questions failed"):
        run_one(answered, json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["questions"] == {"asked": 4, "answered": 3, "failed": 1}
    assert len(found["errors"]) == 1


def test_a_sweep_has_no_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["remem run", "-m", "method=remem_s,no_memory"])
    with pytest.raises(UsageError, match="--json is for one run"):
        main(json=True)


def test_explain_and_json_exclude_each_other(ask: Ask) -> None:
    refused = ask("table", "locomo_1", "--json", "--explain", "REMem-I | f1")
    assert "--explain and --plan are shown on the screen" in str(refused.exception)


def test_score_prints_every_way_with_both_intervals(ask: Ask, run: RunResult) -> None:
    found = printed(ask("score", run.folder, "--json", "--set", "paper", "--set", "strict"))
    (scored,) = found["runs"]
    assert scored["folder"] == str(run.folder)
    assert [way["name"] for way in scored["ways"]] == ["paper", "strict"]
    first = scored["ways"][0]["scores"][0]
    assert first["over_questions"]["n"] == 4
    assert 0 <= first["over_questions"]["mean"] == first["over_clusters"]["mean"] <= 1
    assert "any judge has no verdict on 4 answers" in scored["notes"][-1]


def test_compare_prints_the_difference(ask: Ask, make_run: Callable[..., Path]) -> None:
    first = make_run([RIGHT])
    second = make_run([replace(RIGHT, answer="blue")], "method=remem_s")
    options = ("--score", "em", "convention.score.resamples=99", "--json")
    found = printed(ask("compare", first, second, *options))
    assert (found["command"], found["score"]) == ("compare", "em")
    assert found["comparison"]["difference"]["mean"] == 1.0
    counted = ("first_better", "second_better", "equal")
    assert [found["comparison"][name] for name in counted] == [1, 0, 0]
    refused = ask("compare", first, second, "--json", "--head-to-head", "2")
    assert "--head-to-head is shown on the screen" in str(refused.exception)


def test_list_prints_names_labels_and_what_they_are(ask: Ask) -> None:
    (group,) = printed(ask("list", "method", "--json"))["groups"]
    assert group["group"] == "method"
    by_name = {choice["name"]: choice for choice in group["choices"]}
    assert by_name["remem_i"]["label"] == "REMem-I (<planner>)"
    assert by_name["bm25_messages"]["label"] == "BM25"
