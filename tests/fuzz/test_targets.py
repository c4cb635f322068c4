"""Every target of `python scripts/fuzz.py` on a few inputs, the same ones each time."""

import logging
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fuzzing.every_target import TARGETS
from fuzzing.harness import Target, drawn, fuzz, is_refused
from fuzzing.stranger_targets import Settings, read_settings

from remem.errors import SettingsError

INPUTS = 25
COSTLY = {"settings: folders", "settings: tables", "runs: records", "runs: manifests"}
"""Targets of which an input takes tens of milliseconds."""


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Suppress the warnings and log messages of the readers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_drawn_is_read_or_refused_by_a_clear_error(name: str) -> None:
    inputs = 10 if name in COSTLY else INPUTS
    outcome = fuzz(TARGETS[name], 7, range(inputs), timed=False)
    assert outcome.failures == []
    assert outcome.accepted + outcome.refused == inputs


def test_a_method_without_a_name_is_refused_by_its_key() -> None:
    """The error is a subclass of the documented one; `python scripts/fuzz.py` found this input."""
    nameless = Settings("method", b"build: {_target_: baselines.reference.NoMemory}", True)
    with pytest.raises(SettingsError, match=r"method\.name"):
        read_settings(nameless)
    assert is_refused(TARGETS["settings: folders"], nameless)


def test_the_name_of_an_embedder_is_not_the_model_whose_vectors_it_stores() -> None:
    """Otherwise a stranger's file could add vectors under the name of another model."""
    read_settings(Settings("embedder", b"defaults: [nv_embed_random]\nname: mine\n", False))


def _refuse(given: str) -> None:
    raise ValueError(given)


def _miss(given: str) -> None:
    {}[given]


def _leak(given: str) -> None:
    int(f"x{given}")


def _linger(given: str) -> None:
    end = time.thread_time() + 0.2
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize("read", [_refuse, _miss, _leak, _linger])
def test_what_is_no_clear_refusal_is_a_failure_and_its_input_is_kept(
    read: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fuzzing.harness.MOST_SECONDS", 0.1)
    # No line of these is one of the package's own, so that no refusal of theirs counts.
    target = Target("made up: x", lambda rng: str(rng.random()), read)
    outcome = fuzz(target, 3, range(1), keep=tmp_path)
    assert len(outcome.failures) == 1
    [kept] = tmp_path.iterdir()
    assert repr(drawn(target, 3, 0)) in kept.read_text("utf-8")


def test_the_same_seed_draws_the_same_inputs() -> None:
    for target in TARGETS.values():
        assert drawn(target, 5, 11) == drawn(target, 5, 11), target.name
