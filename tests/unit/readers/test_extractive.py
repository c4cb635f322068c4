"""The extractive reader: which line and which part of it is the answer, and when it refuses."""

import math

import pytest

from remem.readers.answer_lines import parse_lines
from remem.readers.extractive import AlwaysRefuse, ExtractiveReader, answer_span, supports
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


LINES = [
    parse_lines(text)[0]
    for text in (
        "Ann: I painted a boat.",
        "Bob: I painted a house.",
        "Bob: Nice.",
    )
]
PAINT, BOAT = math.log(1 + 3 / 3), math.log(1 + 3 / 2)
"""log(1 + lines / (1 + lines with the word)): two lines of three have the one, one the other."""


def test_a_share_is_of_the_idf_of_the_words_asked_for() -> None:
    assert supports("Which boat was painted?", LINES, 0.3) == pytest.approx(
        [1.0, PAINT / (PAINT + BOAT), 0.0]
    )


def test_lines_of_another_speaker_than_the_named_one_are_worth_less() -> None:
    assert supports("What did Ann paint?", LINES, 0.3) == pytest.approx([1.0, 0.3, 0.0])


def test_a_question_without_words_of_its_own_has_no_support() -> None:
    assert supports("What did Ann do?", LINES, 0.3) == [0.0, 0.0, 0.0]
    assert supports("Which boat?", [], 0.3) == []


def cut(question, text):
    (line,) = parse_lines(text)
    return answer_span(question, line)


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "When did Ann run?",
            "[8 May 2023, 1:56 pm] Ann: I ran yesterday (7 May 2023). It was fun.",
            "7 May 2023",
        ),
        (
            "When did Ann swim?",
            "[8 May 2023, 1:56 pm] Ann: I ran yesterday (7 May 2023). "
            "I swam last weekend (the weekend before 8 May 2023) - swim with me!",
            "the weekend before 8 May 2023",
        ),
        ("When did Ann run?", "[1:56 pm on 8 May, 2023] Ann: I ran!", "8 May 2023"),
        ("In which year did Ann move?", "Ann | moved to | Rome | 2021 | said 2023-06-19", "2021"),
        ("When did Ann move?", "Ann | moved to | Rome | 2021-05 | said 2023-06-19", "May 2021"),
        ("When did Ann move?", "Ann | moved to | Rome | said 2023-06-19T18:20", "19 June 2023"),
        ("When does Ann run?", "Ann: I run on Mondays", "Mondays"),
    ],
)
def test_a_when_question_takes_the_resolved_date_else_a_stated_one_else_that_of_the_line(
    question, text, answer
):
    assert cut(question, text) == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("How many dogs does Ann have?", "Ann: Hi! I have three dogs.", "three"),
        ("How long did Ann live there?", "Ann: I lived there for 4 years.", "4 years"),
        ("Where did Ann move?", "Ann: Hello. I moved to New York in May.", "New York"),
        ("Who did Ann meet?", "Ann: I met Carla Diaz at the station.", "Carla Diaz"),
        ("Did Ann move?", "Ann: I moved to Rome.", "Yes"),
        ("What book did Ann read?", 'Ann: I read the book "Dune" twice.', "Dune"),
        ("What did Ann paint?", "Ann: Hi Bob. I painted a red sunset for you.", "red sunset"),
    ],
)
def test_other_questions_take_a_short_span_or_what_the_sentence_adds(question, text, answer):
    assert cut(question, text) == answer


def test_a_line_without_words_is_cut_without_failing():
    assert cut("", "") == ""


def test_it_refuses_whatever_the_evidence_and_reads_no_token_of_it() -> None:
    evidence = Evidence(passages=(Passage("m", "The answer is 42.", None, ("m",)),))
    answer = AlwaysRefuse().read(Query("q", "h", 0, "What is the answer?"), evidence)
    assert answer == Answer("no information available", context_tokens=0)
