"""`remem run` scores a run, shows its progress, and reports failures."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from remem.cli.hydra_entry import run_one
from remem.cli.run_output import run_title
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.metrics.convention import ScoreConvention
from remem.results.run import SCORES
from remem.run.store import MANIFEST

SMALL_CHATS = (
    *("dataset=generated_dialogues", "dataset.build.conversations=1", "dataset.build.sessions=4"),
    *("run.limit=3", "convention.score.resamples=9"),
)
REMEM = Path(sys.executable).parent / "remem"
PLAIN_LINE = re.compile(r"No memory: 4 questions, \d:\d\d:\d\d")


@pytest.fixture
def config(tmp_path: Path, rehearsed: tuple[str, ...]) -> RunConfig:
    where = f"paths.results='{tmp_path}/[results]'"
    return run_config(compose_config([*rehearsed, where, "convention.score.resamples=99"]))


def configured(config: RunConfig, **run: int) -> RunConfig:
    resolved = {**config.resolved, "run": {**config.resolved["run"], **run}}
    return RunConfig(resolved, config.without_paths)


def asked(path: Path) -> int:
    return int(json.loads(path.read_bytes())["overall"]["n"])


def test_a_run_writes_its_scores_and_those_of_a_part_do_not_replace_them(
    config: RunConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run_one(config)
    said = capsys.readouterr()
    assert "No memory on tiny" in said.out
    assert Path(said.out.splitlines()[-1]) == folder
    assert "No memory: 4 questions, 0:" in said.err
    assert asked(folder / SCORES) == 4
    whole = (folder / SCORES).read_bytes()
    assert run_one(configured(config, limit=1)) == folder  # one question of each history
    assert (folder / SCORES).read_bytes() == whole
    assert asked(folder / "scores.limit=1.json") == 2
    part = capsys.readouterr().out
    assert "scores.limit=1.json" in part and "scores.json has the scores of all 4 records" in part


def test_scores_of_all_records_follow_when_parts_add_to_them(config: RunConfig) -> None:
    folder = run_one(configured(config, limit=1))
    assert asked(folder / SCORES) == 2
    run_one(configured(config, histories=1))  # of its two questions one has its answer already
    assert asked(folder / "scores.histories=1.json") == 2
    assert asked(folder / SCORES) == 3
    assert json.loads((folder / MANIFEST).read_bytes())["answered"] == 3


def test_scoring_again_otherwise_asks_nothing(config: RunConfig, rehearsal: ModuleType) -> None:
    run_one(config)
    rehearsal.SEEN.clear()
    again = {**config.resolved["convention"]["score"], "bootstrap_unit": "questions"}
    resolved = {
        **config.resolved,
        "convention": {**config.resolved["convention"], "score": again},
    }
    rescored = RunConfig(resolved, config.without_paths)
    assert isinstance(rescored.score_convention(), ScoreConvention)
    run_one(rescored)
    assert rehearsal.SEEN == []
    (scores,) = config.results.rglob(SCORES)
    assert json.loads(scores.read_bytes())["overall"]["em"]["clusters"] is None


def test_an_ablation_that_leaves_out_nothing_says_so_at_each_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The rules extractor makes gists of chat messages, and no facts.
    asked = (*SMALL_CHATS, "method=remem_i", f"paths.results={tmp_path}", "run.health=warn")
    for ablation in ("no_facts", "no_facts", "no_gists"):
        run_one(run_config(compose_config([*asked, f"ablation={ablation}"])))
        note = "changes nothing here, since the memory has no facts to leave out."
        assert (f"{ablation} {note}" in capsys.readouterr().out) == (ablation == "no_facts")


def test_a_run_prints_the_share_of_questions_that_were_not_parsed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = f"paths.results={tmp_path}"
    parsed = ("dataset=generated_tot", "dataset.build.graphs_per_cell=1", "dataset.subset=8")
    quick = ("reader=symbolic", "convention.score.resamples=9", "run.health=warn", where)
    run_one(run_config(compose_config([*parsed, "method=remem_i", "planner=symbolic", *quick])))
    told = "The symbolic planner and reader could not parse 0 of 8 questions (0.0%)."
    assert told in capsys.readouterr().out
    run_one(run_config(compose_config([*SMALL_CHATS, "method=bm25_messages", *quick])))
    told = "The symbolic reader could not parse 3 of 3 questions (100.0%)."
    assert told in capsys.readouterr().out


def test_our_stub_is_named_in_the_title_whoever_asks_it() -> None:
    other = ("llm=openai_compatible", "reader=direct", "llm.build.endpoint.model=loopback-stub")
    for overrides in (other, ("llm=loopback-stub", "reader=direct")):
        config = run_config(compose_config([*overrides, "method=remem_s"]))
        assert config.llm == "loopback-stub"
        assert run_title(config) == (
            "REMem-S on generated_dialogues (loopback-stub: no result; prompts: own)"
        )
    real = run_config(compose_config(["llm=openai_compatible", "reader=direct", "method=remem_s"]))
    assert run_title(real) == "REMem-S on generated_dialogues (prompts: own)"


@pytest.fixture
def run(rehearsed: tuple[str, ...], tmp_path: Path) -> tuple[str, ...]:
    quick = "convention.score.resamples=99"
    return (str(REMEM), "run", *rehearsed, quick, f"paths.results={tmp_path}")


def test_a_pipe_gets_one_line_for_each_run_even_if_colours_are_forced(
    run: tuple[str, ...], environment: dict[str, str]
) -> None:
    coloured = {**environment, "FORCE_COLOR": "1"}
    done = subprocess.run(run, capture_output=True, text=True, env=coloured, check=True)
    (line,) = done.stderr.splitlines()
    assert PLAIN_LINE.fullmatch(line)
    assert "\x1b" not in done.stderr
