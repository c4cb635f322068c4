"""The table of the user's log: how much of the log its memories return, and how it is named."""

from pathlib import Path

import pytest

from remem.apps.own_log.log_table_plan import own_log_plan
from remem.config.run_config import compose_config
from remem.tables.table_plan import TablePlan

QUESTION = '{"question": "Who?", "answer": "Ann"}\n'


def plan(folder: Path, messages: int) -> TablePlan:
    folder.mkdir(exist_ok=True)
    (folder / "log.txt").write_text("".join(f"Ann: text {n}\n" for n in range(messages)))
    (folder / "q.jsonl").write_text(QUESTION)
    return own_log_plan(folder / "log.txt", folder / "q.jsonl")


@pytest.mark.parametrize(("messages", "found"), [(2, 1), (7, 2), (29, 9), (30, 10), (90, 10)])
def test_a_memory_returns_a_third_of_a_short_log_and_ten_messages_of_a_long_one(
    tmp_path: Path, messages: int, found: int
) -> None:
    (block,) = plan(tmp_path, messages).blocks
    memories = [row for row in block.rows if any("top_k" in text for text in row.overrides)]
    assert len(memories) == 4
    assert all(f"method.build.top_k={found}" in row.overrides for row in memories)
    assert block.notes[0] == f"Each memory returns {found} of {messages} messages."


def test_paths_with_quotes_and_commas_reach_the_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "Ann's, {notes}"
    (block,) = plan(folder, 3).blocks
    build = compose_config([*block.overrides, *block.rows[0].overrides])["dataset"]["build"]
    assert (build["log"], build["questions"]) == (str(folder / "log.txt"), str(folder / "q.jsonl"))
