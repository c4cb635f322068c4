"""The manifest says what was run, on which data, with which code, over all starts of a run."""

import importlib.metadata
import logging
import os
import platform
import subprocess
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.files import shipped
from remem.llm.endpoint import Served
from remem.protocols import DataFile
from remem.results.run import Run
from remem.run import manifest
from remem.run.manifest import ManifestWriter
from remem.run.run_result import RunResult
from remem.run.store import RunStore, Timing, open_run
from remem.types import Gold, Record, Usage

FILES = (DataFile("tiny.json", "a" * 64),)


@pytest.fixture(scope="module")
def config() -> RunConfig:
    return run_config(compose_config(["dataset=generated_tot", "method=no_memory"]))


@pytest.fixture(autouse=True)
def each_start_is_that_of_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_commit", "code_sum"):
        monkeypatch.setattr(manifest, name, getattr(manifest, name).__wrapped__)


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that takes the place of the one with our code."""
    folder = tmp_path / "code"
    for name in ("remem/run/manifest.py", "baselines/one.py", "README.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("first\n")
    monkeypatch.setattr(manifest, "package_folder", lambda: folder / "remem")
    monkeypatch.setattr(shipped, "package_folder", lambda: folder / "remem")
    monkeypatch.setattr(shipped, "baselines_folder", lambda: folder / "baselines")
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def git(folder: Path, *arguments: str) -> str:
    alone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    done = subprocess.run(
        ["git", "-C", folder, *who, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=alone,
    )
    return done.stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "a state of the code")
    return git(folder, "rev-parse", "HEAD")


def start(folder: Path, config: RunConfig) -> dict[str, object]:
    with open_run(folder / "run") as store:
        ManifestWriter.start(store, config, FILES, 4)
        return store.read_manifest()


def record(name: str, status: str) -> Record:
    return Record(name, "h", 0, "Is it so?", Gold(("yes",), "1"), status)  # type: ignore[arg-type]


def append(store: RunStore, name: str, status: str = "ok") -> None:
    store.append(record(name, status), Timing(name, 0.1, 0.2))


def test_it_holds_configuration_data_versions_and_fingerprint(
    tmp_path: Path, config: RunConfig
) -> None:
    content = start(tmp_path, config)
    assert content["config"] == config.resolved
    assert content["data"] == [{"name": "tiny.json", "sha256": "a" * 64}]
    assert content["fingerprint"] == config.fingerprint(FILES)
    assert content["llm"] == "none"
    packages = content["packages"]
    assert isinstance(packages, dict)
    assert packages["numpy"] == importlib.metadata.version("numpy")
    assert content["python"] == platform.python_version()


def test_only_changed_code_is_warned_of_and_both_commits_are_recorded(
    tmp_path: Path, config: RunConfig, code: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = git(code, "rev-parse", "HEAD")
    start(tmp_path, config)
    content = start(tmp_path, config)
    assert content["commits"] == [first]
    assert len(content["started"]) == 2  # type: ignore[arg-type]
    assert caplog.messages == []
    (code / "remem" / "manifest.py").write_text("second\n")
    second = commit(code)
    with caplog.at_level(logging.WARNING):
        assert start(tmp_path, config)["commits"] == [first, second]
    (warning,) = caplog.messages
    assert first in warning and second in warning


CODE = ("remem/new.py", "baselines/one.py")


@pytest.mark.parametrize("changed", [*CODE, "README.md"])
def test_uncommitted_code_is_not_taken_for_the_commit_and_what_is_no_code_does_not_count(
    tmp_path: Path, config: RunConfig, code: Path, changed: str
) -> None:
    (code / changed).write_text("second\n")
    head = git(code, "rev-parse", "HEAD")
    assert start(tmp_path, config)["commits"] == [f"{head}+changes" if changed in CODE else head]


def test_code_in_a_foreign_repository_or_outside_of_git_has_no_commit(
    tmp_path: Path, config: RunConfig, code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(code, "rm", "--quiet", "-r", "--cached", "remem")
    git(code, "commit", "--quiet", "--message", "without the code")
    assert start(tmp_path / "inside", config)["commits"] == ["unknown"]
    monkeypatch.setattr(manifest, "package_folder", lambda: tmp_path / "remem")
    assert start(tmp_path, config)["commits"] == ["unknown"]


def test_it_counts_answers_errors_and_what_indexing_took_over_all_starts(
    tmp_path: Path, config: RunConfig
) -> None:
    with open_run(tmp_path) as store:
        first = ManifestWriter.start(store, config, FILES, 4)
        first.indexed("h1", 1.5, reused=False)
        append(store, "q1")
        append(store, "q2", "error")
        first.finish(store.records())
        content = store.read_manifest()
        assert (content["answered"], content["errors"], content["questions"]) == (1, 1, 4)
        assert content["partial"]

        second = ManifestWriter.start(store, config, FILES, 4)
        second.indexed("h2", 0.25, reused=True)
        for name in ("q2", "q3", "q4"):
            append(store, name)
        second.finish(store.records())
        content = store.read_manifest()
    assert (content["answered"], content["errors"], content["partial"]) == (4, 0, False)
    assert content["index_seconds"] == 1.75
    assert content["index_seconds_of"] == {"h1": 1.5}  # loading is no building
    assert (content["indexes_built"], content["indexes_reused"]) == (1, 1)


def test_what_a_model_served_here_has_answered_is_summed_over_starts(
    tmp_path: Path, config: RunConfig
) -> None:
    with open_run(tmp_path) as store:
        first = ManifestWriter.start(store, config, FILES, 1)
        first.finish(store.records())
        assert "served" not in store.read_manifest()
        second = ManifestWriter.start(store, config, FILES, 1)
        second.served += Served(2, 900, 100, 8.0, 300, 120)
        second.finish(store.records())
        third = ManifestWriter.start(store, config, FILES, 1)
        third.served += Served(1, 450, 50, 4.0, 280, 150)
        third.finish(store.records())
        told = store.read_manifest()["served"]
    assert told == asdict(Served(3, 1350, 150, 12.0, 300, 150))


@dataclass
class Indexed:
    index_usage: Usage
    failures: tuple[tuple[str, str], ...] = ()


def test_what_an_index_took_outlives_a_kill_right_after_it(
    tmp_path: Path, config: RunConfig
) -> None:
    with open_run(tmp_path) as store:
        killed = ManifestWriter.start(store, config, FILES, 1)
        killed.account("h1", Indexed(Usage(2, 100, 10), (("s3", "no JSON"),)))

        # h1 is answered, and so is never indexed again
        resumed = ManifestWriter.start(store, config, FILES, 1)
        resumed.account("h2", Indexed(Usage(1, 50, 5)))
        resumed.finish(())
        content = store.read_manifest()
    tokens = {name: usage["prompt_tokens"] for name, usage in content["index_usage"].items()}
    assert tokens == {"h1": 100, "h2": 50}
    assert content["failed_episodes"] == [{"history": "h1", "episode": "s3", "reason": "no JSON"}]


def test_an_index_that_is_made_again_has_lost_only_what_failed_the_last_time(
    tmp_path: Path, config: RunConfig
) -> None:
    def failed(*episodes: str) -> list[str]:
        started = ManifestWriter.start(store, config, FILES, 1)
        started.account("h1", Indexed(Usage(1), tuple((name, "no JSON") for name in episodes)))
        return [episode["episode"] for episode in store.read_manifest()["failed_episodes"]]

    with open_run(tmp_path) as store:
        assert failed("s1", "s2") == ["s1", "s2"]
        assert failed("s2") == ["s2"]
        assert failed() == []


def test_cut_replies_are_counted_over_histories_questions_and_starts(
    tmp_path: Path, config: RunConfig
) -> None:
    with open_run(tmp_path) as store:
        ManifestWriter.start(store, config, FILES, 1).account(
            "h1", Indexed(Usage(9, 1, 1, cut_replies=2))
        )
        resumed = ManifestWriter.start(store, config, FILES, 1)
        resumed.account("h2", Indexed(Usage(9, 1, 1, cut_replies=1)))
        read = replace(record("q1", "ok"), read_usage=Usage(2, 1, 1, cut_replies=1))
        asked = replace(record("q2", "error"), recall_usage=Usage(3, 1, 1, cut_replies=3))
        resumed.finish((read, asked))
        content = store.read_manifest()
    assert content["cut_replies"] == {"index": 3, "recall": 3, "read": 1}
    assert content["index_usage"]["h1"]["cut_replies"] == 2


PAPERS = {"tokens": 32768, "source": "OpenAI's page of the model, 32,768 tokens"}


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["llm=none"], None),
        (
            ["llm=vllm", "llm.build.endpoint.max_output_tokens=9000"],
            {"tokens": 9000, "source": "unknown"},
        ),
        (["llm=replay", "llm@llm.recorded=gpt-4.1-mini-2025-04-14"], PAPERS),
    ],
)
def test_it_says_how_long_replies_may_be_and_by_whose_word(
    tmp_path: Path, overrides: list[str], expected: object
) -> None:
    composed = compose_config(["dataset=generated_tot", "method=no_memory", *overrides])
    assert start(tmp_path, run_config(composed))["output_cap"] == expected


@pytest.mark.parametrize("wrong", [None, True, "x", 7, [["x"]], {"h": {"calls": "y"}}])
def test_a_value_of_another_type_is_told_by_file_and_key(
    tmp_path: Path, config: RunConfig, monkeypatch: pytest.MonkeyPatch, wrong: object
) -> None:
    monkeypatch.setattr(manifest, "_commit", lambda: "c")
    monkeypatch.setattr(manifest, "code_sum", lambda: "s")
    with open_run(tmp_path) as store:
        started = ManifestWriter.start(store, config, FILES, 1)
        started.failed_episodes = [{"history": "h", "episode": "e", "reason": "r"}]
        started.finish(())
        whole = store.read_manifest()
        refused = []
        for key in whole:
            store.write_manifest({**whole, key: wrong})
            try:
                ManifestWriter.start(store, config, FILES, 1).finish(())
                _ = Run.of(config, RunResult(tmp_path, ())).stages
            except ValueError as error:
                assert str(error).startswith(f"{tmp_path}/manifest.json: {key}"), error
                assert "move the file away and run the same command again" in str(error)
                refused.append(key)
    assert {"data", "commits", "failed_episodes", "index_usage"} <= set(refused)
