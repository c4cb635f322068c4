"""The exit code and message of each error; a wrong name is reported with the nearest one."""

import errno
import inspect
from pathlib import Path

import pytest
from hydra.errors import HydraException
from packaging.requirements import Requirement

from remem import errors
from remem.config.error_messages import ending, file_complaint, hydra_complaint
from remem.config.extras import Extra
from remem.config.run_config import compose_config
from remem.run.question_record import recordable
from remem.run.store import CANONICAL, MANIFEST, RECORDS, TIMINGS, open_run


class OfAnAppError(RuntimeError):
    """An error that an app could define."""

    exit_code = 9


def unknown_choice() -> Exception:
    with pytest.raises(HydraException) as wrong:
        compose_config(["method=zzzz"])
    return wrong.value


def test_every_error_has_one_of_the_documented_exit_codes() -> None:
    classes = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    ours = [kind for kind in classes if issubclass(kind, Exception)]
    assert {kind.exit_code for kind in ours} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(12, "Cannot allocate memory"),
        ImportError("mtrand.so: failed to map segment from shared object"),
    ],
)
def test_no_memory_left_is_one_sentence(error: Exception) -> None:
    ended = ending(error)
    assert ended is not None
    assert (ended.code, ended.message[:13]) == (1, "out of memory")
    with pytest.raises(errors.StopRunError, match="out of memory"):
        recordable(error, "a question failed")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OfAnAppError("not passed"), 9),
        (errors.UsageError("which?"), 2),
        (errors.QuestionsInErrorError("2 failed"), 3),
        (errors.BudgetReachedError("spent"), 4),
        (errors.WrongFileError("another file"), 5),
        (errors.StopRunError("stopped"), 1),
        (ImportError("pip install it"), 1),
    ],
)
def test_an_error_ends_the_command_with_its_code_and_message(error: Exception, code: int) -> None:
    assert ending(error) == errors.Ending(code, str(error))


def test_errors_of_hydra_and_of_files_are_reworded_and_a_bug_is_not() -> None:
    unknown = unknown_choice()
    assert ending(unknown) == errors.Ending(2, hydra_complaint(unknown))
    missing = FileNotFoundError(2, "No such file or directory", "nosuch.file")
    assert ending(missing) == errors.Ending(2, file_complaint(missing))
    assert ending(KeyError("a bug")) is None


def told(*overrides: str) -> str:
    with pytest.raises(HydraException) as wrong:
        compose_config(overrides)
    return hydra_complaint(wrong.value)


def test_a_wrong_override_is_told_with_the_nearest_name() -> None:
    cases = [
        ("data=locomo", "did you mean 'dataset'?"),
        ("run.limt=2", "did you mean 'run.limit'?"),
        ("method=rmem_i", "did you mean 'remem_i'?"),
        ("lexical=bm25s", "choose bm25, bm25_characters or rank_bm25; did you mean 'bm25'?"),
        ("metod=remem_i", "unknown key 'metod'; did you mean 'method'?"),
        ("scor.f1=mem0", "did you mean 'convention.score.f1'?"),
        ("f1=mem0", "did you mean 'convention.score.f1'?"),
        ("method=zzzz", "unknown method 'zzzz'; choose bm25_messages"),
        ("locmo", "expected key=value, such as method=remem_i; did you mean 'dataset=locomo'?"),
        ("zzzz", "'zzzz' is not an override; expected key=value"),
    ]
    for override, said in cases:
        assert said in told(override)


def test_a_key_of_another_choice_is_not_its_own_suggestion() -> None:
    said = told("dataset=generated_tot", "dataset.build.conversations=1")
    assert "'dataset.build.conversations'" in said and "did you mean" not in said


@pytest.fixture
def launchers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the launchers of extras: one is not installed, one is."""
    extras = {
        "fleet": Extra("cluster", (Requirement("hydra-fleet-launcher"),)),
        "basis": Extra("there", (Requirement("hydra-core"),)),
    }
    monkeypatch.setattr("remem.config.error_messages.launcher_extras", lambda: extras)


@pytest.mark.usefixtures("launchers")
def test_a_missing_launcher_is_named_with_the_command_of_its_extra_or_with_the_nearest() -> None:
    for launcher in ("fleet", "fleet_local"):
        assert told(f"hydra/launcher={launcher}") == (
            f"hydra/launcher={launcher} needs the extra cluster, which is not installed: "
            f"pip install '.[cluster]'"
        )
    for launcher, near in (("flet", "fleet"), ("basis_c", "basic")):
        assert f"did you mean {near!r}?" in told(f"hydra/launcher={launcher}")


def test_a_file_that_only_the_system_misses_is_named_without_its_number() -> None:
    with pytest.raises(FileNotFoundError) as missing:
        Path("nosuch.file").read_bytes()
    said = file_complaint(missing.value)
    assert said.startswith("no such file or folder: 'nosuch.file'")
    assert "Errno" not in said
    assert file_complaint(FileNotFoundError("no data at x: get it")) == "no data at x: get it"


def test_a_file_that_is_not_permitted_is_named_with_what_to_do() -> None:
    error = PermissionError(errno.EACCES, "Permission denied", "data/locomo/locomo10.json")
    assert ending(error) == errors.Ending(
        1,
        "data/locomo/locomo10.json cannot be opened or created: Permission denied; make it and its "
        "folder data/locomo accessible to you (chmod, or ask their owner), or name another one",
    )


@pytest.mark.parametrize("name", [MANIFEST, RECORDS, TIMINGS, CANONICAL])
def test_a_folder_in_the_place_of_a_file_of_a_run_is_named_with_what_to_do(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError) as raised, open_run(tmp_path, "0" * 12) as store:
        store.write_canonical()
    assert file_complaint(raised.value).startswith(f"{tmp_path / name} is a folder")
    (tmp_path / name).rmdir()
    with open_run(tmp_path, "0" * 12) as store:
        assert store.write_canonical() == ()
