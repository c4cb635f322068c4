"""Readers that choose an option by its length, by words of the evidence, or with a model.

Readers that ignore the evidence serve as lower bounds in a table. A score that is not above these
bounds says nothing about the memory.
"""

import math
from collections.abc import Sequence
from string import ascii_lowercase
from typing import Literal

from remem.errors import RejectedReplyError
from remem.metrics.choices import TAG, lettered
from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.readers.answer_lines import parse_lines
from remem.readers.direct import evidence_texts, interaction_history
from remem.readers.ranked_sentences import terms
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query

Length = Literal["longest", "shortest"]


def options_of(query: Query) -> tuple[str, ...]:
    """Return the options of a question.

    Raises:
        ValueError: The question has no options.
    """
    if not query.options:
        raise ValueError(
            f"question {query.id} has no options to choose from, which this reader needs; use "
            f"dataset=personamem, or reader=extractive"
        )
    return query.options


def chosen(position: int) -> Answer:
    """Return the answer that names the option at a position, counted from 0.

    >>> chosen(2).text
    '(c)'
    """
    return Answer(f"({ascii_lowercase[position]})")


class OptionByLength:
    """Chooses the longest or shortest option in characters; on a tie, the first."""

    def __init__(self, *, length: Length) -> None:
        if length not in ("longest", "shortest"):
            raise ValueError(f"unknown length {length!r}, expected 'longest' or 'shortest'")
        self._sign = 1 if length == "longest" else -1

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the letter of the option."""
        lengths = [self._sign * len(option) for option in options_of(query)]
        return chosen(lengths.index(max(lengths)))


class SameOption:
    """Always chooses the same letter."""

    def __init__(self, *, letter: str) -> None:
        if letter not in _letters(26):
            raise ValueError(f"unknown letter {letter!r}, expected a letter from a to z")
        self._letter = letter

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the letter.

        Raises:
            ValueError: The question has no such option.
        """
        letters = _letters(len(options_of(query)))
        if self._letter not in letters:
            raise ValueError(
                f"question {query.id} has no option ({self._letter}), only {', '.join(letters)}"
            )
        return chosen(letters.index(self._letter))


def _letters(count: int) -> Sequence[str]:
    return list(ascii_lowercase[:count])


class ChoiceReader:
    """Chooses the option with the best support, or refuses if the evidence supports none."""

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query only from the evidence."""
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
    """Return each option's support, from 0 to 1: the share of its words that occur in the lines.

    Words are weighted by idf(word) = log(1 + lines / (1 + lines with the word)). Words that all
    options share do not count.

    Args:
        question: The question, whose words do not count.
        options: The options.
        lines: The words of each line of the evidence.
    """
    option_terms = [terms(option) for option in options]
    shared = frozenset.intersection(*option_terms) | terms(question)
    own = [words - shared for words in option_terms]
    line_terms = frozenset().union(*lines)
    idf = {
        word: math.log(1 + len(lines) / (1 + sum(word in line for line in lines)))
        for words in own
        for word in words
    }
    # fsum, because a set's order differs between processes, and rounding could decide ties.
    totals = [math.fsum(idf[word] for word in words) for words in own]
    supports = [math.fsum(idf[word] for word in words & line_terms) for words in own]
    return [part / total if total else 0.0 for part, total in zip(supports, totals, strict=True)]


NOTHING = "(nothing was found)"


class ChoiceModelReader:
    """Asks a model for a thought and a letter, with or without evidence."""

    shows_steps = True

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        prompt: str,
        items_shown: int,
        characters_shown: int,
    ) -> None:
        """Store the model and the settings.

        Args:
            chat_model: The model.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            items_shown: The maximum number of gists, and of facts, shown per step.
            characters_shown: The maximum number of characters of a line of a step.
        """
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._cap = Cap(items_shown, characters_shown)

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Choose one of the options of the query."""
        options = "\n".join(lettered(options_of(query)))
        history = interaction_history(evidence, self._cap)
        messages = self._prompt.render(
            question=query.text, options=options, evidence=history or NOTHING
        )
        text, usage = self._chat_model.ask(ChatRequest("read", messages), parse_choice)
        return Answer(text, estimated_tokens(history), usage)


def parse_choice(reply: ChatReply) -> str:
    """Return the entire reply.

    Raises:
        RejectedReplyError: The reply was cut, or says nothing after <final_answer>.
    """
    text = whole_text(reply).strip()
    if not text or text.endswith(TAG):
        raise RejectedReplyError(f"the reply has no answer after {TAG}")
    return text
