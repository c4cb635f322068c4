"""Separate the answer in a reply from other channels: thoughts, tool markup, boxes, end tokens.

Models and servers mark these channels in many ways, and some servers leave the marks in the text.
Only the text outside of other channels is used as the answer.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from remem.errors import RejectedReplyError
from remem.files.json_text import json_prefix
from remem.protocols import ChatReply

THOUGHTS = "had thoughts next to the answer, which are no part of it"
HARMONY = "had the channels of the harmony format, of which only the final one is read"
BOX = "had the answer in a box, which was taken out of it"
PARTS = "had their text in parts, which were joined"
NO_ANSWER = "had thoughts and no answer"
REFUSED = "had a refusal of the model in place of a text"


@dataclass(frozen=True, slots=True)
class PartedText:
    """The answer in a reply ("" if none), and the rules that separated it from the other text."""

    answer: str
    rules: tuple[str, ...] = ()


_HARMONY = re.compile(
    r"<\|channel\|>(?P<channel>\w*+)[^<]*+(?:<\|constrain\|>[^<]*+)?<\|message\|>(?P<text>.*?)"
    r"(?=<\|(?:end|return|call|start|channel)\|>|\Z)",
    re.DOTALL,
)
_STRIPPED_HARMONY = re.compile(
    r"\s*(?:analysis(?=[A-Z\"'(\d])|assistantfinal|(?:analysis|commentary).*assistantfinal)",
    re.DOTALL,
)
"""The beginning of a reply in harmony whose marks the server removed."""
_FINAL = "assistantfinal"

_THOUGHT_TAG = r"(?:think|thinking|thoughts?|seed:think|antThinking|inner_monologue|scratch_pad)>"
_THOUGHT_MARKS = re.compile(
    rf"(?P<opening><{_THOUGHT_TAG}|(?-i:\[THINK\])|\u25c1think\u25b7"
    r"|<\|begin_of_(?:thought|thinking)\|>|<\|START_THINKING\|>|<\|channel>thought"
    r"|<\|inner_prefix\|>|<unused94>|<details type=.reasoning.[^>]{0,200}+>"
    r"|\AHere is my thought process:)"
    rf"|(?P<closing></{_THOUGHT_TAG}|(?-i:\[/THINK\])|\u25c1/think\u25b7"
    r"|<\|end_of_(?:thought|thinking)\|>|<\|END_THINKING\|>|<channel\|>|<\|inner_suffix\|>"
    r"|<unused95>|</details>|\nHere is my response:)",
    re.IGNORECASE,
)
_SECTION_TAG = r"(?:reasoning|reflection|analysis|scratchpad)>"
_SECTION_MARKS = re.compile(
    rf"(?P<opening><{_SECTION_TAG})|(?P<closing></{_SECTION_TAG})", re.IGNORECASE
)
"""Sections that a prompt may ask for; they are thoughts only if there is an answer as well."""

_TURN = re.compile(
    r"<\|im_start\|>\s*assistant|<\|start_header_id\|>assistant<\|end_header_id\|>"
    r"|<\|assistant\|>|<start_of_turn>model|<\|START_OF_TURN_TOKEN\|><\|CHATBOT_TOKEN\|>"
    r"|<\|im_start\|>\s*(?:user|system)|<\|(?:user|system|observation)\|>"
)
_START = re.compile(rf"(?:\s*+(?:{_TURN.pattern}))++\s*+")
_END_OR_THOUGHT = re.compile(
    r"(?P<end><\|(?:im_end|endoftext|end_of_text|eot_id|eom_id|end|return|eot)\|>"
    r"|</s>|<eos>|<\|end_of_turn(?:_token)?\|>|<end_of_turn>|\[\|endofturn\|\]"
    r"|<\uff5cend\u2581of\u2581sentence\uff5c>)"
    rf"|{_THOUGHT_MARKS.pattern}",
    re.IGNORECASE,
)
"""Tokens of chat templates that begin or end a reply, and that some servers leave in the text.

