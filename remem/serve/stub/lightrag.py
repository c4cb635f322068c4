"""The stub's replies to LightRAG: names become entities, and adjacent names become relations."""

import json
import re
from itertools import pairwise

from remem.serve.chat_completions import ChatCompletionRequest, StubReply
from remem.serve.stub.words import content_words, names, sentences

MARK = "<|#|>"
"""What separates the parts of a row in LightRAG's prompts and replies."""
KEYWORDS = '"low_level_keywords"'
END = "<|COMPLETE|>"
_INPUT = re.compile(r"---Input Text---\n```\n(?:Date: [^\n]*\n)?(.*?)\n```", re.DOTALL)
_QUERY = re.compile(r"^User Query: (.*)$", re.MULTILINE)


def rows(request: ChatCompletionRequest) -> StubReply:
    """Return rows of entities and relations; no rows if the request asks for further ones."""
    inputs = _INPUT.findall(request.last)
    entities: dict[str, str] = {}
    relations: list[str] = []
    for sentence in sentences(" ".join((inputs[-1] if inputs else "").split("\n"))):
        sentence_names = names(sentence)
        for name in sentence_names:
            entities.setdefault(name, MARK.join(("entity", name, "Other", sentence)))
        for one, other in pairwise(sentence_names):
            relations.append(MARK.join(("relation", one, other, "speaks of", sentence)))
    return StubReply("lightrag_rows", "\n".join((*entities.values(), *relations, END)))


def keywords(request: ChatCompletionRequest) -> StubReply:
    """Return the names and the other content words of a question."""
    query = _QUERY.search(request.last)
    text = query[1] if query else request.last
    low = names(text)
    high = [word for word in content_words(text) if not any(word in name for name in low)]
    by_level = {"high_level_keywords": high, "low_level_keywords": low}
    return StubReply("lightrag_keywords", json.dumps(by_level))
