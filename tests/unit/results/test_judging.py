"""Verdicts are stored next to a run's records, one per answer and repeat, for several judges."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.config.settings import EndpointSettings
from remem.errors import UsageError
from remem.metrics.scores import summarise
from remem.results.judging import Judged, describe_judge_model, judge_config, judge_run
from remem.results.run import Run
from remem.results.verdicts import configured_verdicts
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.run.store import open_run as open_store
from remem.types import Gold, Record

MODEL = "judge.build.chat_model={_target_:scripted_model.Configured,repeat:0}"
YES, NO = '{"label": "CORRECT"}', '{"label": "WRONG"}'
Configure = Callable[..., RunConfig]


@pytest.fixture
def configure(rehearsed: tuple[str, ...], tmp_path: Path) -> Configure:
    """Compose the rehearsal with the judge of a scripted model."""
    packages = "run.packages=[rehearsal,scripted_model]"

    def make(*overrides: str) -> RunConfig:
        chosen = [*rehearsed, packages, f"paths.results={tmp_path}", *overrides]
        return run_config(compose_config(chosen))

    return make


@pytest.fixture
def result(configure: Configure, rehearsal: ModuleType) -> RunResult:
    """A run of which one question of four ended in an error."""
    rehearsal.FAILING.add("h2/1")
    return run_experiment(configure())


def judged(config: RunConfig, result: RunResult) -> Judged:
    return judge_run(config, result.folder, result.records)


def test_every_answer_is_judged_once_and_errors_are_not(
    configure: Configure, result: RunResult, scripted_model: ModuleType
) -> None:
    config = configure("judge=llm", MODEL)
    scripted_model.SCRIPTS.append(
        lambda request, repeat: YES if "h1/0" in request.messages[1].content else NO
    )
    found = judged(config, result)
    assert found == Judged(3, {"h1/0": 1.0, "h1/1": 0.0, "h2/0": 0.0})
    assert judged(config, result) == Judged(0, found.verdicts)
    assert len(scripted_model.ASKED) == 3
    assert configured_verdicts(config, result.folder, result.records) == found.verdicts


def test_a_verdict_that_is_not_to_be_had_is_an_error_and_the_next_start_asks_again(
    configure: Configure, result: RunResult, scripted_model: ModuleType
) -> None:
    config = configure("judge=llm", MODEL)
    scripted_model.SCRIPTS.append(
        lambda request, repeat: "I cannot say" if "h1/1" in request.messages[1].content else YES
    )
    assert judged(config, result) == Judged(
        3,
        {"h1/0": 1.0, "h2/0": 1.0},
        ("UnusableReplyError: expected the label CORRECT or WRONG, found []",),
    )
    scripted_model.SCRIPTS[:] = [lambda request, repeat: NO]
    assert judged(config, result) == Judged(1, {"h1/0": 1.0, "h1/1": 0.0, "h2/0": 1.0})


def test_repeats_are_asked_of_the_model_as_repeats_and_averaged(
    configure: Configure, result: RunResult, scripted_model: ModuleType
) -> None:
    config = configure("judge=llm", MODEL, "judge.repeats=4", "runner.workers=3")
    scripted_model.SCRIPTS.append(lambda request, repeat: YES if repeat else NO)
    found = judged(config, result)
    assert found == Judged(12, dict.fromkeys(("h1/0", "h1/1", "h2/0"), 0.75))
    summary = summarise(result.records, config.score_convention(), found.verdicts)
    mean = summary.overall.means["llm_judge"]
    assert mean is not None and (mean.mean, mean.n) == (0.75, 3)


def test_each_judge_has_a_file_of_its_own_and_the_run_keeps_its_name(
    configure: Configure, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("=== user ===\n{{ question }}\n")
    plain, chosen = configure("judge=llm", MODEL), configure("judge=llm", MODEL)
    own = configure("judge=llm", MODEL, f"judge.build.prompt={mine}")
    assert plain.judgments == chosen.judgments != own.judgments
    first = own.judgments
    mine.write_text("=== user ===\n{{ question }}!\n")
    assert own.judgments != first
    assert (plain.judge_prompt, configure().judge_prompt) == ("own", "none")
    assert own.judge_prompt.startswith("mine.txt:")
    assert plain.fingerprint([]) == own.fingerprint([]) == configure().fingerprint([])


def test_without_a_judge_nothing_is_judged_or_read(configure: Configure, result: RunResult) -> None:
    assert configured_verdicts(configure(), result.folder, result.records) == {}
    with pytest.raises(UsageError, match="no judge is chosen"):
        judged(configure(), result)
    summary = summarise(result.records, configure().score_convention(), None)
    assert summary.overall.means["llm_judge"] is None


UNJUDGED = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")
ELSEWHERE = "llm.build.endpoint.base_url=http://gpu7:8000/v1"
SERVED = ("llm=vllm", "llm.name=mine", "llm.build.endpoint.model=M", ELSEWHERE)
OpenRun = Callable[..., Run]


@pytest.fixture
def open_run(make_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> OpenRun:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return lambda *overrides: Run.open(make_run([UNJUDGED], *overrides))


def judging(run: Run, *overrides: str) -> EndpointSettings:
    """Return the settings of the endpoint that a judge of the run would ask."""
    model = judge_config(run, overrides).settings.judge.chat_model
    assert model is not None
    return model.endpoint.answering


def test_a_model_with_a_name_of_ones_own_judges_at_its_address(open_run: OpenRun) -> None:
    run = open_run(*SERVED, "llm.build.endpoint.max_output_tokens=77")
    asked = judging(run)
    assert (asked.model, asked.base_url, asked.max_output_tokens) == (
        *("M", "http://gpu7:8000/v1", 77),
    )
    assert describe_judge_model(judge_config(run, ()), run) == (
        "the judge's model is M at http://gpu7:8000/v1, which also answered the run"
    )
    assert judging(run, "llm.build.endpoint.max_output_tokens=5").max_output_tokens == 5
    replayed = open_run("llm=replay", "llm@llm.recorded=gpt-5-chat")
    assert judging(replayed).model == "gpt-5-chat-latest"


def test_a_model_that_an_override_names_judges_instead(open_run: OpenRun) -> None:
    run = open_run(*SERVED)
    for chosen in ("llm=gpt-5-chat", "llm@judge_llm=gpt-5-chat"):
        told = describe_judge_model(judge_config(run, [chosen]), run)
        assert told == "the judge's model is gpt-5-chat-latest at https://api.openai.com/v1"


@pytest.mark.app("small_model")
@pytest.mark.parametrize("chosen", ["llm=none", "llm=gguf"])
def test_a_run_without_such_a_model_says_to_name_one(open_run: OpenRun, chosen: str) -> None:
    run = open_run(chosen, *(["llm.path=x.gguf"] if chosen == "llm=gguf" else []))
    with pytest.raises(UsageError, match=rf"the run \({chosen}\); add one, such as"):
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
    with pytest.raises(UsageError, match="cannot use the model of the run"):
        judge_config(Run.open(run.folder), ())