One that begins a turn also ends the text before it.
"""
_WRAPPER = re.compile(
    r"<\|(?:begin|end)_of_(?:box|solution)\|>|<\|(?:START|END)_(?:RESPONSE|TEXT)\|>"
    r"|\A\s*<response>|</response>\s*\Z"
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_ANSWER_MARK = re.compile(r"\banswer\b", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
MOST_BOXES, LONGEST_BOX = 20, 2_000
"""Maximum number of boxes that are opened, and of characters in a box, so that 1 MB is fast.

A longer box reaches to the end of the text.
"""
_JSON = re.compile(r"\{|\[\s*[\[{\"]")
"""The beginning of an object, or of a list of more than numbers, which may be a footnote."""
QUOTES = ("`", '"', "'")
_FENCE = re.compile(r"\s*(?:```(?:json)?\s*)?")
_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}")


@lru_cache(maxsize=8)  # a reply is separated for its remarks and for its parser
def part(text: str) -> PartedText:
    r"""Return the answer in a reply's text, and the rules that separated it from the other text.

    >>> part("<think>Oslo?</think>\nAnswer: Rome<|im_end|>").answer
    '\nAnswer: Rome'
    >>> part("Answer: \\boxed{\\text{Rome}}").answer
    'Answer: Rome'
    """
    final = _final_channel(text)
    lead = _lead(final)
    end = _json_end(final, lead)  # texts in JSON may quote any mark
    has_lead = any(_marks(_THOUGHT_MARKS, final[:lead]))
    whole, rest = final[lead if has_lead else 0 : end], final[end:]
    ended = _before_end(rest)
    outside = _outside(ended, _THOUGHT_MARKS)
    turn = _first_turn(outside)
    spoken = _without_sections(turn)
    answer = _without_boxes(spoken)
    applied = {
        HARMONY: final != text,
        THOUGHTS: outside != ended or spoken != turn or (has_lead and bool(whole)),
        BOX: answer != spoken,
    }
    return PartedText(
        whole + answer, tuple(rule for rule, is_applied in applied.items() if is_applied)
    )


def _final_channel(text: str) -> str:
    """Return the last final channel of a text in harmony; other texts as they are."""
    channels = list(_HARMONY.finditer(text))
    if channels:
        finals = [match["text"] for match in channels if match["channel"] == "final"]
        return finals[-1] if finals else ""
    if _STRIPPED_HARMONY.match(text):
        return text.rpartition(_FINAL)[2] if _FINAL in text else ""
    return text


def _lead(text: str) -> int:
    """Return the start of JSON that begins a text or follows its thoughts; 0 if there is none."""
    at = len(text) - len(text.lstrip())
    opening = _THOUGHT_MARKS.match(text, at)
    if opening is not None and opening.lastgroup == "opening":
        closings = (mark for mark in _marks(_THOUGHT_MARKS, text) if mark["closing"])
        closing = next(closings, None)
        at = len(text) if closing is None else closing.end()
    fence = _FENCE.match(text, at)
    at = fence.end() if fence else at
    return at if _json_end(text, at) > at else 0


def _json_end(text: str, at: int) -> int:
    """Return the end of the JSON that begins at a place; the place itself if none does."""
    if not _JSON.match(text, at):
        return at
    try:
        return json_prefix(text, at)[1]
    except ValueError:
        return at


def _marks(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the marks in a text, except those in quotes, which are words of the answer."""
    for mark in pattern.finditer(text):
        quote = text[mark.start() - 1 : mark.start()]
        if quote not in QUOTES or not text.startswith(quote, mark.end()):
            yield mark


def _before_end(text: str) -> str:
    """Return a text up to the first end token outside of thoughts.

    The text after this token is another turn, whose thoughts may lack their beginning.
    """
    is_inside, struck = False, text.find("<s>", 1)
    for mark in _marks(_END_OR_THOUGHT, text):
        if mark.lastgroup != "end":
            is_inside = mark.lastgroup == "opening"
        elif not is_inside and not (mark[0] == "</s>" and 0 < struck < mark.start()):
            return text[: mark.start()]
    return text


def _first_turn(text: str) -> str:
    """Return a text up to the next turn, without the token that starts its own turn."""
    start = _START.match(text)
    return _TURN.split(text[start.end() :] if start else text, maxsplit=1)[0]


