"""The extractive reader: which line it uses, when it refuses, and how much it reads."""

import pytest

from remem.readers.extractive import ExtractiveReader
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Gist, Passage, Query

CHAT = (
    "[8 May 2023, 1:56 pm] Ann: I painted a sunrise last year (2022).",
    "[8 May 2023, 1:56 pm] Bob: I painted a boat yesterday (7 May 2023).",
    "[8 May 2023, 1:56 pm] Ann: I adopted a kitten.",
)


def reader(refusal_threshold=0.5, other_speaker_weight=0.4):
    return ExtractiveReader(
        refusal_threshold=refusal_threshold, other_speaker_weight=other_speaker_weight
    )


def ask(question, evidence, **settings):
    return reader(**settings).read(Query("q", "h", 0, question), evidence).text


def gists(*texts):
    return Evidence(gists=tuple(Gist(str(i), text, None, "e", ()) for i, text in enumerate(texts)))


def passages(*texts):
    return Evidence(passages=tuple(Passage(str(i), text, None, ()) for i, text in enumerate(texts)))


@pytest.mark.parametrize("kind", [gists, passages])
def test_the_answer_comes_from_the_line_of_the_named_speaker_whatever_the_memory(kind):
    assert ask("When did Ann paint?", kind(*CHAT)) == "2022"
    assert ask("When did Bob paint?", kind(*CHAT)) == "7 May 2023"


def test_a_session_in_one_passage_is_read_like_its_messages():
    assert ask("When did Bob paint a boat?", passages("\n".join(CHAT))) == "7 May 2023"


def test_the_first_of_equal_lines_is_read():
    assert ask("When did Ann run?", gists("Ann: I run in 2020", "Ann: I run in 2021")) == "2020"


def test_it_refuses_what_only_another_speaker_supports():
    assert ask("When did Ann paint a boat?", gists(*CHAT[1:])) == REFUSAL_PHRASE
    assert ask("When did Ann paint a boat?", gists(*CHAT[1:]), other_speaker_weight=1.0) == (
        "7 May 2023"
    )


def test_without_evidence_it_refuses_and_has_read_nothing():
    assert reader().read(Query("q", "h", 0, "When?"), Evidence()) == Answer(REFUSAL_PHRASE, 0)


def test_it_tells_how_much_it_was_given_to_read():
    # "Ann: Hi" and "Bob: Hello" joined by a newline are 18 characters: 5 estimated tokens
    answer = reader().read(Query("q", "h", 0, "Who?"), gists("Ann: Hi", "Bob: Hello"))
    assert answer.context_tokens == 5
