"""The hybrid reader: what rules answer, what the model is shown, how its reply is used."""

import pytest

from remem.apps.small_model.hybrid import HybridReader, parse_short_answer
from remem.errors import RejectedReplyError
from remem.metrics.tokens import estimated_tokens
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.readers.extractive import ExtractiveReader
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Passage, Query, Usage

LINES = (
    "[1:56 pm on 8 May, 2023] Ann: I adopted a dog named Rex yesterday.",
    "[1:57 pm on 8 May, 2023] Bob: How is the weather?",
    "[9:10 am on 4 June, 2023] Ann: My dog Rex loves the park in Lisbon.",
)
EVIDENCE = Evidence(
    passages=tuple(Passage(f"m{at}", text, None, (f"m{at}",)) for at, text in enumerate(LINES))
)


def query(text):
    return Query("q1", "h", 0, text)


def reader(model, **differing):
    settings = {"lines_shown": 2, "characters_shown": 600, "other_speaker_weight": 0.3}
    return HybridReader(
        rules=ExtractiveReader(refusal_threshold=0.0, other_speaker_weight=0.3),
        chat_model=model,
        prompts=own_library(),
        prompt="reader_short.v1",
        **(settings | differing),
    )


def reply(text, *, truncated=False):
    return ChatReply(text, (), truncated, Usage())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did Ann adopt a dog?", "8 May 2023"),
        ("In which month did Ann adopt a dog?", "8 May 2023"),
        ("Does Ann have a dog?", "Yes"),
    ],
)
def test_rules_answer_when_and_yes_no_questions_and_nobody_is_asked(
    scripted_model, question, answer
):
    model = scripted_model.ScriptedModel()
    found = reader(model).read(query(question), EVIDENCE)
    assert (found.text, found.usage, model.asked) == (answer, Usage(), [])


def test_the_model_is_shown_the_best_lines_in_their_order_without_dates(scripted_model):
    model = scripted_model.ScriptedModel("Short answer: Ann's dog is named Rex.")
    found = reader(model).read(query("What is the name of Ann's dog?"), EVIDENCE)
    shown = "Ann: I adopted a dog named Rex yesterday.\nAnn: My dog Rex loves the park in Lisbon."
    (request,) = model.asked
    assert request.stage == "read"
    assert [(message.role, message.content) for message in request.messages] == [
        ("user", f"{shown}\n\nQuestion: What is the name of Ann's dog?"),
        ("assistant", "Short answer:"),
    ]
    assert found == Answer("Rex", estimated_tokens(shown), Usage(1, 100, 10))


def test_lines_are_cut_and_no_more_are_shown_than_asked_for(scripted_model):
    model = scripted_model.ScriptedModel("Rex")
    limits = {"lines_shown": 1, "characters_shown": 12}
    reader(model, **limits).read(query("Which park does the dog Rex love?"), EVIDENCE)
    assert model.asked[0].messages[0].content.startswith("Ann: My dog  [cut]\n\nQuestion: ")
    with pytest.raises(ValueError, match="lines_shown is 0, expected at least 1"):
        reader(model, lines_shown=0)


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        ("Where is the park?", "The park is in Lisbon, which she loves.", "Lisbon"),
        ("How many dogs does Ann have?", "Ann has two dogs.", "two"),
        ("What does Rex love?", "Rex loves the big park.", "big park"),
        ("What does Ann like?", REFUSAL_PHRASE, REFUSAL_PHRASE),
    ],
)
def test_the_answer_is_cut_out_of_the_reply_as_out_of_a_line(
    scripted_model, question, said, answer
):
    model = scripted_model.ScriptedModel(said)
    assert reader(model).read(query(question), EVIDENCE).text == answer


@pytest.mark.parametrize("said", ["", "\n", "Short answer:"])
def test_rules_answer_where_the_reply_is_empty(scripted_model, said):
    found = reader(scripted_model.ScriptedModel(said)).read(query("Where is the park?"), EVIDENCE)
    assert (found.text, found.usage) == ("Lisbon", Usage(1, 100, 10))


def test_without_evidence_the_rules_refuse_and_nobody_is_asked(scripted_model):
    model = scripted_model.ScriptedModel()
    assert reader(model).read(query("Where is the park?"), Evidence()) == Answer(REFUSAL_PHRASE)
    assert model.asked == []


@pytest.mark.parametrize(
    ("text", "truncated", "expected"),
    [
        ("Short answer: Rex.", False, "Rex."),
        ("answer: **Rex**", False, "Rex"),
        ("**Answer**: Rex", False, "Rex"),
        ("**Short answer:** Rex", False, "Rex"),
        ("The answer is: Rex.", False, "Rex."),
        ("The answer is Rex", False, "Rex"),
        ("The answer is:\nRex\nand so on", True, "Rex"),
        ("Answer:\n", True, None),
        ("Rex\n\nThe answer is: Rex", False, "Rex"),
        ("\n\nRex\nand so on", True, "Rex"),  # the first line was complete
        ("Rex and his", True, None),
        ("Short answer:", False, None),
    ],
)
def test_the_first_complete_line_of_a_reply_is_read(text, truncated, expected):
    assert parse_short_answer(reply(text, truncated=truncated)) == expected


def test_a_reply_that_cannot_be_written_down_is_rejected():
    with pytest.raises(RejectedReplyError, match="not valid Unicode"):
        parse_short_answer(reply("\ud83d"))
