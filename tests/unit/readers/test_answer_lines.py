"""Replies of models and lines of evidence are read as people would read them, or rejected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RejectedReplyError
from remem.prompts.replies import CutReplyError
from remem.protocols import ChatReply
from remem.readers.answer_lines import content_stems, parse_answer, parse_lines
from remem.types import REFUSAL_PHRASE, Usage


def reply(text: str, *, truncated: bool = False) -> ChatReply:
    return ChatReply(text, (), truncated, Usage())


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Thought: She said so.\nAnswer: 7 May 2023", "7 May 2023"),
        ("**Thought:** Hm.\n**Answer:** Rome, Oslo\n", "Rome, Oslo"),
        ("Thought: The line 'Answer: no' is hers.\nAnswer: yes", "yes"),
        ("Thought: The proposed answer: 4 is wrong. Answer: 3", "3"),
        ("Thought: nothing.\nAnswer:", ""),
        ("Answer: 2 minutes\n\nExplanation: The answer is what she said.", "2 minutes"),
        ("Answer: Rome\n**Note:** she moved later.", "Rome"),
        ("Answer: Rome,\nOslo", "Rome,\nOslo"),
        ("Thought: not told.\nAnswer: no information available", REFUSAL_PHRASE),
        ('Answer: {"answer": "Rome"}', "Rome"),
        ("Answer: Rome\n\nQuestion: Where is Bob?\nThought: He said.\nAnswer: Oslo", "Rome"),
        ("Question: Where is Ann?\nAnswer: Rome", "Rome"),
        ('{"thought": "Answer: Oslo is wrong", "answer": "Rome"}', "Rome"),
        ('```json\n{"thought": "Answer: Oslo", "answer": "Rome"}\n```', "Rome"),
        ('Sure!\n```json\n{"answer": 3}\n```\nDo ask again.', "3"),
        ('{"answer": "Oslo"} no, rather {"answer": "Rome"}', "Rome"),
        ('{"Answer": "Rome"}', "Rome"),
        ("<b>Answer:</b> Rome", "Rome"),
        ("__Answer__: Rome", "Rome"),
        ("Answer: Rome Question: Where is Bob? Answer: Oslo", "Rome"),
        ("Answer: Which Question: she asked where", "Which Question: she asked where"),
    ],
)
def test_the_answer_follows_the_last_mark_or_is_in_the_last_json_object(
    text: str, answer: str
) -> None:
    assert parse_answer(reply(text)) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is: 2023-07-15", "2023-07-15"),
        ("short answer: Rome", "Rome"),
        ("- **The answer is**: Rome", "Rome"),
        ("10:46\n\nThe answer is: 10:46", "10:46"),
        ("It asks where she moved. The answer is Rome.", "Rome."),
        ("The answer is that she moved to Rome.", "she moved to Rome."),
        ("The answer is: Oslo\n\nNo, that was before.\n\nThe answer is: Rome", "Rome"),
        ("The answer is **Rome**.", "Rome"),
        ("### Answer\nRome", "Rome"),
        ("She said so. <answer>Rome</answer>", "Rome"),
    ],
)
def test_a_line_that_opens_with_the_answer_is_holds_it(text: str, answer: str) -> None:
    assert parse_answer(reply(text)) == answer


@pytest.mark.parametrize("text", ["Rome", "**Rome**\n", "Ann moved to Rome in May."])
def test_the_only_line_of_a_reply_is_the_answer(text: str) -> None:
    assert parse_answer(reply(text)) == text.strip("*\n")


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "...",
        "Sure, here is what was found:",
        "Where did Ann move?",
        "The answer was cut at the token limit.",
        "One thing.\nAnother thing.",
        "The answer is:",
        'Answer: {"answer": ["Rome", "Oslo"]}',
        '{"answer": "Ro',
        "word " * 21,
        "x" * 10**6 + "\n" + "x" * 10**6,
        "\ud83d",
        '{"answer": ' * 2_000 + "1" + "}" * 2_000,
    ],
)
def test_a_reply_without_an_answer_is_rejected(bad: str) -> None:
    with pytest.raises(RejectedReplyError):
        parse_answer(reply(bad))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Thought: She said so.\nAnswer: Rome\n\nNote that Ann", "Rome"),
        ("The answer is:\n\n[1:24 pm]\n\nThe answer is:\n[1:2", "[1:24 pm]"),
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
        "Thought: Ann moved.\nShe went to Rome.\nAnd",
        "Thought: x\nAnswer: Rome, Oslo,\nLi",
        "Answer: 7 May 2023 and\nthen",
        "Answer:\n",
        '{"answer": "Rome"}\n',
    ],
)
def test_a_cut_reply_without_a_complete_answer_line_is_rejected(bad: str) -> None:
    with pytest.raises(CutReplyError, match="cut at the token limit"):
        parse_answer(reply(bad, truncated=True))


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


def test_each_character_of_a_script_without_spaces_is_a_word() -> None:
    assert content_stems("小雨 moved") == {"小", "雨", "mov"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[8 May 2023] Ann Lee: Hi: you!", ("8 May 2023", "Ann Lee", "Hi: you!")),
        ("[8 May 2023] Ann moved.", ("8 May 2023", "", "Ann moved.")),
        ("Ann | moved to | Rome | 2021", ("", "", "Ann | moved to | Rome | 2021")),
        ("", ("", "", "")),
    ],
)
def test_a_line_has_a_date_a_speaker_and_a_body_or_less(text, parts):
    (line,) = parse_lines(text)
    assert (line.date, line.speaker, line.body) == parts


def test_a_session_is_taken_apart_at_its_dated_messages():
    first, second = parse_lines("[1 May 2023] Ann: Hi\nthere\n[1 May 2023] Bob: Hello")
    assert (first.speaker, first.body) == ("Ann", "Hi\nthere")
    assert (second.speaker, second.body) == ("Bob", "Hello")


def test_a_line_is_about_its_speaker_or_about_all_it_names():
    (spoken,) = parse_lines("Ann: Bob runs")
    (told,) = parse_lines("Bob runs with Ann")
    assert spoken.names == {"ann"}
    assert told.names == {"bob", "run", "ann"}


def test_content_words_are_compared_without_endings_and_genitives():
    assert content_stems("When did Ann's sisters go hiking?") == content_stems("ann sister go hike")
    assert content_stems("What is it for you and me? I'm, don't") == frozenset()


@given(st.text(max_size=60))
def test_no_text_is_too_strange_to_be_a_line(text):
    assert "".join(text.split()) == "" or parse_lines(text)
