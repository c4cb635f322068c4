"""The reader without a model for multiple-choice questions: it compares words.

An option is supported by a line of the evidence as far as the line has the words that tell the
option apart. Words that all options share, and those of the question, say nothing about the choice.
The support is a share of these words, so that a long option has no advantage.
"""

import math
from collections.abc import Sequence

from remem.metrics.tokens import estimated_tokens
from remem.readers.lines import parse_lines
from remem.readers.options import chosen, options_of
from remem.readers.rendering import evidence_texts
from remem.readers.terms import terms
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query


class ChoiceReader:
    """Chooses the option with the best support, or refuses if the evidence supports none."""

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query from the evidence alone."""
        options = options_of(query)
        texts = evidence_texts(evidence)
        lines = [terms(line.body) for text in texts for line in parse_lines(text)]
        shares = option_supports(query.text, options, lines)
        tokens = estimated_tokens("\n".join(texts))
        best = max(shares)
        if best == 0:
            return Answer(REFUSAL_PHRASE, tokens)
        return Answer(chosen(shares.index(best)).text, tokens)


def option_supports(
    question: str, options: Sequence[str], lines: Sequence[frozenset[str]]
) -> list[float]:
    """Return the support of each option, from 0 to 1: the share of its own words that lines have.

    A word counts by idf(word) = log(1 + lines / (1 + lines with the word)).

    Args:
        question: The question, whose words do not count.
        options: The options.
        lines: The words of each line of the evidence.
    """
    told = [terms(option) for option in options]
    shared = frozenset.intersection(*told) | terms(question)
    own = [words - shared for words in told]
    known = frozenset().union(*lines)
    idf = {
        word: math.log(1 + len(lines) / (1 + sum(word in line for line in lines)))
        for words in own
        for word in words
    }
    # fsum, because a set's order differs between processes, and rounding could decide ties.
    totals = [math.fsum(idf[word] for word in words) for words in own]
    found = [math.fsum(idf[word] for word in words & known) for words in own]
    return [part / total if total else 0.0 for part, total in zip(found, totals, strict=True)]
