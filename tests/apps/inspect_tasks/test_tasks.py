"""The tasks in inspect itself: recorded answers keep their scores, and `inspect eval` runs all.

make env NAME=inspect, because inspect_ai has an environment of its own.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TASKS = ROOT / "remem" / "apps" / "inspect_tasks" / "tasks.py"
MODULE = "remem.apps.inspect_tasks.tasks"
NO_REAL_DATA = "REMEM_DATA" not in os.environ
with_inspect = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("inspect_ai") is None, reason="inspect_ai has an environment of its own"
    ),
]
# The mock model counts tokens with a table that tiktoken would download.
PROGRAM = """
from importlib.metadata import entry_points
import tiktoken

class Words:
    def encode(self, text, **_):
        return text.split()

tiktoken.get_encoding = lambda name: Words()
(command,) = entry_points(group="console_scripts", name="inspect")
command.load()()
"""


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the tasks; inspect writes its files into the test's folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    return import_module(MODULE)


def inspect_eval(folder: Path, data: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Call `inspect eval` with its mock model."""
    names = {"XDG_DATA_HOME": folder / "home", "INSPECT_LOG_DIR": folder / "logs"}
    variables = {name: str(path) for name, path in (names | {"REMEM_DATA": data}).items()}
    command = [sys.executable, "-c", PROGRAM, "eval", *map(str, words)]
    options = ["--model", "mockllm/model", "--display", "plain"]
    return subprocess.run(
        [*command, *options],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def logs(folder: Path) -> dict[str, Any]:
    """Return the logs in a folder by the name of their task."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    read = [read_eval_log(info.name) for info in list_eval_logs(str(folder / "logs"))]
    return {log.eval.task.rpartition("/")[2]: log for log in read}


def replay(answers: Mapping[str, str]) -> Any:
    """Return a solver that gives each sample its recorded answer."""
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    @solver
    def recorded_answers() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("recorded", answers[str(state.sample_id)])
            return state

        return solve

    return recorded_answers()


class TestInInspect:
    pytestmark = with_inspect

    @pytest.mark.parametrize(
        ("task", "overrides", "least"),
        [
            ("locomo", ("dataset=generated_dialogues", "run.limit=50"), 500),
            ("beam", ("dataset=generated_dialogues", "run.histories=1"), 50),
            *(
                pytest.param(
                    *real, marks=pytest.mark.skipif(NO_REAL_DATA, reason="REMEM_DATA is not set")
                )
                for real in (
                    ("locomo", ("dataset=locomo", "run.histories=4"), 500),
                    ("realtalk", ("dataset=realtalk",), 500),
                    ("longmemeval", ("dataset=longmemeval_excerpt",), 16),
                    ("beam", ("dataset=beam", "dataset.build.chats=[1,2]"), 40),
                )
            ),
        ],
    )
    def test_recorded_answers_keep_their_scores_to_the_bit(
        self,
        tasks: ModuleType,
        recorded: Callable[..., Any],
        task: str,
        overrides: tuple[str, ...],
        least: int,
    ) -> None:
        from inspect_ai import eval as inspect_eval_of
        from inspect_ai.log import read_eval_log

        records, scores = recorded(*overrides)
        answers = {record.query_id: record.answer for record in records}
        (log,) = inspect_eval_of(
            getattr(tasks, task)(overrides=list(overrides)),
            model="mockllm/model",
            solver=replay(answers),
            display="none",
        )
        samples = read_eval_log(log.location).samples
        assert log.status == "success" and len(samples) == len(records) >= least
        names = {"f1": "f1", "bleu1": "bleu1", "em": "em"}
        if task in ("longmemeval", "beam"):
            names["judge"] = "llm_judge"
        theirs = {
            sample.id: {name: score.value for name, score in sample.scores.items()}
            for sample in samples
        }
        assert theirs == {
            query_id: {name: of_question[ours] for name, ours in names.items()}
            for query_id, of_question in scores.items()
        }

    def test_a_reply_is_read_as_remem_reads_it_and_one_without_an_answer_is_not_scored(
        self, tasks: ModuleType, small_data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from inspect_ai import eval as inspect_eval_of
        from inspect_ai.model import ModelOutput, ModelUsage, get_model

        monkeypatch.setenv("REMEM_DATA", str(small_data))
        replies = ["Thought: He says so.\nAnswer: Bob", "Let me think:"]
        outputs = [ModelOutput.from_content("mockllm", reply) for reply in replies]
        for output in outputs:
            output.usage = ModelUsage()  # else the mock model counts tokens
        model = get_model("mockllm/model", custom_outputs=outputs)
        (log,) = inspect_eval_of(
            tasks.locomo(history="conv-2"), model=model, display="none", max_connections=1
        )
        answered, unread = log.samples
        assert (answered.id, answered.target) == ("conv-2/q0", ["Bob"])
        assert answered.metadata["evidence"] == ["D1:1"]
        assert answered.scores["em"].value == 1.0
        assert (answered.scores["em"].answer, answered.messages[-1].text) == ("Bob", replies[0])
        assert (unread.target, unread.scores) == (["no information available"], {})
        assert "no 'Answer:'" in unread.metadata["no_answer"]

    def test_inspect_eval_runs_the_four_tasks_of_the_file(
        self, tmp_path: Path, small_data: Path
    ) -> None:
        files = [f"{TASKS}@{name}" for name in ("locomo", "realtalk", "longmemeval", "beam")]
        done = inspect_eval(tmp_path, small_data, *files, "--limit", 2)
        assert done.returncode == 0, done.stdout + done.stderr
        found = logs(tmp_path)
        assert len(found) == len(files)
        for name, log in found.items():
            assert log.status == "success"
            assert len(log.samples) == (1 if name == "realtalk" else 2)
            assert all(len(sample.scores) >= 3 for sample in log.samples)

    @pytest.mark.skipif(
        "remem" not in {point.name for point in entry_points(group="inspect_ai")},
        reason="the installed remem names no tasks",
    )
    def test_inspect_eval_knows_a_task_by_the_name_of_the_package(
        self, tmp_path: Path, small_data: Path
    ) -> None:
        done = inspect_eval(tmp_path, small_data, "remem/locomo", "-T", "history=conv-2")
        assert done.returncode == 0, done.stdout + done.stderr
        samples = logs(tmp_path)["locomo"].samples
        assert [sample.id for sample in samples] == ["conv-2/q0", "conv-2/q1"]

    def test_missing_data_are_named_with_the_command_that_gets_them(
        self, tasks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("REMEM_DATA", str(tmp_path))
        with pytest.raises(FileNotFoundError, match="remem data fetch locomo gets it"):
            tasks.locomo()


def test_without_inspect_ai_the_tasks_name_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(ImportError, match=r"need the package inspect_ai .*pip install '.\[inspect"):
        import_module(MODULE)
