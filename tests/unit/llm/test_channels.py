"""The answer in a reply is separated from thoughts, boxes and chat template tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
        ("Oslo, no.\n</think>\nRome", "\nRome", (THOUGHTS,)),
        ("Rome\n<think>Or Oslo?", "Rome\n", (THOUGHTS,)),
        (
            "<reasoning>Answer: Oslo</reasoning><answer>Rome</answer>",
            "<answer>Rome</answer>",
            (THOUGHTS,),
        ),
        ("<reasoning>It is Rome.</reasoning>", "<reasoning>It is Rome.</reasoning>", ()),
        ("<|channel|>analysis<|message|>Oslo<|end|>", "", (HARMONY,)),
        ("analysisWe need Oslo.assistantfinalRome", "Rome", (HARMONY,)),
        ("analysis of Rome", "analysis of Rome", ()),
        ("Here is my thought process:\nOslo\nHere is my response:\nRome", "\nRome", (THOUGHTS,)),
        ("<|channel>thought\nOslo<channel|>Rome", "Rome", (THOUGHTS,)),
        ('<details type="reasoning" done="true">Oslo</details>Rome', "Rome", (THOUGHTS,)),
        ("<think>Oslo</think><response>Rome</response>", "Rome", (THOUGHTS, BOX)),
        ('[{"gist": "<think>"}]</s>Oslo', '[{"gist": "<think>"}]', ()),
        ('<think>It is "Oslo"</think>Answer: "Rome"<|im_end|>', 'Answer: "Rome"', (THOUGHTS,)),
        ("the `</think>` of `[think]`", "the `</think>` of `[think]`", ()),
        ("Answer: Rome<|im_end|>\nAnswer: Oslo", "Answer: Rome", ()),
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


OPENINGS = (
    *("<think>", "<thinking>", "<Thought>", "<thoughts>", "<seed:think>", "<antThinking>"),
    *("[THINK]", "\u25c1think\u25b7", "<|begin_of_thought|>", "<|START_THINKING|>", "<unused94>"),
)
CLOSINGS = (
    *("</think>", "</thinking>", "</Thought>", "</thoughts>", "</seed:think>", "</antThinking>"),
    *("[/THINK]", "\u25c1/think\u25b7", "<|end_of_thought|>", "<|END_THINKING|>", "<unused95>"),
)
SECTIONS = ("<reasoning>", "</reasoning>", "<analysis>", "</analysis>", "<scratchpad>")
STARTS = (
    *("<|im_start|>assistant", "<|start_header_id|>assistant<|end_header_id|>", "<|assistant|>"),
    *("<start_of_turn>model", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"),
)
ENDS = (
    *("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|return|>", "</s>"),
    *("<end_of_turn>", "<|END_OF_TURN_TOKEN|>", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
)
BOXES = ("\\boxed{", "$\\fbox {", "\\text{", "{", "}", "$", "<|begin_of_box|>", "<|END_RESPONSE|>")
CHANNELS = (
    *("<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "<|channel|>", "<|start|>"),
    *("<|channel|>commentary to=functions.look<|constrain|>json<|message|>", "<|call|>"),
    *("analysisWe", "assistantfinal"),
)
TEXTS = ("Rome", "Answer: ", "answer", " ", "\n", "\t\n", "*", "**", "_", "|", "<", "\ud83d", "a")
MARKS = (*OPENINGS, *CLOSINGS, *SECTIONS, *STARTS, *ENDS, *BOXES, *CHANNELS)

open_text = st.lists(
    st.sampled_from(("Rome", "\n", "Answer: ", "\\boxed{Rome}", *SECTIONS)), max_size=3
).map("".join)
hidden_text = st.lists(st.sampled_from((*OPENINGS, *BOXES, *SECTIONS, "Oslo")), max_size=3).map(
    lambda pieces: "".join(("Oslo", *pieces, "Oslo"))
)
opening, closing = st.sampled_from(OPENINGS), st.sampled_from(CLOSINGS)
thoughts = st.tuples(opening, hidden_text, closing).map("".join)


@settings(max_examples=80)
@given(
    st.just("") | closing.map("Oslo{}".format),
    st.lists(open_text | thoughts, max_size=5).map("".join),
    st.just("") | st.tuples(opening, hidden_text).map("".join),
    st.just("") | st.tuples(st.sampled_from((*ENDS, *STARTS)), hidden_text).map("".join),
)
def test_what_stands_only_in_thoughts_or_after_the_end_is_no_part_of_the_answer(
    unopened: str, middle: str, unclosed: str, after: str
) -> None:
    assert "Oslo" not in part(unopened + middle + unclosed + "Rome" + after).answer


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("analysis", "final", "commentary to=functions.look")),
            st.sampled_from(("", "<|constrain|>json", " ")),
            st.sampled_from(("<|end|>", "<|return|>", "<|call|>", "")),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_of_the_channels_of_harmony_only_the_last_final_one_is_read(
    channels: list[tuple[str, str, str]],
) -> None:
    text = "".join(
        f"<|start|>assistant<|channel|>{name}{kind}<|message|>{name[0]}{at}{end}"
        for at, (name, kind, end) in enumerate(channels)
    )
    finals = [f"f{at}" for at, (name, _, _) in enumerate(channels) if name == "final"]
    assert part(text).answer == (finals[-1] if finals else "")


@given(st.lists(st.sampled_from(("Rome", "Answer: ", " ", "\n", "{", "}", "$5", "a < b", "*"))))
def test_a_text_without_marks_is_the_answer_as_it_is(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert (part(text).answer, part(text).rules) == (text, ())


@settings(max_examples=80)
@given(st.lists(st.sampled_from((*MARKS, *TEXTS)) | st.text(max_size=3), max_size=20))
def test_any_text_can_be_parted_and_gets_no_longer_but_by_the_marks_of_boxes(
    pieces: list[str],
) -> None:
    text = "".join(pieces)
    assert len(part(text).answer) <= len(text) + text.count("box") * len("\nAnswer: ")


@pytest.mark.parametrize("end", ENDS)
def test_thoughts_of_a_turn_after_the_end_do_not_take_the_answer_away(end: str) -> None:
    assert part(f"Rome{end}\n<|im_start|>assistant\nOslo?</think>Oslo").answer == "Rome"
    assert part(f"<think>Oslo{end}</think>Rome").answer == "Rome"


@pytest.mark.parametrize("start", STARTS)
def test_a_turn_that_begins_within_a_reply_ends_it(start: str) -> None:
    assert part(f"{start}\n{start}\nRome\n{start}\nOslo").answer == "Rome\n"
