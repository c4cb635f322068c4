"""SmolLM2 answers a question about a log in a sentence."""

import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from remem.apps.own_log.log_memory import open_memory
from remem.apps.own_log.logs.reading import read_log
from remem.config.run_config import compose_config, run_config
from remem.run.experiment import run_experiment

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None, reason="xllamacpp is not installed: make tiny-llm"
    ),
]


def test_a_question_about_a_log_is_answered_in_a_sentence_with_its_source(tmp_path: Path) -> None:
    diary = Path(__file__).parents[3] / "examples" / "own_log" / "diary.txt"
    changes = ("llm=smollm2", f"paths.results={tmp_path}")
    with open_memory(tmp_path / "memory", changes, make=True) as memory:
        memory.add(read_log(diary).messages)
        found = memory.ask("Where did Ann move?")
        assert memory.ask("Who repaired the roof of the church?").text == ""
    assert "Oslo" in found.text
    assert found.source == f"{diary}:2, Ann, 8 May 2023"
    assert found.usage.calls == 1


@pytest.mark.slow
def test_with_the_settings_of_extractor_and_planner_each_reply_is_read(
    tmp_path: Path,
) -> None:
    log, questions = tmp_path / "log.txt", tmp_path / "questions.jsonl"
    log.write_text("Date: 8 May 2023\nBob: I started a pottery class.\nAnn: How nice!\n")
    questions.write_text('{"question": "When did Bob start?", "answer": "8 May 2023"}\n')
    chosen = (
        *("dataset=own_log", f"dataset.build.log={log}", f"dataset.build.questions={questions}"),
        *("method=remem_i", "extractor=llm", "planner=llm", "run.health=warn"),
        *(f"paths.results={tmp_path}", "llm=smollm2"),
        "llm.build.endpoint.server.cache_prompt=true",
    )
    run_experiment(run_config(compose_config(chosen)))
    with closing(sqlite3.connect(tmp_path / "cache" / "calls.sqlite")) as connection:
        kept = connection.execute("SELECT stage, outcome, error FROM calls").fetchall()
    assert {stage for stage, *_ in kept} == {"index", "recall"}
    # A full list is "truncated" without an error: its messages are asked about in parts.
    assert {(outcome, error) for _, outcome, error in kept} <= {("ok", ""), ("truncated", "")}
