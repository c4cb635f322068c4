"""SmolLM2 answers a question about a log in a sentence."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from remem.apps.own_log.log_memory import open_memory
from remem.apps.own_log.logs.reading import read_log

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
