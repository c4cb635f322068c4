"""The reader that uses the dataset's own prompt, as published with Test of Time.

For Full-Context, the prompt is unchanged. For other memories, the retrieved evidence replaces the
facts in the prompt. The reply is JSON: {"explanation", "answer"}.
"""

import json
from collections.abc import Iterator

from remem.errors import RejectedReplyError
from remem.metrics.qa import normalised_tot_answer
from remem.metrics.tokens import estimated_tokens
from remem.prompts.interaction import PROMPT, Cap
from remem.prompts.replies import json_objects, object_schema, whole_text
from remem.protocols import ChatMessage, ChatModel, ChatReply, ChatRequest
from remem.readers.direct import evidence_texts, interaction_history
from remem.temporal.statements import Statement, statements_of
from remem.temporal.templates import answer_question, parse_question, parse_statement
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query

REPLY_SCHEMA = object_schema(
    {
        "explanation": {"type": "string"},
        "answer": {
            "anyOf": [
                {"type": "string"},
                {"type": "integer"},
                {"type": "array", "items": {"type": "string"}},
            ]
        },
    }
)


class DatasetPromptReader:
    """Asks a model with the dataset's own prompt; refuses without a call if nothing was found."""

    shows_steps = True

    def __init__(self, *, chat_model: ChatModel, items_shown: int, characters_shown: int) -> None:
        """Store the model and the settings.

        Args:
            chat_model: The model.
            items_shown: The maximum number of gists, and of facts, shown per step.
            characters_shown: The maximum number of characters of a line of a step.
        """
        self._chat_model = chat_model
        self._cap = Cap(items_shown, characters_shown)

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query only from the evidence."""
        history = interaction_history(evidence, self._cap)
        if not history:
            return Answer(REFUSAL_PHRASE)
        messages = (ChatMessage("user", _prompt(query, evidence, history)),)
        request = ChatRequest("read", messages, reply_schema=REPLY_SCHEMA)
        text, usage = self._chat_model.ask(request, parse_dataset_answer)
        return Answer(text, estimated_tokens(history), usage)


def parse_dataset_answer(reply: ChatReply) -> str:
    """Return the value of "answer" in a reply, in the format of the dataset's labels.

    Raises:
        RejectedReplyError: The value is missing, or has the wrong type: it must be a text, an
            integer, or a list of texts and integers.
    """
    answers = [
        json_object for json_object in json_objects(whole_text(reply)) if "answer" in json_object
    ]
    if not answers:
        raise RejectedReplyError("the reply holds no JSON object with an answer")
    answer = answers[-1]["answer"]
    values = answer if isinstance(answer, list) else [answer]
    if not all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
        raise RejectedReplyError("the answer is not a text, an integer or a list of these")
    return normalised_tot_answer(json.dumps({"answer": answer}))


def _prompt(query: Query, evidence: Evidence, history: str) -> str:
    """Return the dataset's prompt with its facts replaced by the evidence.

    The prompt is unchanged if the evidence consists of all its facts in the same order.
    """
    match = PROMPT.fullmatch(query.prompt)
    if match is None:
        raise ValueError(
            f"question {query.id} has no Test of Time prompt, which reader=dataset_prompt needs; "
            f"use reader=direct"
        )
    if tuple(passage.id for passage in evidence.passages) == query.order:
        return query.prompt
    return query.prompt[: match.start("facts")] + history + query.prompt[match.end("facts") :]


class SymbolicReader:
    """Answers templated questions from facts, statements and counts in the evidence."""

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer in the format of the dataset's labels; refuse if the evidence has no answer."""
        question = parse_question(query.text)
        answer = None
        if question is not None:
            statements = (*statements_of(evidence.facts), *_stated(evidence))
            answer = answer_question(question, statements, _counted(evidence))
        tokens = estimated_tokens("\n".join(evidence_texts(evidence)))
        return Answer(answer or REFUSAL_PHRASE, context_tokens=tokens)


def _stated(evidence: Evidence) -> Iterator[Statement]:
    statements = [gist.text for gist in evidence.gists]
    for text in (*statements, *(passage.text for passage in evidence.passages)):
        for line in text.splitlines():
            statement = parse_statement(line)
            if statement is not None:
                yield statement


def _counted(evidence: Evidence) -> int | None:
    counts = [step.observation.count for step in evidence.steps]
    return next((count for count in reversed(counts) if count is not None), None)
