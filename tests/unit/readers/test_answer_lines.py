"""Replies of models are read as people would read them; unreadable ones are rejected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RejectedReplyError
from remem.prompts.replies import CutReplyError
from remem.protocols import ChatReply
from remem.readers.answer_lines import content_stems, parse_answer
from remem.types import REFUSAL_PHRASE, Usage


def reply(text: str, *, truncated: bool = False) -> ChatReply:
    return ChatReply(text, (), truncated, Usage())


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Thought: She said so.\nAnswer: 7 May 2023", "7 May 2023"),
        ("Answer: Rome", "Rome"),
        ("**Thought:** Hm.\n**Answer:** Rome, Oslo\n", "Rome, Oslo"),
        ("**Answer**: Rome", "Rome"),
        ("Thought: The line 'Answer: no' is hers.\nAnswer: yes", "yes"),
        ("Thought: The proposed answer: 4 is wrong. Answer: 3", "3"),
        ("Thought: nothing.\nAnswer:", ""),
        ("Answer: 2 minutes\n\nExplanation: The answer is what she said.", "2 minutes"),
        ("Answer: Rome\n**Note:** she moved later.", "Rome"),
        ("Answer: Rome,\nOslo", "Rome,\nOslo"),
        ("Thought: not told.\nAnswer: no information available", REFUSAL_PHRASE),
        ("Answer: Rome\nThought: but maybe not", "Rome"),
        ("Answer: Rome\nSource: message 3", "Rome"),
        ('Answer: {"answer": "Rome"}', "Rome"),
        ("Answer: Rome\n\nQuestion: Where is Bob?\nThought: He said.\nAnswer: Oslo", "Rome"),
        ("Answer: Rome\n\nQuestion: Where is Bob?\nAnswer:", "Rome"),
        ("Question: Where is Ann?\nAnswer: Rome", "Rome"),
        ('{"thought": "Answer: Oslo is wrong", "answer": "Rome"}', "Rome"),
        ('```json\n{"thought": "Answer: Oslo", "answer": "Rome"}\n```', "Rome"),
        ("<b>Answer:</b> Rome", "Rome"),
        ("\\textbf{Answer:} Rome", "Rome"),
        ("__Answer__: Rome", "Rome"),
        ("_Answer:_ Rome", "Rome"),
        ("Answer: Rome Question: Where is Bob? Answer: Oslo", "Rome"),
        ("Answer: Which Question: she asked where", "Which Question: she asked where"),
    ],
)
def test_the_answer_is_what_follows_the_last_answer_mark(text: str, answer: str) -> None:
    assert parse_answer(reply(text)) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is: 2023-07-15", "2023-07-15"),
        ("So, the final answer is: Rome", "Rome"),
        ("answer: Rome", "Rome"),
        ("short answer: Rome", "Rome"),
        ("- **The answer is**: Rome", "Rome"),
        ("10:46\n\nThe answer is: 10:46", "10:46"),
        ("The answer to your question is: Rome", "Rome"),
        ("It asks where she moved. The answer is Rome.", "Rome."),
        ("The answer is that she moved to Rome.", "she moved to Rome."),
        ("The answer is: Oslo\n\nNo, that was before.\n\nThe answer is: Rome", "Rome"),
        ("The correct answer is Rome.", "Rome."),
        ("The answer would be Rome", "Rome"),
        ("Based on the evidence, the answer is Rome.", "Rome."),
        ("Answer - Rome", "Rome"),
        ("The answer is **Rome**.", "Rome"),
        ("### Answer\nRome", "Rome"),
        ("**Final Answer**\nRome", "Rome"),
        ("She said so. <answer>Rome</answer>", "Rome"),
    ],
)
def test_a_line_that_opens_with_the_answer_is_holds_it(text: str, answer: str) -> None:
    assert parse_answer(reply(text)) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"thought": "She said so.", "answer": "Rome"}', "Rome"),
        ('Sure!\n```json\n{"answer": 3}\n```\nDo ask again.', "3"),
        ('{"answer": "Oslo"} no, rather {"answer": "Rome"}', "Rome"),
        ('{"Answer": "Rome"}', "Rome"),
    ],
)
def test_an_answer_in_a_json_object_is_read_whatever_stands_around_it(
    text: str, answer: str
) -> None:
    assert parse_answer(reply(text)) == answer


@pytest.mark.parametrize("text", ["Rome", "**Rome**\n", "Ann moved to Rome in May."])
def test_the_only_line_of_a_reply_is_the_answer(text: str) -> None:
    assert parse_answer(reply(text)) == text.strip("*\n")


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "...",
        "I am sorry, I would rather speak of something else.",
        "Sure, here is what was found:",
        "Where did Ann move?",
        "The answer was cut at the token limit.",
        "Thought: The answer is Rome.",
        "One thing.\nAnother thing.",
        "The answer is:",
        "The answer is:\n\nQuestion: Where did Ann move?",
        '{"answer": null}',
        '{"answer": ["Rome", "Oslo"]}',
        '{"answer": "Ro',
        "word " * 21,
        "x" * 10**6 + "\n" + "x" * 10**6,
        "\ud83d",
        '{"answer": ' * 2_000 + "1" + "}" * 2_000,
        "```json\n" + "[" * 2_000 + "]" * 2_000 + "\n```",
    ],
)
def test_a_reply_without_an_answer_is_rejected(bad: str) -> None:
    with pytest.raises(RejectedReplyError):
        parse_answer(reply(bad))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Thought: She said so.\nAnswer: Rome\n\nNote that Ann", "Rome"),
        ("The answer is: Rome\nThe answer is: Rome\nThe ans", "Rome"),
        ("The answer is:\n\n[1:24 pm]\n\nThe answer is:\n[1:2", "[1:24 pm]"),
        ("The answer is:\n\nThe answer is: Rome\n\nThe", "Rome"),
        ("The answer is 26 minutes.\n\nThe answer is 26 min", "26 minutes."),
        ("The answer is not sure\nAnswer: Rome\nmore", "Rome"),
    ],
)
def test_an_answer_on_a_complete_line_before_a_cut_is_read(text: str, answer: str) -> None:
    assert parse_answer(reply(text, truncated=True)) == answer


@pytest.mark.parametrize(
    "bad",
    [
        "Answer: Ro",
        "The answer is 26 min",
        "Rome",
        "Thought: Ann moved.\nShe went to Rome.\nAnd",
        "Thought: The answer: 4 is wrong.\nIt",
        "Answer:\nRome\nOs",
        "Thought: x\nAnswer: Rome, Oslo,\nLi",
        "Answer: 7 May 2023 and\nthen",
        "Answer:\n",
        '{"answer": "Rome"}\n',
        "The answer is:\n\nQuestion: Where?\n\nThe answer is:\n\nQuestion: Where?\n\nThe",
        "\ud83d\nAnswer: Rome\n",
    ],
)
def test_a_cut_reply_without_a_complete_answer_line_is_rejected(bad: str) -> None:
    with pytest.raises(RejectedReplyError):
        parse_answer(reply(bad, truncated=True))


def test_a_cut_reply_says_that_it_was_cut() -> None:
    with pytest.raises(CutReplyError, match="cut at the token limit"):
        parse_answer(reply("Answer: Ro", truncated=True))


@given(
    st.text()
    | st.text().map(lambda text: f"Answer:{text}")
    | st.text().map(lambda text: f"The answer is: {text}"),
    st.booleans(),
)
def test_any_reply_is_an_answer_or_rejected(text: str, truncated: bool) -> None:
    try:
        found = parse_answer(reply(text, truncated=truncated))
    except RejectedReplyError:
        return
    assert found in text or "{" in text


def test_a_list_after_the_mark_is_rejected_as_it_is_without_one() -> None:
    with pytest.raises(RejectedReplyError, match="no 'Answer:'"):
        parse_answer(reply('Answer: {"answer": ["Rome"]}'))


def test_each_character_of_a_script_without_spaces_is_a_word() -> None:
    assert content_stems("小雨 moved") == {"小", "雨", "mov"}
