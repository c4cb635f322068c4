"""The answer of a reply is parted from thoughts, boxes and the tokens of chat templates."""

import pytest

from remem.errors import RejectedReplyError
from remem.llm.channels import BOX, HARMONY, REFUSED, THOUGHTS, answer_only, part
from remem.protocols import ChatReply, NativeCall
from remem.types import Usage


def reply(text: str, *, truncated: bool = False, remarks: tuple[str, ...] = ()) -> ChatReply:
    return ChatReply(text, (), truncated, Usage(), remarks=remarks)


@pytest.mark.parametrize(
    ("text", "answer", "rules"),
    [
        ("Answer: Rome", "Answer: Rome", ()),
        ("<think>Answer: Oslo</think> Rome", " Rome", (THOUGHTS,)),
        ("<think>a <think>b</think> Oslo</think>Rome", "Rome", (THOUGHTS,)),
        ("Oslo, no.\n</think>\nRome", "\nRome", (THOUGHTS,)),
        ("Rome\n<think>Or Oslo?", "Rome\n", (THOUGHTS,)),
        ("[THINK]Oslo[/THINK]Rome", "Rome", (THOUGHTS,)),
        ("\u25c1think\u25b7Oslo\u25c1/think\u25b7Rome", "Rome", (THOUGHTS,)),
        (
            "<reasoning>Answer: Oslo</reasoning><answer>Rome</answer>",
            "<answer>Rome</answer>",
            (THOUGHTS,),
        ),
        ("<reasoning>It is Rome.</reasoning>", "<reasoning>It is Rome.</reasoning>", ()),
        (
            "<|channel|>analysis<|message|>Oslo<|end|><|channel|>final<|message|>Rome",
            "Rome",
            (HARMONY,),
        ),
        ("<|channel|>analysis<|message|>Oslo<|end|>", "", (HARMONY,)),
        ("analysisWe need Oslo.assistantfinalRome", "Rome", (HARMONY,)),
        ("analysis of Rome", "analysis of Rome", ()),
        ("Answer: Rome<|im_end|>\nAnswer: Oslo", "Answer: Rome", ()),
        ("<|im_start|>assistant\nRome</s>", "Rome", ()),
        ("Answer: <|begin_of_box|>Rome<|end_of_box|>", "Answer: Rome", (BOX,)),
        (r"Answer: $\boxed{\text{Rome}}$", "Answer: Rome", (BOX,)),
        (r"So $$\boxed{f(\{1\})}$$", "So \nAnswer: f(\\{1\\})", (BOX,)),
    ],
)
def test_only_the_answer_is_left(text: str, answer: str, rules: tuple[str, ...]) -> None:
    assert (part(text).answer, part(text).rules) == (answer, rules)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (reply("<think>The answer is Oslo.\nAnswer: Rome"), "had thoughts and no answer"),
        (reply("<|channel|>commentary to=functions.x<|message|>{}<|call|>"), "no answer"),
        (reply("", remarks=(REFUSED,)), "had a refusal of the model"),
    ],
)
def test_a_reply_without_an_answer_is_rejected(bad: ChatReply, reason: str) -> None:
    with pytest.raises(RejectedReplyError, match=reason):
        answer_only(bad)


@pytest.mark.parametrize(
    "good",
    [
        reply("<think>Hm", truncated=True),
        ChatReply("", (NativeCall("look", "{}"),), False, Usage()),
    ],
)
def test_a_cut_reply_and_a_call_are_left_to_their_parsers(good: ChatReply) -> None:
    assert answer_only(good).text == ""
