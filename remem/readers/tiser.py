"""The reader with the stages of TISER (ACL 2025): reasoning, timeline, reflection, answer.

It works with any memory (paper, TISER as a reader). The prompt is ours, or TISER's if it was
downloaded.
"""

import re
from itertools import pairwise

from remem.errors import RejectedReplyError
from remem.prompts.replies import CutReplyError, valid_text
from remem.protocols import ChatReply
from remem.readers.answer_lines import parse_answer
from remem.readers.direct import DirectReader

_STAGE = re.compile(r"<\s*/?\s*(?:reasoning|timeline|reflection|answer)\s*>", re.IGNORECASE)
_TAG = re.compile(r"<\s*(/?)\s*answer\s*>", re.IGNORECASE)


def parse_tagged_answer(reply: ChatReply) -> str:
    """Return the text between the last pair of answer tags.

    The answer is the last stage, so a reply that was cut after it is complete. A reply without any
    tags is parsed like a reply to a prompt that asks for no tags.

    Raises:
        CutReplyError: The reply was cut before an answer was complete.
        RejectedReplyError: There is no pair of answer tags, or no readable answer.
    """
    text = valid_text(reply)
    if not _STAGE.search(text):
        return parse_answer(reply)
    tags = list(_TAG.finditer(text))
    pairs = [
        (opened.end(), closed.start())
        for opened, closed in pairwise(tags)
        if not opened[1] and closed[1]
    ]
    if not pairs and reply.truncated:
        raise CutReplyError
    if not pairs:
        raise RejectedReplyError("the reply has no text between <answer> and </answer>")
    start, end = pairs[-1]
    return text[start:end].strip()


class TiserReader(DirectReader):
    """A direct reader whose prompt asks for an answer in tags, which no grammar enforces."""

    grammar = ""
    parse = staticmethod(parse_tagged_answer)
