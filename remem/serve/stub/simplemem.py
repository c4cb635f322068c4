"""The stub's replies to SimpleMem: entries for a window, and a plan and queries for a question."""

import json
import re

from remem.serve.chat_completions import ChatCompletionRequest, StubReply
from remem.serve.stub.mem0 import told_facts
from remem.serve.stub.words import content_words, names

ENTRIES = '"lossless_restatement"'
PLAN = '"minimal_queries_needed"'
SEARCHES = "Information Requirements Analysis:"
COMPLETE = '"coverage_percentage"'
_WINDOW = re.compile(r"\[Current Window Dialogues\]\n(.*?)\n\n\[Requirements\]", re.DOTALL)
_LINE = re.compile(r"(?:\[([^\]\n]+)\] )?(.*)")
_QUESTION = re.compile(r"^(?:Original )?Question: (.*)$", re.MULTILINE)
_MOST_KEYWORDS = 3


def entries(request: ChatCompletionRequest) -> StubReply:
    """Return an entry for each message of a window, except small talk."""
    window = _WINDOW.search(request.last)
    messages = [_LINE.fullmatch(line) for line in (window[1] if window else "").splitlines()]
    listed = [_entry(line[2], line[1]) for line in messages if line and told_facts(line[2])]
    return StubReply("simplemem_entries", json.dumps(listed))


def plan(request: ChatCompletionRequest) -> StubReply:
    """Return a plan that needs one piece of information."""
    question = _question(request)
    needed = {"info_type": "fact", "description": question, "priority": "high"}
    reply = {
        "question_type": "factual",
        "key_entities": names(question),
        "required_info": [needed],
        "relationships": [],
        "minimal_queries_needed": 2,
    }
    return StubReply("simplemem_plan", json.dumps(reply))


def searches(request: ChatCompletionRequest) -> StubReply:
    """Return two search queries: the question, and its content words."""
    question = _question(request)
    queries = [question, " ".join(content_words(question)) or question]
    reply = {"reasoning": "its words", "queries": list(dict.fromkeys(queries))}
    return StubReply("simplemem_searches", json.dumps(reply))


def complete(request: ChatCompletionRequest) -> StubReply:
    """Return the assessment that the search results are sufficient."""
    reply = {"assessment": "complete", "reasoning": "", "missing_info_types": []}
    return StubReply("simplemem_complete", json.dumps(reply | {"coverage_percentage": 100}))


def _question(request: ChatCompletionRequest) -> str:
    question = _QUESTION.search(request.last)
    return question[1] if question else request.last


def _entry(text: str, time: str | None) -> dict[str, object]:
    return {
        "lossless_restatement": text,
        "keywords": content_words(text)[:_MOST_KEYWORDS],
        "timestamp": time,
        "location": None,
        "persons": [],
        "entities": [],
        "topic": None,
    }
