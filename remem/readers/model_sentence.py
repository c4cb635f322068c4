"""A reader for questions about your own log: it asks a model for one sentence.

Rules choose a few lines of the evidence for the prompt, to keep it short for a small model.
"""

import re

from remem.errors import RejectedReplyError
from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import valid_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.readers.answer_lines import DECORATION, parse_lines, without_opening_mark
from remem.readers.direct import evidence_texts
from remem.readers.extractive import supports
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query

GRAMMAR = r"""
root ::= [^\n]{1,300} "\n"?
"""
"""One line that is not empty."""
_LAST_END = re.compile(r"(?s).*[.!?](?=\s|$)")


class SentenceReader:
    """Shows a model the lines that support the question best and asks for one sentence."""

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        prompt: str,
        lines_shown: int,
        characters_shown: int,
        refusal_threshold: float,
        other_speaker_weight: float,
    ) -> None:
        """Store the model and the settings.

        Args:
            chat_model: The model.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            lines_shown: The maximum number of lines that the model is shown.
            characters_shown: The maximum number of characters of a line.
            refusal_threshold: The support, from 0 to 1, that the best line needs for the model to
                be asked at all.
            other_speaker_weight: The weight, from 0 to 1, of a line by a speaker other than the
                one that the question names.
        """
        if lines_shown < 1:
            raise ValueError(f"lines_shown is {lines_shown}, expected at least 1")
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._lines_shown = lines_shown
        self._cap = Cap(lines_shown, characters_shown)
        self._threshold = refusal_threshold
        self._other_speaker = other_speaker_weight

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query only from the evidence."""
        texts = [part for text in evidence_texts(evidence) for part in re.split(r"\n(?=\[)", text)]
        lines = [parse_lines(text)[0] for text in texts]
        shares = supports(query.text, lines, self._other_speaker)
        if max(shares, default=0.0) < self._threshold or not texts:
            return Answer(REFUSAL_PHRASE)
        ranked = sorted(range(len(texts)), key=lambda place: (-shares[place], place))
        shown = "\n".join(self._cap.line(texts[at]) for at in sorted(ranked[: self._lines_shown]))
        messages = self._prompt.render(
            question=query.dated_text, evidence=shown, refusal=REFUSAL_PHRASE
        )
        request = ChatRequest("read", messages, reply_grammar=GRAMMAR)
        text, usage = self._chat_model.ask(request, parse_sentence)
        return Answer(text, estimated_tokens(shown), usage)


def parse_sentence(reply: ChatReply) -> str:
    """Return the first line of a reply; if the line was cut, only its complete sentences.

    Raises:
        RejectedReplyError: There is no complete sentence.
    """
    text = without_opening_mark(valid_text(reply).strip(DECORATION)).strip(DECORATION)
    line, ended, _ = text.partition("\n")
    if reply.truncated and not ended:
        complete = _LAST_END.match(line)
        line = complete[0] if complete else ""
    if not line.strip(DECORATION):
        raise RejectedReplyError("the reply has no complete sentence")
    return line.strip(DECORATION)
