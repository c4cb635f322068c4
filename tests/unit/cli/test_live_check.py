"""The live check for users with a key: what it needs, and what it reports of a run on the stub."""

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from remem.cli.live_check import (
    READS,
    SMALL,
    LiveCheck,
    check_passed,
    check_ready,
    compose_checks,
    run_check,
    show_check,
)
from remem.config.run_config import run_config
from remem.errors import NotReadyError, NotReplayedError, QuestionsInErrorError
from remem.run.progress import no_view
from remem.serve.stub.stub import StubServer, StubSettings

DATA = os.environ.get("REMEM_DATA")


def test_without_key_and_data_it_says_both(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    config = run_config(*compose_checks([f"paths.data={tmp_path}"]))
    with pytest.raises(
        NotReadyError, match=r"OPENAI_API_KEY with a key for .*; LoCoMo \(no data at"
    ):
        check_ready(config)
    assert config.resolved["llm"]["build"]["budget_dollars"] == 0.2


@pytest.mark.app("small_model")
def test_a_model_that_cannot_be_served_here_is_missing(tmp_path: Path) -> None:
    model = ["llm=gguf", f"llm.path={tmp_path}/no.gguf", f"llm.sha256={'0' * 64}"]
    config, _ = map(run_config, compose_checks(model))
    with pytest.raises(NotReadyError, match="missing: llm=gguf cannot be served: "):
        check_ready(config)


@pytest.mark.app("small_model")
def test_a_model_of_this_machine_needs_no_key_data_or_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("REMEM_DATA", raising=False)
    monkeypatch.setattr(
        "remem.apps.small_model.local_server.LocalServer.checked_weights",
        lambda self: Path("as if it were installed"),
    )
    plans, reads = map(run_config, compose_checks(["llm=smollm2"]))
    for config in (plans, reads):
        check_ready(config)
        assert (config.dataset, config.limit) == ("generated_dialogues", 3)
        assert config.resolved["llm"]["build"]["budget_dollars"] is None
    assert (plans.planner, reads.planner) == ("llm", None)
    fewer = compose_checks(["llm=smollm2", "run.limit=1"])
    assert [run_config(item).limit for item in fewer] == [1, 1]


def test_on_made_up_dialogues_it_replays_itself_and_names_what_it_cannot_show(
    tmp_path: Path,
) -> None:
    with StubServer(StubSettings()) as stub:
        where = (f"llm.build.endpoint.base_url={stub.base_url}", f"paths.results={tmp_path}")
        chosen = [*SMALL, "llm=loopback-stub", *where]
        plans, reads = (run_config(*compose_checks(item)) for item in (chosen, [*chosen, *READS]))
        found = run_check(plans, no_view, reads)
    assert (found.result.total, found.result.errors, found.replayed) == (3, 0, (6, 6))
    counted, stored = found.calls
    assert counted == stored == 3 * 3 + 3 + 3  # steps and answers of a plan, and answers from BM25
    shown = text_of(found)
    assert "6 of 6" in shown
    assert "the paper's LoCoMo" not in shown
    assert "Only a stronger model can extract" in shown
    check_passed(found)
    with pytest.raises(QuestionsInErrorError, match="once:\\n  OSError: the shop is closed"):
        check_passed(replace(found, failures=("OSError: the shop is closed",)))
    with pytest.raises(NotReplayedError, match="reproduced only 5 of 6"):
        check_passed(replace(found, replayed=(5, 6)))


@pytest.mark.real_data
@pytest.mark.skipif(DATA is None, reason="REMEM_DATA is not set")
def test_it_tells_what_could_be_read_what_was_found_and_what_it_took(tmp_path: Path) -> None:
    with StubServer(StubSettings(size="paper")) as stub:
        where = (f"llm.build.endpoint.base_url={stub.base_url}", f"paths.results={tmp_path}")
        config = run_config(
            *compose_checks(["llm=loopback-stub", "llm.build.budget_dollars=null", *where])
        )
        check_ready(config)
        found = run_check(config, no_view)
    assert (found.result.total, found.result.errors, found.sessions) == (20, 0, 3)
    assert found.parsed == {"index": (6, 6), "recall": (60, 60), "read": (20, 20)}
    assert 20 <= found.gists / found.sessions <= 34  # the stub's replies have the paper's size
    assert found.replayed == (20, 20)
    shown = text_of(found)
    assert "6 of 6" in shown
    assert "26.8" in shown  # 730.1 gists a graph, 27.2 sessions
    assert "too few questions (n = 20)" in shown


def text_of(found: LiveCheck) -> str:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(show_check(found))
    return console.export_text()
