"""The reader that has a model answer in a sentence."""

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import RejectedReplyError
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.readers.model_sentence import GRAMMAR, SentenceReader, parse_sentence
from remem.types import REFUSAL_PHRASE, Evidence, Gist, Query, Usage

EVIDENCE = Evidence(
    gists=tuple(
        Gist(f"g{number}", text, None, "s1", (f"m{number}",))
        for number, text in enumerate(
            ("[8 May 2023] Ann: I moved to Oslo.", "[9 May 2023] Bob: My cat sleeps."), start=1
        )
    )
)


def reader(model, **changes) -> SentenceReader:
    settings = {
        "prompt": "reader_sentence.v1",
        "lines_shown": 1,
        "characters_shown": 100,
        "refusal_threshold": 0.35,
        "other_speaker_weight": 0.3,
    }
    return SentenceReader(chat_model=model, prompts=own_library(), **{**settings, **changes})


def test_the_model_sees_the_lines_that_support_the_question_and_answers(scripted_model) -> None:
    model = scripted_model.ScriptedModel("Ann moved to Oslo.\nQuestion:")
    found = reader(model).read(Query("q", "h", 0, "Where did Ann move?"), EVIDENCE)
    assert found.text == "Ann moved to Oslo."
    shown = model.asked[0].messages[-1].content
    assert "[8 May 2023] Ann: I moved to Oslo." in shown
    assert "My cat sleeps" not in shown
    assert model.asked[0].reply_grammar == GRAMMAR


def test_the_model_is_not_asked_if_no_line_has_enough_of_the_question(scripted_model) -> None:
    model = scripted_model.ScriptedModel("x")
    query = Query("q", "h", 0, "Who repaired the roof?")
    assert reader(model).read(query, EVIDENCE).text == REFUSAL_PHRASE
    assert reader(model, refusal_threshold=0.0).read(query, Evidence()).text == REFUSAL_PHRASE
    assert model.asked == []
    assert reader(model, refusal_threshold=0.0).read(query, EVIDENCE).text == "x"


def test_no_lines_is_refused_as_a_setting() -> None:
    with pytest.raises(ValueError, match="lines_shown is 0"):
        reader(None, lines_shown=0)


@pytest.mark.parametrize(
    ("text", "cut", "read"),
    [
        ("Answer: In Oslo.\nMore", False, "In Oslo."),
        ("In Oslo", False, "In Oslo"),
        ("She went to Oslo. Then she", True, "She went to Oslo."),
    ],
)
def test_the_first_line_or_what_is_complete_of_it_is_taken(text, cut, read) -> None:
    assert parse_sentence(ChatReply(text, (), cut, Usage(1))) == read


@pytest.mark.parametrize(("text", "cut"), [("", False), ("She went to", True)])
def test_a_reply_without_a_sentence_is_rejected(text, cut) -> None:
    with pytest.raises(RejectedReplyError, match="no complete sentence"):
        parse_sentence(ChatReply(text, (), cut, Usage(1)))


def test_the_reader_is_a_choice_of_the_configuration() -> None:
    config = run_config(compose_config(["reader=sentence", "llm=loopback-stub"]))
    assert isinstance(config.build_reader(), SentenceReader)
