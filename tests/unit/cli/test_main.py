"""What scripts can rely on: exit codes, and error messages without a traceback."""

import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from remem.cli import main as cli
from remem.run.store import RECORDS

REMEM = Path(sys.executable).parent / "remem"


Command = Callable[..., Any]


@pytest.fixture
def running(tmp_path: Path, rehearsed: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a `remem run` of the rehearsal."""
    return ("run", *rehearsed, f"paths.results={tmp_path}", "convention.score.resamples=99")


def test_the_docstring_of_every_command_begins_with_its_help() -> None:
    of_groups = {
        f"{group} {name}": text
        for group, verbs in cli.groups().items()
        for name, text in verbs.items()
    }
    for name, text in {**cli.COMMANDS, **of_groups}.items():
        module = import_module(cli.modules()[name])
        docstring = getattr(module, cli.function_of(name.rpartition(" ")[2])).__doc__
        assert docstring.splitlines()[0] == text, name


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("fetch", "data fetch"), ("judge-noise", "judge noise"), ("tabel", "table"), ("vew", "view")],
)
def test_a_command_without_its_group_or_with_a_typo_is_answered_with_the_nearest(
    remem: Command, typed: str, meant: str
) -> None:
    ended = remem(typed)
    assert ended.code == 2
    assert ended.message.endswith(f"has no command {typed!r}; did you mean 'remem {meant}'?")


def test_at_most_seventeen_names_stand_behind_remem_and_help_fits_a_small_screen(
    remem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ended = remem()  # without arguments: the help, as a usage error
    assert ended.code == 2
    assert "Usage: remem" in ended.out + ended.err
    lines = remem("--help").out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert len(cli.COMMANDS) + len(cli.groups()) <= 17


def test_missing_data_are_an_error_in_one_sentence(remem: Command, tmp_path: Path) -> None:
    ended = remem("run", "dataset=locomo", "method=no_memory", f"paths.data={tmp_path}")
    assert ended.code == 2
    assert ended.message.startswith(f"remem: no data at {tmp_path}/locomo/locomo10.json")
    assert "datasets/locomo/README.md" in ended.message


def test_a_record_of_another_shape_is_an_error_that_names_the_line(
    remem: Command, running: tuple[str, ...], change_records: Callable[..., None]
) -> None:
    folder = Path(remem(*running).out.splitlines()[-1])
    change_records(folder, lambda line: line.replace(b'"status"', b'"state"'))
    ended = remem(*running)
    assert ended.code == 1
    assert ended.message.startswith(f"remem: {folder / RECORDS}:1: not a record")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("run", "nosuch=1"), "unknown key 'nosuch'"),
        (("doctor", "xyz"), "'xyz' is not an override"),
        (("table", "offlin"), "did you mean 'offline'?"),
        (("table", "--all", "recollection"), "leave out the name"),
        (("data", "fetch", "locmo"), "did you mean 'locomo'?"),
        (("compare", "nosuch", "nosuch"), "nosuch is not a run: it does not exist"),
        (("wandb", "nosuch"), "nosuch is not a run: it does not exist"),
        (("run", "+reader.build.mood=good"), "reader: ExtractiveReader got an unexpected"),
        (("run", "reader.build._target_=os.system"), "to use your own package"),
        (("table", "offline", "method=nosuch"), "unknown method 'nosuch'; choose "),
        (
            ("table", "--override", "convention=strict"),
            "write only the override, convention=strict",
        ),
        (("table", "--nosuch"), "No such option"),
        (("nosuch",), "remem has no command 'nosuch'; choose run, table"),
        (("judge", "RUN"), "judge has no command 'RUN'; choose run, noise"),
    ],
)
def test_what_is_not_there_is_a_usage_error(
    remem: Command, arguments: tuple[str, ...], complaint: str
) -> None:
    ended = remem(*arguments)
    assert ended.code == 2
    assert complaint in ended.err


def test_a_score_and_a_convention_that_are_not_there_are_told_with_the_nearest(
    remem: Command, running: tuple[str, ...]
) -> None:
    folder = remem(*running).out.splitlines()[-1]
    for option, near in (("--score=belu1", "bleu1"), ("--set=strit", "strict")):
        ended = remem("score", folder, option)
        assert ended.code == 2
        assert f"did you mean {near!r}?" in ended.message


def test_python_m_remem_is_the_command() -> None:
    command = [sys.executable, "-m", "remem", "list", "methd"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("remem: unknown group 'methd'")


def test_questions_in_error_have_their_own_code_and_are_asked_again(
    remem: Command, running: tuple[str, ...], rehearsal: ModuleType
) -> None:
    rehearsal.FAILING.add("h1/0")
    ended = remem(*running)
    assert ended.code == 3
    first, reason, again = ended.err.splitlines()[-3:]
    assert first == "remem: 1 of 4 questions failed. The first reason, once:"
    assert reason.startswith("  TimeoutError: no answer in time (rehearsal.py:")
    assert "run the same command: it asks only the failed questions again." in again
    rehearsal.FAILING.clear()
    assert remem(*running).code == 0


def lines(runs: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in runs.rglob(RECORDS))


def test_an_interrupted_run_says_so_and_goes_on_from_there(
    tmp_path: Path,
    remem: Command,
    running: tuple[str, ...],
    rehearsal: ModuleType,
    environment: dict[str, str],
) -> None:
    command = (*running, "method.build._target_=rehearsal.PatientAtTheEnd")
    with subprocess.Popen(
        [REMEM, *command],
        env=environment,
        stderr=subprocess.PIPE,
    ) as process:
        while lines(tmp_path / "runs") < 3:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    complaint = err.decode().splitlines()[-1]
    assert complaint == "remem: interrupted; run the same command to continue"
    assert b"Traceback" not in err

    rehearsal.ARRIVED.set()
    assert remem(*command).code == 0
    assert rehearsal.ASKED == ["h2/1"]
