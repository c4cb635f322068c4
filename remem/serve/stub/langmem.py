"""Replies of the stub to LangMem: a call for each new fact of a session, in one reply."""

import json
import re

from remem.serve.chat_completions import ChatCompletionRequest, StubReply
from remem.serve.stub.mem0 import told_facts

_SESSION = re.compile(
    r"<session_[\w-]+>\n=+ Human Message =+\n\n(?:Date: [^\n]*\n)?(.*?)\n</session_", re.DOTALL
)
TOOL = "Memory"
"""The tool that adds a memory."""


def memories(request: ChatCompletionRequest) -> StubReply:
    """Return a call to add each sentence of the session, except those already in memory."""
    session = _SESSION.search(request.last)
    facts = told_facts(session[1] if session else "")
    new = [fact for fact in facts if fact not in request.system]
    calls = tuple((TOOL, json.dumps({"content": fact})) for fact in new)
    return StubReply("langmem_memories", "" if calls else "There is nothing new.", calls)
