"""Replies and files as known servers produce them, each with the value that should be read.

The cases are in tests/parts/field; each one runs through the real parts over loopback HTTP. A word
of `expected` may have alternatives, separated by |, since a message may be worded in several ways.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remem.benchmarks.locomo import LoCoMo
from remem.config.instantiation import instantiate_checked
from remem.config.run_config import configure
from remem.errors import StopRunError, UnusableReplyError
from remem.judge.llm_judge import REPLY_SCHEMA, parse_label
from remem.llm.chat_model import StoredChatModel
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.memory.llm_planner import parse_native_call
from remem.memory.tool_arguments import tool_specs
from remem.protocols import ChatMessage, ChatReply, ChatRequest
from remem.readers.answer_lines import parse_answer
from remem.serve.http_handler import EVERYTHING, Reply, Request
from remem.serve.server import LoopbackServer
from remem.types import ToolCall

FIELD = Path(__file__).parents[2] / "parts" / "field"
QUESTION = "Where does Ann live?"
SENTENCE = "The museum opened again in May. "
ERRORS = (StopRunError, RuntimeError, ValueError, LookupError, TypeError)
SPEAKERS = {"speaker_a": "Iris", "speaker_b": "Omar"}
SESSION = [{"speaker": "Iris", "dia_id": "D1:1", "text": "I moved to Ghent yesterday."}]
APPS = {"own_log": "own_log", "own_run": "own_log", "import": "referee"}
"""The app that reads a kind of file."""
Case = Mapping[str, Any]
ChatModelOf = Callable[..., StoredChatModel]


def cases(file: str) -> list[Any]:
    """Return the cases of a file as parameters; they are skipped if their app is removed."""
    lines = (FIELD / file).read_text(encoding="utf-8").splitlines()
    listed = list(map(json.loads, lines))
    apps = [APPS.get(case.get("reads", "")) for case in listed]
    return [
        pytest.param(case, id=case["case"], marks=[pytest.mark.app(app)] if app else [])
        for case, app in zip(listed, apps, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a case: values or an error, the remarks, and the number of requests."""

    values: tuple[Any, ...]
    error: Exception | None
    remarks: str
    requests: int = 0


class FieldServer:
    """Sends the reply of a case to every POST, or its `then` to every POST but the first."""

    def __init__(self, case: Case) -> None:
        self.requests = 0
        self._case = case

    def answer(self, _: Request) -> Reply:
        self.requests += 1
        status, reply = self._reply()
        content = reply if isinstance(reply, str) else json.dumps(reply)
        headers = {"Retry-After": "0"} if status == 429 else {}
        kind = self._case.get("content_type", "application/json")
        return Reply(content.encode(), status, headers, kind)

    def _reply(self) -> tuple[int, Any]:
        case = self._case
        if self.requests > 1 and "then" in case:
            return 200, case["then"]
        if "prompt_tokens" not in case:
            return case["status"], case["reply"]
        counts = case["prompt_tokens"]
        tokens = counts[min(self.requests, len(counts)) - 1]
        usage = case["reply"]["usage"] | {"prompt_tokens": tokens, "total_tokens": tokens + 10}
        return case["status"], case["reply"] | {"usage": usage}


