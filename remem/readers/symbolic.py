"""A reader without a model for templated temporal questions: it computes the answer.

It reads facts, and statements in gists and passages, so it works with every memory. Given all facts
it makes no mistakes, so a row that gives it all facts is an upper bound, not a competitor.
"""

from collections.abc import Iterator

from remem.metrics.tokens import estimated_tokens
from remem.readers.direct import evidence_texts
from remem.temporal.statements import Statement, statements_of
from remem.temporal.templates import answer_question, parse_question, parse_statement
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query


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
    told = [gist.text for gist in evidence.gists]
    for text in (*told, *(passage.text for passage in evidence.passages)):
        for line in text.splitlines():
            statement = parse_statement(line)
            if statement is not None:
                yield statement


def _counted(evidence: Evidence) -> int | None:
    counts = [step.observation.count for step in evidence.steps]
    return next((count for count in reversed(counts) if count is not None), None)
