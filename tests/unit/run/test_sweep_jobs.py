"""A sweep records each of its jobs as done, failed or killed."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from remem.errors import Ending
from remem.reports.terminal.sweep_report import ending
from remem.run.sweep_jobs import (
    Job,
    first_failure,
    forget_jobs,
    job_labels,
    read_jobs,
    recorded,
    sweep_name,
    sweep_title,
    varied_keys,
)


def job(number: int) -> Job:
    return Job(number, ("method=remem_s", f"method.build.top_k={number}"), "begun")


def told(error: Exception) -> Ending:
    return Ending(4, str(error))


def test_a_job_says_where_its_run_is_or_how_it_ended_and_does_not_raise(tmp_path: Path) -> None:
    def fail() -> Path:
        raise ValueError("no such thing")

    assert recorded(job(0), tmp_path, lambda: tmp_path / "run", told).state == "done"
    assert recorded(job(1), tmp_path, fail, told).exit_code == 4
    done, failed = read_jobs(tmp_path)
    assert (done.state, done.folder, done.exit_code) == ("done", str(tmp_path / "run"), 0)
    assert (failed.state, failed.error, failed.exit_code) == ("failed", "no such thing", 4)
    assert list(ending([done, failed])) == [
        "1 of 2 jobs are done",
        "Failed:",
        "remem run method=remem_s method.build.top_k=1\n  no such thing",
    ]
    assert list(ending([done], 3))[1:] == ["2 jobs were not started; run the same command"]
    forget_jobs(tmp_path)  # as the next start does
    assert read_jobs(tmp_path) == []


def test_an_interrupt_stops_the_sweep_and_is_written_down(tmp_path: Path) -> None:
    def interrupted() -> Path:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recorded(job(0), tmp_path, interrupted, told)
    (stopped,) = read_jobs(tmp_path)
    assert (stopped.state, stopped.outcome) == ("failed", "interrupted")


def test_a_job_that_is_killed_has_begun_and_not_ended(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from remem.run.sweep_jobs import *;"
        "recorded(Job(0, ('a=1',), 'begun'), Path(sys.argv[1]),"
        " lambda: os.kill(os.getpid(), signal.SIGKILL), lambda error: Ending(1, ''))"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], check=False)
    assert done.returncode == -signal.SIGKILL
    (killed,) = read_jobs(tmp_path)
    assert list(ending([killed]))[1:] == [
        "Failed:",
        "remem run a=1\n  started but did not finish",
    ]
    assert first_failure([killed]) == 1


def test_the_first_failure_decides_the_exit_code(tmp_path: Path) -> None:
    done = Job(0, (), "done")
    usage, budget = (Job(at, (), "failed", exit_code=code) for at, code in ((1, 2), (2, 4)))
    assert first_failure([done]) == 0
    assert first_failure([done, usage, budget]) == 2


ARGUMENTS = ["-m", "method=remem_i,remem_s", "ablation=none,no_gists", "run.limit=3"]
KEYS = ["method", "ablation"]


def jobs(*overrides: tuple[str, ...], method: str = "REMem-S") -> list[Job]:
    return [
        Job(at, own, "done", method=method, dataset="locomo") for at, own in enumerate(overrides)
    ]


def test_a_name_says_what_is_swept_and_on_which_dataset() -> None:
    name = sweep_name(ARGUMENTS, KEYS, "generated_dialogues")
    assert re.fullmatch(r"ablation-method_generated-dialogues-[0-9a-f]{8}", name)
    assert re.fullmatch(r"dataset_[0-9a-f]{8}", sweep_name(["dataset=a,b"], ["dataset"], "a,b"))
    assert sweep_name(["-m", "method=a"], [], "locomo").startswith("one-job_locomo-")


def test_the_same_arguments_in_any_order_give_the_same_name() -> None:
    name = sweep_name(ARGUMENTS, KEYS, "locomo")
    assert sweep_name(ARGUMENTS[::-1], KEYS[::-1], "locomo") == name
    assert sweep_name(["--multirun", *ARGUMENTS[1:]], KEYS, "locomo") == name


@pytest.mark.parametrize("other", ["method=remem_s,remem_i", "method=remem_i,remem_s,mem0"])
def test_other_choices_or_another_first_choice_give_another_name(other: str) -> None:
    names = {sweep_name([*ARGUMENTS[2:], own], KEYS, "locomo") for own in (ARGUMENTS[1], other)}
    assert len(names) == 2


def test_a_name_is_a_short_name_of_a_folder_whatever_is_swept() -> None:
    keys = [f"method.build.{'very_' * 9}long{at}" for at in range(9)]
    for name in (sweep_name([], keys, "../../etc"), sweep_name([], ["../a b/"], "/")):
        assert re.fullmatch(r"[A-Za-z0-9-]+_[A-Za-z0-9-]+", name)
        assert len(name) <= 80


def test_a_title_names_the_keys_and_the_dataset() -> None:
    two = jobs(
        ("ablation=none", "method.build.top_k=5"), ("ablation=no_gists", "method.build.top_k=3")
    )
    assert sweep_title(two) == "Sweep over ablation and top_k on locomo"
    assert sweep_title(two[:1]) == "Sweep of one job on locomo"
    three = jobs(("a=1", "b=1", "c=1"), ("a=2", "b=2", "c=2"))
    assert sweep_title(three) == "Sweep over a, b and c on locomo"


def test_only_what_differs_is_in_a_label() -> None:
    own = jobs(
        ("method=remem_i", "ablation=none", "+method.build.top_k=5", "run.limit=3"),
        ("method=remem_i", "ablation=no_gists", "+method.build.top_k=10", "run.limit=3"),
    )
    assert varied_keys(own) == ["ablation", "method.build.top_k"]
    assert job_labels(own, varied_keys(own)) == ["whole method, top_k=5", "no gists, top_k=10"]


def test_a_method_has_its_label_and_equal_labels_and_keys_are_told_apart() -> None:
    one, other = jobs(("method=remem_i",)), jobs(("method=remem_s",))
    assert job_labels(one, ["method"]) == ["REMem-S"]
    assert job_labels([*one, *other], ["method"]) == ["method=remem_i", "method=remem_s"]
    own = jobs(("dataset.build.seed=1", "method.seed=1"), ("dataset.build.seed=2", "method.seed=2"))
    assert job_labels(own, varied_keys(own)) == [
        "build.seed=1, method.seed=1",
        "build.seed=2, method.seed=2",
    ]
