"""The sentence of a log that answers a question, and the date in it."""

import pytest

from remem.readers.quoting import Quote, SentenceFinder
from remem.time_scope import TimePoint
from remem.types import Message

MONDAY = TimePoint(2024, 2, 5)
LOG = [
    Message("m1", "Ann", "I adopted a dog on Friday. She is called Pixel, a grey terrier.", MONDAY),
    Message("m2", "Bob", "Where did you find her?", MONDAY),
    Message("m3", "Ann", "At the shelter in Leith", MONDAY),
    Message("m4", "Bob", "My exam was last week, and on 14 March we fly to Rome.", MONDAY),
    Message("m5", "Ann", "I sold my bike for 80 euros because the brakes failed.", MONDAY),
    Message("m6", "Bob", "I bought a bike yesterday.", TimePoint(2024, 2, 9)),
]
FINDER = SentenceFinder(LOG)


def best(question: str, former: str = "") -> Quote:
    found = FINDER.best(question, LOG, former)
    assert found is not None
    return found


def test_the_sentence_is_word_for_word_and_has_its_message() -> None:
    found = best("When did Ann adopt a dog?")
    assert (found.message.id, found.sentence) == ("m1", "I adopted a dog on Friday.")
    assert found.date is not None
    assert (found.date.expression, str(found.date.scope)) == ("on Friday", "2024-02-02")


def test_a_name_decides_between_two_speakers() -> None:
    assert best("When did Bob buy a bike?").message.id == "m6"
    assert best("What did Ann do with her bike?").message.id == "m5"


def test_what_one_person_says_of_themselves_does_not_answer_for_another() -> None:
    assert best("Why did Ann's brakes fail?").message.id == "m5"
    assert FINDER.best("Why did Bob's brakes fail?", LOG) is None


def test_an_answer_is_taken_instead_of_the_question_before_it() -> None:
    assert best("Where did Ann find her dog?").message.id in ("m1", "m3")
    assert best("Where did Ann find her?").sentence == "At the shelter in Leith"


def test_the_date_next_to_what_is_asked_is_taken() -> None:
    when = best("When do they fly to Rome?").date
    assert when is not None
    assert str(when.scope) == "2024-03-14"
    exam = best("When was the exam of Bob?").date
    assert exam is not None
    assert exam.expression == "last week"


def test_a_former_question_says_what_a_follow_up_is_about() -> None:
    assert FINDER.best("and when?", LOG) is None
    assert best("and when?", "Who adopted a dog?").message.id == "m1"


def test_a_question_whose_words_the_log_lacks_has_no_sentence() -> None:
    assert FINDER.best("Who repaired the roof of the church?", LOG) is None
    assert FINDER.best("When did Ann adopt a dog?", []) is None


def test_the_source_of_a_model_s_answer_is_the_sentence_it_is_most_like() -> None:
    found = FINDER.source("What did Ann get for it?", LOG, "Ann got 80 euros for her bike.")
    assert found is not None
    assert found.message.id == "m5"


CHAT = [
    Message(f"c{number}", speaker, text, TimePoint(2024, 3, day))
    for number, (day, speaker, text) in enumerate(
        (
            (4, "Annie", "where is the cellar key?"),
            (4, "Bob", "lol"),
            (4, "Cem", "not me"),
            (4, "Bob", "under the mat"),
            (4, "Cem", "Priya wants to sleep on our couch"),
            (4, "Bob", "who is Priya"),
            (4, "Annie", "sure"),
            (4, "Cem", "my friend from the choir. she is loud"),
            (5, "Bob", "the barbecue is on Saturday at 5"),
            (5, "Annie", "yes!!"),
            (6, "Bob", "it rains, we moved the barbecue to Sunday"),
            (6, "Annie", "ok thanks"),
            (7, "Annie", "the boiler is broken again"),
            (7, "Bob", "how many people came to the choir concert"),
            (7, "Cem", "wow"),
            (7, "Annie", "60 on 2 March"),
            (8, "Cem", "i sold my guitar"),
            (9, "Cem", "the safe code is 11"),
            (9, "Annie", "I lost my wallet yesterday"),
            (10, "Cem", "the safe code is 42 from today"),
        ),
        start=1,
    )
]
IN_CHAT = SentenceFinder(CHAT)


@pytest.mark.parametrize(
    ("question", "message_id"),
    [
        ("Where is the cellar key?", "c4"),
        ("Who is Priya?", "c8"),
        ("When is the barbecue?", "c11"),
        ("How many people came to the concert?", "c16"),
        ("Who sold a guitar?", "c17"),
        ("What is the safe code?", "c18"),
        ("What is the safe code now?", "c20"),
        ("Why is the boiler broken?", None),
        ("Why did Ann ask for the cellar key?", None),
        ("What colour is the couch?", None),
    ],
)
def test_only_what_has_the_kind_that_is_asked_for_is_an_answer(question, message_id) -> None:
    quote = IN_CHAT.best(question, CHAT)
    assert (quote.message.id if quote and quote.answers else None) == message_id
    if message_id == "c8":  # a short reply is quoted whole
        assert quote is not None and quote.sentence == "my friend from the choir. she is loud"


def test_a_shorter_name_is_a_speaker_s_unless_two_have_it() -> None:
    log = [
        Message("a1", "Bob", "I live in Rome.", MONDAY),
        Message("a2", "Annie", "I live in Leith.", MONDAY),
    ]
    quote = SentenceFinder(log).best("Where does Ann live?", log)
    assert quote is not None
    assert quote.message.id == "a2"
    log.append(Message("a3", "Anna", "I live in Oslo.", MONDAY))
    assert SentenceFinder(log).best("Where does Ann live?", log) is None