@pytest.mark.parametrize("case", cases("replies.jsonl"))
def test_a_reply_of_a_known_server_has_its_right_value(
    case: Case,
    chat_model: ChatModelOf,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TEST_KEY", raising=False)
    field, ask = FieldServer(case), embedded if case["asks"] == "embed" else asked
    with LoopbackServer({("POST", EVERYTHING): field.answer}) as server:
        values, error, remarks = ask(case, server.url + case.get("path", "/v1"), chat_model)
    outcome = Outcome(values, error, "\n".join([*remarks, *caplog.messages]), field.requests)
    check(case["expected"], outcome)


Asked = tuple[tuple[Any, ...], Exception | None, list[str]]
"""The values, the error and the remarks of an outcome."""


def asked(case: Case, url: str, chat_model: ChatModelOf) -> Asked:
    """Ask a chat model once for each length of a prompt, until there is an error."""
    model = chat_model(endpoint(case, url), attempts=1)
    values: list[Any] = []
    remarks: list[str] = []
    for request in requests(case):
        try:
            value, usage = model.ask(request, PARSERS[case["asks"]])
        except ERRORS as error:
            return tuple(values), error, remarks
        values.append(value)
        remarks.extend(getattr(usage, "remarks", {}))
    return tuple(values), None, remarks


def embedded(case: Case, url: str, _: ChatModelOf) -> Asked:
    """Embed the texts of a case."""
    usual = settings("embedder=api", "embedder", "build", "embedder")
    own = {"base_url": url, "api_key_variable": None, "dimension": 3, "retries": 0, "calls": None}
    embedder = instantiate_checked({**usual, **own})
    try:
        vectors = embedder.embed_documents(case.get("texts") or texts(case["characters"]))
    except ERRORS as error:
        return (), error, []
    return (np.round(vectors, 6).tolist(),), None, []


def parse_call(reply: ChatReply) -> tuple[str, Mapping[str, Any]]:
    """Return the tool and the arguments of a native call."""
    call: ToolCall = parse_native_call(reply)
    return call.tool, call.arguments


PARSERS: dict[str, Callable[[ChatReply], Any]] = {
    "reader": parse_answer,
    "judge": parse_label,
    "planner": parse_call,
}


def requests(case: Case) -> list[ChatRequest]:
    """Return the requests of the part that a case names, one for each length of a prompt."""
    prompts = texts(case["characters"]) if "characters" in case else [QUESTION]
    messages = [(ChatMessage("user", prompt),) for prompt in prompts]
    if case["asks"] == "judge":
        return [ChatRequest("judge", message, reply_schema=REPLY_SCHEMA) for message in messages]
    if case["asks"] == "planner":
        tools = tool_specs(["semantic_retrieve"])
        return [ChatRequest("recall", message, tools=tools) for message in messages]
    return [ChatRequest("read", message) for message in messages]


def texts(lengths: Sequence[int]) -> list[str]:
    """Return different English texts of these lengths in characters."""
    return [f"{at}: {SENTENCE * length}"[:length] for at, length in enumerate(lengths, start=1)]


@cache
def settings(choice: str, *build: str) -> Mapping[str, Any]:
    """Return the settings of the endpoint or embedder in a file of conf."""
    resolved: Any = configure(choice).resolved
    return reduce(getitem, build, resolved)


def endpoint(case: Case, url: str) -> OpenAIEndpoint:
    """Return an endpoint with the settings of llm=openai_compatible and those of a case."""
    own = {"base_url": url, "key_variable": "TEST_KEY", "timeout_seconds": 10}
    own |= {"model": case.get("model", "local-model"), "tries": case.get("tries", 1)}
    usual = settings("llm=openai_compatible", "llm", "build", "endpoint")
    built: OpenAIEndpoint = instantiate_checked({**usual, **own, **case.get("settings", {})})
    return built


def check(expected: Mapping[str, Any], outcome: Outcome) -> None:
    """Compare an outcome with the value that is right."""
    refusal = next((key for key in REFUSALS if key in expected), None)
    if "complaint" in expected:  # a warning or an error, as both are heard
        check_words(expected["complaint"], f"{outcome.error or ''}\n{outcome.remarks}")
    elif refusal is not None:
        assert outcome.error is not None, f"no error, but {outcome.values}"
        assert isinstance(outcome.error, REFUSALS[refusal]), repr(outcome.error)
        check_words(expected[refusal], str(outcome.error))
        if "exit" in expected:
            assert getattr(outcome.error, "exit_code", None) == expected["exit"]
    elif outcome.error is not None:
        raise outcome.error
    else:
        right = right_value(expected)
        assert all(value == right for value in outcome.values), outcome.values
    if "remark" in expected:
        assert bool(outcome.remarks) == bool(expected["remark"]), outcome.remarks or "no remark"
        check_words(expected["remark"], outcome.remarks)
    if "requests" in expected:
        assert outcome.requests == expected["requests"]


REFUSALS: dict[str, type[Exception] | tuple[type[Exception], ...]] = {
    "rejected": UnusableReplyError,
    "stops": StopRunError,
    "error": ERRORS,
}


def right_value(expected: Mapping[str, Any]) -> Any:
    """Return the value that every request of a case must give."""
    if "tool" in expected:
        return expected["tool"], expected["arguments"]
    return next(expected[kind] for kind in VALUES if kind in expected)


VALUES = ("answer", "label", "vectors", "golds", "errors")


def check_words(words: Sequence[str], text: str) -> None:
    """Check that a text has one of the alternatives of each word."""
    folded = text.casefold()
    missing = [
        word for word in words if not any(part.casefold() in folded for part in word.split("|"))
    ]
    assert not missing, f"{missing} is not in {text!r}"


@pytest.mark.parametrize("case", cases("files.jsonl"))
def test_a_file_of_data_or_answers_has_its_right_value(
    case: Case, tmp_path: Path, remem: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    if case["reads"] == "own_run":
        check_run(case, tmp_path, remem, caplog)
        return
    try:
        outcome = Outcome((READERS[case["reads"]](case, tmp_path),), None, "")
    except ERRORS as error:
        outcome = Outcome((), error, "")
    check(case["expected"], outcome)


def locomo_golds(case: Case, folder: Path) -> list[list[str]]:
    """Return the gold answers of a conversation with the questions of a case."""
    session = {"session_1": SESSION, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    conversation = {"sample_id": "conv-1", "conversation": SPEAKERS | session, "qa": case["qa"]}
    (folder / "locomo").mkdir()
    (folder / "locomo" / "locomo10.json").write_text(json.dumps([conversation]), encoding="utf-8")
    benchmark = LoCoMo(data=str(folder), file="locomo10.json", evidence_rule="paper")
    return [list(question.gold.answers) for question in benchmark.questions("conv-1")]


def own_golds(case: Case, folder: Path) -> list[list[str]]:
    """Return the gold answers of the questions about a log of one's own."""
    from remem.apps.own_log.logs.benchmark import OwnLog

    log, questions = write_own(case, folder)
    benchmark = OwnLog(log=str(log), questions=str(questions))
    return [list(question.gold.answers) for question in benchmark.questions("log")]


def write_own(case: Case, folder: Path) -> tuple[Path, Path]:
    """Write a log and the questions about it."""
    log, questions = folder / "log.txt", folder / "questions.jsonl"
    log.write_text(case["log"], encoding="utf-8")
    lines = (json.dumps(question) + "\n" for question in case["questions"])
    questions.write_text("".join(lines), encoding="utf-8")
    return log, questions


def imported_errors(case: Case, folder: Path) -> list[str]:
    """Return the ids of questions whose imported answer is an error, by its record or a finding."""
    from remem.apps.referee.audits.audited import find
    from remem.apps.referee.imports.importing import read_matched

    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in case["rows"]), encoding="utf-8")
    matched = read_matched([path])
    in_error = {
        record.query_id for run in matched for record in run.records if record.status == "error"
    }
    findings = [finding for finding in find(matched, ()) if "error" in finding.check]
    return sorted(in_error.union(*(finding.ids for finding in findings)))


READERS: dict[str, Callable[[Case, Path], Any]] = {
    "locomo": locomo_golds,
    "own_log": own_golds,
    "import": imported_errors,
}


def check_run(
    case: Case, folder: Path, remem: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Check that a run has plausible scores, or says why it has none."""
    log, questions = write_own(case, folder)
    build = (f"dataset.build.log={log}", f"dataset.build.questions={questions}")
    quick = ("method.build.top_k=2", "convention.score.resamples=99")
    parts = ("dataset=own_log", "method=bm25_messages", "reader=extractive")
    ended = remem(folder, "run", *parts, *build, *quick)
    expected = case["expected"]
    files = list(folder.rglob("scores.json"))
    overall = json.loads(files[0].read_bytes())["overall"] if files else {}
    scores = {name: overall.get(name, {}).get("mean", 0.0) for name in overall if name in expected}
    if not scores or any(mean < expected[name] for name, mean in scores.items()):
        output = f"{ended.out}\n{ended.err}\n{caplog.text}".replace(str(folder), "")
        assert scores or ended.code, output
        check_words(expected["or_remark"], output)