def _without_sections(text: str) -> str:
    marks = [match.lastgroup for match in _SECTION_MARKS.finditer(text)]
    if not marks or marks.count("opening") != marks.count("closing"):
        return text
    outside = _outside(text, _SECTION_MARKS)
    return outside if outside.strip() else text


def _outside(text: str, marks: re.Pattern[str]) -> str:
    """Return the text outside of marked blocks.

    A block without an opening mark begins with the text; one without a closing mark ends with it.
    """
    pieces: list[str] = []
    begin, is_inside = 0, False
    for mark in _marks(marks, text):
        if mark.lastgroup == "opening":
            pieces += [] if is_inside else [text[begin : mark.start()]]
            is_inside = True
        else:
            if not is_inside:
                pieces.clear()
            begin, is_inside = mark.end(), False
    return "".join(pieces if is_inside else [*pieces, text[begin:]])


def _without_boxes(text: str) -> str:
    r"""Return a text without the marks of boxes around answers, such as $\boxed{Rome}$.

    By convention a box is the answer, so "Answer: " is put before it if no such mark is there.
    """
    bare = _WRAPPER.sub("", text)
    for _ in range(MOST_BOXES):
        box = _BOXED.search(bare)
        if box is None:
            break
        end = _closing_brace(bare, box.end())
        before, after = bare[: box.start()].rstrip("$"), bare[end + 1 :].lstrip("$")
        mark = "" if _ANSWER_MARK.search(before) else "\nAnswer: "
        bare = before + mark + _TEXT.sub(r"\1", bare[box.end() : end]) + after
    return bare


def _closing_brace(text: str, at: int) -> int:
    """Return the position of the brace that closes the one before `at`; the end if none does."""
    depth = 1
    for brace in _BRACE.finditer(text, at, at + LONGEST_BOX):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text)


def answer_only(reply: ChatReply) -> ChatReply:
    """Return the reply with its text reduced to the answer.

    Raises:
        RejectedReplyError: The reply is complete, but has only thoughts or a refusal.
    """
    answer = part(reply.text).answer
    if not (answer.strip() or reply.tool_calls or reply.truncated):
        if REFUSED in reply.remarks:
            raise RejectedReplyError(f"the reply {REFUSED}")
        if NO_ANSWER in reply.remarks or reply.text.strip():
            raise RejectedReplyError(f"the reply {NO_ANSWER}")
    return reply if answer == reply.text else replace(reply, text=answer)


_TEXT_PARTS = ("text", "output_text", "refusal")
_THOUGHT_PARTS = ("thinking", "reasoning", "redacted_thinking", "reasoning_text", "summary_text")
_THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_details")


def join_parts(parts: list[Any]) -> str:
    """Join the parts of a message's content into one text, without the parts that are thoughts.

    Raises:
        ValueError: A part is neither text nor thoughts.
    """
    return "".join(_text_of_parts(parts))


def _text_of_parts(parts: list[Any]) -> Iterator[str]:
    for at, stated in enumerate(parts):
        if isinstance(stated, str):
            yield stated
            continue
        kind = stated.get("type", "text") if isinstance(stated, dict) else type(stated).__name__
        text = stated.get("text") if isinstance(stated, dict) else None
        is_thought = kind in _THOUGHT_PARTS or (
            isinstance(stated, dict) and "reasoningContent" in stated
        )
        if kind in _TEXT_PARTS and isinstance(text, str | None):
            yield text or ""
        elif not is_thought:
            raise ValueError(f"content.{at} is {str(kind)[:60]!r}, expected text")


def empty_remarks(message: dict[str, Any]) -> list[str]:
    """Return a remark if a message without text or tool calls has thoughts or a refusal.

    >>> empty_remarks({"content": "", "reasoning_content": "Hm."})
    ['had thoughts and no answer']
    """
    parts = message.get("content")
    kinds = [each.get("type") for each in parts if isinstance(each, dict)] if parts else []
    thoughts = [NO_ANSWER] if any(message.get(name) for name in _THOUGHT_FIELDS) else []
    return [REFUSED] if message.get("refusal") or "refusal" in kinds else thoughts
