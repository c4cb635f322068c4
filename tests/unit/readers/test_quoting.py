"""The sentence of a log that answers a question, and relative dates written out for a reader."""

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.readers.quoting import Quote, ResolvingReader, SentenceFinder, with_dates
from remem.time_scope import TimePoint
from remem.types import Answer, Evidence, Gist, Message, Passage, Query

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


SAID = "[1:56 pm on 8 May, 2023] Ann: "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"{SAID}I ran yesterday, and swam last week.",
            f"{SAID}I ran yesterday (7 May 2023), and swam last week (the week before 8 May 2023).",
        ),
        (f"{SAID}I ran on 5 May 2023.", f"{SAID}I ran on 5 May 2023."),
        ("Ann: I ran yesterday.", "Ann: I ran yesterday."),  # nobody knows when
        (
            "[8 May 2023] Ann: yesterday\n[10 May 2023] Bob: yesterday",
            "[8 May 2023] Ann: yesterday (7 May 2023)\n[10 May 2023] Bob: yesterday (9 May 2023)",
        ),
    ],
)
def test_a_relative_date_is_followed_by_what_it_means(text: str, expected: str) -> None:
    assert with_dates(text) == expected


def chosen(*overrides: str) -> RunConfig:
    return run_config(compose_config(["method=bm25_messages", *overrides]))


def test_the_dated_rules_are_a_reader_that_anyone_can_choose() -> None:
    evidence = Evidence(passages=(Passage("m1", f"{SAID}I ran yesterday.", None, ("m1",)),))
    question = Query("q1", "h", 0, "When did Ann run?")
    dated = chosen("reader=extractive_dated")
    plain = chosen("reader=extractive", "reader.build.refusal_threshold=0.0")
    assert dated.build_reader().read(question, evidence).text == "7 May 2023"
    assert plain.build_reader().read(question, evidence).text == "8 May 2023"


@pytest.mark.app("small_model")
def test_the_dated_rules_are_the_rules_of_the_hybrid_reader() -> None:
    dated = chosen("reader=extractive_dated").resolved["reader"]["build"]
    hybrid = chosen("reader=hybrid", "llm=smollm2").resolved["reader"]["build"]
    assert dated == hybrid["rules"]


def test_gists_stay_as_the_memory_wrote_them() -> None:
    seen = []

    class Seeing:
        def read(self, query: Query, evidence: Evidence) -> Answer:
            seen.append(evidence)
            return Answer("")

    gist = Gist("g1", f"{SAID}I ran yesterday.", None, "s1", ("m1",))
    evidence = Evidence(gists=(gist,))
    ResolvingReader(reader=Seeing()).read(Query("q1", "h", 0, "When?"), evidence)
    assert seen == [evidence]
