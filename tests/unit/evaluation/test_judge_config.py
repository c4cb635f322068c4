"""The judge's model is that of the run; a manifest of somebody else leads no key astray."""

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.config.instantiation import UsageError
from remem.config.settings import Endpoint
from remem.evaluation.judge_config import judge_config, told_model
from remem.run.opened_run import Run
from remem.run.store import open_run as open_store
from remem.types import Gold, Record

RECORD = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")
ELSEWHERE = "llm.build.endpoint.base_url=http://gpu7:8000/v1"
SERVED = ("llm=vllm", "llm.name=mine", "llm.build.endpoint.model=M", ELSEWHERE)
OpenRun = Callable[..., Run]


@pytest.fixture
def open_run(make_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> OpenRun:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return lambda *overrides: Run.open(make_run([RECORD], *overrides))


def judging(run: Run, *overrides: str) -> Endpoint:
    """Return the endpoint that a judge of the run asks."""
    model = judge_config(run, overrides).settings.judge.chat_model
    assert model is not None
    return model.endpoint.answering


def test_a_model_with_a_name_of_ones_own_judges_at_its_address(open_run: OpenRun) -> None:
    run = open_run(*SERVED, "llm.build.endpoint.max_output_tokens=77")
    asked = judging(run)
    assert (asked.model, asked.base_url, asked.max_output_tokens) == (
        *("M", "http://gpu7:8000/v1", 77),
    )
    assert told_model(judge_config(run, ()), run) == (
        "the judge's model is M at http://gpu7:8000/v1, which also answered the run"
    )
    assert judging(run, "llm.build.endpoint.max_output_tokens=5").max_output_tokens == 5


@pytest.mark.parametrize("key", ["llm", "llm@judge_llm"])
def test_a_model_that_an_override_names_judges_instead(open_run: OpenRun, key: str) -> None:
    run = open_run(*SERVED)
    asked = judging(run, f"{key}=gpt-5-chat")
    assert (asked.model, asked.base_url) == ("gpt-5-chat-latest", "https://api.openai.com/v1")
    told = told_model(judge_config(run, [f"{key}=gpt-5-chat"]), run)
    assert told == "the judge's model is gpt-5-chat-latest at https://api.openai.com/v1"


def test_a_replayed_run_is_judged_by_the_model_whose_replies_it_has(open_run: OpenRun) -> None:
    asked = judging(open_run("llm=replay", "llm@llm.recorded=gpt-5-chat"))
    assert (asked.model, asked.base_url) == ("gpt-5-chat-latest", "https://api.openai.com/v1")


@pytest.mark.parametrize("chosen", ["llm=none", "llm=gguf"])
def test_a_run_without_such_a_model_says_to_name_one(open_run: OpenRun, chosen: str) -> None:
    run = open_run(chosen, *(["llm.path=x.gguf"] if chosen == "llm=gguf" else []))
    with pytest.raises(UsageError, match=rf"the run \({chosen}\) cannot be used: add one, such as"):
        judge_config(run, ())
    assert judge_config(run, ["judge=rules"]).settings.judge.chat_model is None


def test_no_key_goes_to_an_address_that_only_the_manifest_names(
    open_run: OpenRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = open_run(*SERVED)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with pytest.raises(UsageError, match="the key in OPENAI_API_KEY would be sent there"):
        judge_config(run, ())
    assert judging(run, ELSEWHERE).base_url == "http://gpu7:8000/v1"
    assert judge_config(run, ["judge=rules"]).settings.judge.chat_model is None


def test_a_manifest_cannot_name_a_variable_of_the_environment(open_run: OpenRun) -> None:
    run = open_run(*SERVED, "llm.build.endpoint.key_variable=HOME")
    assert judging(run).key_variable == "OPENAI_API_KEY"
    with open_store(run.folder) as store:
        manifest = store.read_manifest()
        manifest["config"]["llm"]["build"]["endpoint"]["model"] = "${oc.env:HOME}"
        store.write_manifest(manifest)
    with pytest.raises(UsageError, match="cannot be used"):
        judge_config(Run.open(run.folder), ())
