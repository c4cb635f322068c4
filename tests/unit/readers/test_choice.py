"""Readers that choose an option: by words, by a model, or whatever the evidence."""

from math import log

import pytest

from remem.errors import RejectedReplyError
from remem.metrics.tokens import estimated_tokens
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.readers.choice import (
    ChoiceModelReader,
    ChoiceReader,
    OptionByLength,
    SameOption,
    option_supports,
    parse_choice,
)
from remem.readers.ranked_sentences import terms
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Passage, Query, Usage

OPTIONS = (
    "As a rower, try the river.",
    "As a skier, try the glacier.",
    "As a singer, try the river.",
)
QUERY = Query("q1", "h", 0, "What should I try near the river?", options=OPTIONS)


def read(*texts, query=QUERY):
    passages = tuple(Passage(f"p{n}", text, None, (f"m{n}",)) for n, text in enumerate(texts))
    return ChoiceReader().read(query, Evidence(passages=passages))


def test_the_option_whose_own_words_were_told_is_chosen():
    assert read("User: I am a skier.", "User: The river is near.").text == "(b)"
    assert read("User: I am a singer.", "User: The river is near.").text == "(c)"


def test_without_evidence_for_any_option_it_refuses():
    assert read().text == REFUSAL_PHRASE
    # "try" is in every option and "river" is in the question.
    refused = read("User: I try the river.")
    assert (refused.text, refused.context_tokens) == (REFUSAL_PHRASE, 6)


def test_a_long_option_has_no_advantage():
    options = ("Rowing, running, sailing, cooking and skating.", "Diving.")
    query = Query("q1", "h", 0, "What now?", options=options)
    lines = ("User: Running!", "User: Diving!")
    assert read(*lines, query=query).text == "(b)"


def test_a_support_is_the_share_of_own_words_by_idf():
    lines = [terms("apple bread"), terms("apple"), terms("cheese")]
    # Own words: apple, with 2 of 3 lines; bread and dates, with 1 and with none.
    apple, bread, dates = log(1 + 3 / 3), log(1 + 3 / 2), log(1 + 3)
    found = option_supports("cheese?", ["apple cheese", "bread dates"], lines)
    assert found == pytest.approx([apple / apple, bread / (bread + dates)])


def test_equal_options_share_all_words_and_have_no_support():
    assert option_supports("", ["tea", "tea"], [terms("tea")]) == [0, 0]


@pytest.mark.parametrize("reader", [ChoiceReader(), OptionByLength(length="longest")])
def test_a_question_without_options_is_an_error(reader):
    with pytest.raises(ValueError, match="question q1 has no options"):
        reader.read(Query("q1", "h", 0, "What?"), Evidence())


REMARK = Query("q1", "h", 0, "I saw a boat.", options=("You row.", "You ski."))
FOUND = Evidence(passages=(Passage("m1", "User: I row.", None, ("m1",)),))


def asking(model):
    return ChoiceModelReader(
        chat_model=model,
        prompts=own_library(),
        prompt="reader_choice.v1",
        items_shown=100,
        characters_shown=1500,
    )


def test_the_model_sees_evidence_question_and_lettered_options(scripted_model):
    model = scripted_model.ScriptedModel("The user rows.\n<final_answer> (a)")
    assert asking(model).read(REMARK, FOUND) == Answer(
        "The user rows.\n<final_answer> (a)", estimated_tokens("User: I row."), Usage(1, 100, 10)
    )
    [request] = model.asked
    asked = request.messages[-1].content
    assert asked.index("User: I row.") < asked.index("I saw a boat.") < asked.index("(a) You row.")
    assert asked.endswith("(a) You row.\n(b) You ski.")


def test_without_evidence_the_model_is_asked_all_the_same(scripted_model):
    model = scripted_model.ScriptedModel("<final_answer> (b)")
    assert asking(model).read(REMARK, Evidence()).text == "<final_answer> (b)"
    assert "(nothing was found)" in model.asked[0].messages[-1].content


@pytest.mark.parametrize(
    ("text", "truncated"), [("", False), ("I think\n<final_answer> ", False), ("(a)", True)]
)
def test_a_reply_without_an_answer_is_refused(text, truncated):
    with pytest.raises(RejectedReplyError):
        parse_choice(ChatReply(text, (), truncated, Usage()))


DRINKS = Query("q1", "h", 0, "What?", options=("rum", "green tea", "gin", "black tea"))


@pytest.mark.parametrize(
    ("reader", "letter"),
    [
        (OptionByLength(length="longest"), "(b)"),  # (d) is as long
        (OptionByLength(length="shortest"), "(a)"),  # (c) is as short
        (SameOption(letter="c"), "(c)"),
    ],
)
def test_an_option_is_chosen_without_evidence(reader, letter):
    answer = reader.read(DRINKS, Evidence())
    assert (answer.text, answer.context_tokens) == (letter, 0)


def test_a_letter_that_the_question_lacks_is_an_error():
    with pytest.raises(ValueError, match=r"q1 has no option \(e\), only a, b, c, d"):
        SameOption(letter="e").read(DRINKS, Evidence())


def test_an_unknown_letter_or_length_is_refused():
    for letter in ("", "A", "ab", "1"):
        with pytest.raises(ValueError, match="expected a letter from a to z"):
            SameOption(letter=letter)
    with pytest.raises(ValueError, match="unknown length 'long', expected 'longest' or"):
        OptionByLength(length="long")
