"""The reader for small models: rules answer date and yes-no questions, a model all others.

A tiny model cannot compute dates, and each token of its prompt takes time, so it sees only the best
supporting lines, without their dates. Its reply is a sentence, from which the answer is extracted
by the same rules as from a line of evidence.
"""

from collections.abc import Sequence

from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import valid_text
from remem.protocols import ChatModel, ChatReply, ChatRequest, Reader
from remem.readers.answer_lines import DECORATION, Line, parse_lines, without_opening_mark
from remem.readers.direct import evidence_texts
from remem.readers.extractive import answer_span, asks_date, asks_truth, supports
from remem.types import Answer, Evidence, Query


class HybridReader:
    """Asks a model what the rules cannot answer; uses the rules if the reply is unusable."""

    def __init__(
        self,
        *,
        rules: Reader,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        prompt: str,
        lines_shown: int,
        characters_shown: int,
        other_speaker_weight: float,
    ) -> None:
        """Store the parts and the settings.

        Args:
            rules: The reader of when- and yes-no-questions.
            chat_model: The model for all other questions.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            lines_shown: The maximum number of lines that the model is shown.
            characters_shown: The maximum number of characters of a line.
            other_speaker_weight: The weight, from 0 to 1, of a line by a speaker other than the
                one that the question names.
        """
        if lines_shown < 1:
            raise ValueError(f"lines_shown is {lines_shown}, expected at least 1")
        self._rules = rules
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._lines_shown = lines_shown
        self._cap = Cap(lines_shown, characters_shown)
        self._other_speaker = other_speaker_weight

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query from the evidence, by the rules or with the model."""
        shown = self.best_lines(query.text, evidence)
        if not shown or asks_date(query.text) or asks_truth(query.text):
            return self._rules.read(query, evidence)
        messages = self._prompt.render(question=query.text, evidence=shown)
        reply, usage = self._chat_model.ask(ChatRequest("read", messages), parse_short_answer)
        if reply is None:
            text = self._rules.read(query, evidence).text
        else:
            text = answer_span(query.text, parse_lines(reply)[0])
        return Answer(text, estimated_tokens(shown), usage)

    def best_lines(self, question: str, evidence: Evidence) -> str:
        """Return the lines that support the question best, in the order of the evidence."""
        lines = [line for text in evidence_texts(evidence) for line in parse_lines(text)]
        best = _best(supports(question, lines, self._other_speaker), self._lines_shown)
        return "\n".join(self._cap.line(_undated(lines[place])) for place in best)


def parse_short_answer(reply: ChatReply) -> str | None:
    """Return the first line of a reply, or None if the line is empty or was cut.

    An opening such as "The answer is" is left out.

    Raises:
        RejectedReplyError: The text cannot be encoded.
    """
    text = without_opening_mark(valid_text(reply).strip(DECORATION))
    line, ended, _ = text.strip(DECORATION).partition("\n")
    if reply.truncated and not ended:
        return None
    return line.strip(DECORATION) or None


def _best(shares: Sequence[float], count: int) -> list[int]:
    """Return the positions of the `count` highest shares, in order; ties go to the first."""
    ranked = sorted(range(len(shares)), key=lambda place: (-shares[place], place))
    return sorted(ranked[:count])


def _undated(line: Line) -> str:
    return f"{line.speaker}: {line.body}" if line.speaker else line.body
