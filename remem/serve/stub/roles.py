"""Replies of the stub to the planner, the readers and the judge of this package."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from remem.serve.chat_completions import ChatCompletionRequest, StubReply
from remem.serve.stub.answers import answer_from, same_meaning
from remem.types import REFUSAL_PHRASE

_QUESTION = re.compile(r"^Question:\s*(.*)$", re.MULTILINE)
_STEP = re.compile(r"^Step \d+$", re.MULTILINE)
_GIST = re.compile(r"^- (g\d+) ", re.MULTILINE)
_FACT = re.compile(r"^- f\d+ ([^|\n]+) \|", re.MULTILINE)
_OFFERED = re.compile(r"^- (\w+)\(", re.MULTILINE)
_GOLD = re.compile(r"(?:Reference|Gold)[ _]answer:\s*(.*)", re.IGNORECASE)
_GRADED = re.compile(r"(?:Answer to be graded|Generated[ _]answer):\s*(.*)", re.IGNORECASE)
LAST_CALL = "This is your last call."


def plan(request: ChatCompletionRequest) -> StubReply:
    """Return the next tool call: first retrieve, then explore, then output an answer."""
    tool, arguments = _next_call(request.last, _offered(request))
    thought = (
        f"Step {len(_STEP.findall(request.last)) + 1}: I use {tool} on what the question says."
    )
    if request.functions:
        return StubReply("plan", thought, ((tool, json.dumps(arguments)),))
    keys = _keys(request.schema_of_reply)
    arguments = {**_nulls(request.schema_of_reply, arguments), **arguments}
    return StubReply("plan", json.dumps(dict(zip(keys, (thought, tool, arguments), strict=True))))


def direct_answer(request: ChatCompletionRequest) -> StubReply:
    """Return a thought and an answer."""
    answer = answer_from(*_question_and_evidence(request))
    return StubReply("read", f"Thought: {_because(answer.line)}\nAnswer: {answer.answer}")


def sentence(request: ChatCompletionRequest) -> StubReply:
    """Return only an answer, as a sentence."""
    answer = answer_from(*_question_and_evidence(request))
    return StubReply("read", f"It is {answer.answer}." if answer.line else answer.answer)


def tagged_answer(request: ChatCompletionRequest) -> StubReply:
    """Return an answer with the four tagged stages of TISER."""
    answer = answer_from(*_question_and_evidence(request))
    stages = {
        "reasoning": _because(answer.line),
        "timeline": answer.line or "Nothing is dated.",
        "reflection": "The line and the reasoning agree.",
        "answer": answer.answer,
    }
    return StubReply("read", "\n".join(f"<{tag}>{text}</{tag}>" for tag, text in stages.items()))


def dataset_answer(request: ChatCompletionRequest) -> StubReply:
    """Return an explanation and an answer in the JSON format of Test of Time."""
    answer = answer_from(*_question_and_evidence(request))
    return StubReply(
        "read", json.dumps({"explanation": _because(answer.line), "answer": answer.answer})
    )


def verdict(request: ChatCompletionRequest) -> StubReply:
    """Return a verdict, based on the words that the answer shares with the gold answer."""
    gold, graded = (_first_group(mark, request.last) for mark in (_GOLD, _GRADED))
    same = same_meaning(gold, graded)
    reason = "The answer names the same thing." if same else "The answer names something else."
    label = "CORRECT" if same else "WRONG"
    return StubReply("judge", json.dumps({"explanation": reason, "label": label}))


def _next_call(shown: str, offered: Sequence[str]) -> tuple[str, dict[str, Any]]:
    question, steps = _first_group(_QUESTION, shown), len(_STEP.findall(shown))
    retrieval = [tool for tool in ("semantic_retrieve", "lexical_retrieve") if tool in offered]
    if LAST_CALL not in shown:
        if steps == 0 and retrieval:
            return retrieval[0], {"query": question}
        if steps == 1 and (explored := _explored(shown, offered)):
            return explored
    answer = answer_from(question, shown.partition("\nStep 1\n")[2]).answer
    return "output_answer", {"answer": answer}


def _explored(shown: str, offered: Sequence[str]) -> tuple[str, dict[str, Any]] | None:
    """Return a call that explores the first gist in the prompt, or else the first fact."""
    gist, fact = _GIST.search(shown), _FACT.search(shown)
    if gist and "find_gist_contexts" in offered:
        return "find_gist_contexts", {"gist_id": gist[1]}
    if fact and "find_entity_contexts" in offered:
        return "find_entity_contexts", {"subject": fact[1]}
    return None


def _offered(request: ChatCompletionRequest) -> list[str]:
    """Return the names of the tools, from the request, the schema or the prompt."""
    if request.functions:
        return [function.name for function in request.functions]
    _, tool, _ = _keys(request.schema_of_reply)
    listed = request.schema_of_reply.get("properties", {}).get(tool, {}).get("enum")
    return [str(name) for name in listed or _OFFERED.findall(request.system)]


def _keys(schema: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the keys of the thought, tool and arguments: ours, or those of the released code."""
    if "function" in schema.get("properties", {}):
        return "reasoning", "function", "parameters"
    return "thought", "tool", "arguments"


def _nulls(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, None]:
    """Return null for each argument of the tool, because strict endpoints require all of them."""
    _, _, named = _keys(schema)
    shapes = schema.get("properties", {}).get(named, {}).get("anyOf", [])
    fitting = [shape for shape in shapes if set(arguments) <= set(shape.get("properties", {}))]
    return dict.fromkeys(fitting[0].get("properties", {})) if fitting else {}


def _question_and_evidence(request: ChatCompletionRequest) -> tuple[str, str]:
    asked = list(_QUESTION.finditer(request.last))
    if not asked:
        return request.last, request.last
    # The evidence comes before the question, in some prompts after it.
    before, after = request.last[: asked[-1].start()], request.last[asked[-1].end() :]
    return asked[-1][1], before if before.strip() else after


def _first_group(mark: re.Pattern[str], text: str) -> str:
    match = mark.search(text)
    return match[1].strip() if match else ""


def _because(line: str) -> str:
    return f"This line tells it: {line.strip()}" if line else f"There is {REFUSAL_PHRASE}."
