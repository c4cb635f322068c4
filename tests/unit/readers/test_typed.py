"""The typed reader: whose memory it uses, the type that a question asks for, and its spans."""

import pytest

from remem.config.run_config import compose_config, run_config
from remem.readers.answer_lines import parse_lines
from remem.readers.question_kinds import asks_list, options, question_kind
from remem.readers.typed import date_said, typed_spans
from remem.types import REFUSAL_PHRASE, Evidence, Fact, Passage, Query

ON = "[1:56 pm on 8 May, 2023]"


@pytest.fixture(scope="module")
def ask():
    reader = run_config(compose_config(["reader=typed"])).build_reader()

    def answer(question, *lines):
        found = tuple(Passage(str(i), f"{ON} {line}", None, ()) for i, line in enumerate(lines))
        return reader.read(Query("q", "h", 0, question), Evidence(passages=found)).text

    return answer


def test_what_somebody_else_did_is_refused(ask):
    assert ask("What did Ann paint?", "Bob: I painted mountains.") == REFUSAL_PHRASE
    assert ask("What did Bob paint?", "Bob: I painted mountains.") == "mountains"
    assert ask("What did Ann paint?") == REFUSAL_PHRASE


def test_what_one_says_to_the_other_is_about_the_other(ask):
    lines = ("Bob: Ann, you painted mountains.", "Ann: It rained.")
    assert ask("What did Ann paint?", *lines) == "mountains"


def test_a_relative_date_is_written_out_and_without_one_the_day_of_the_line_is_the_answer(ask):
    assert ask("When did Ann paint?", "Ann: I painted mountains yesterday.") == "7 May 2023"
    assert ask("When did Ann paint?", "Ann: I painted mountains.") == "8 May 2023"


def test_a_sentence_with_the_type_asked_for_wins_over_a_better_one_without_it(ask):
    lines = ("Ann: I sang in the choir of the school.", "Ann: Carla was there.")
    assert ask("Who sang with Ann in the choir of the school?", *lines) == "Carla"


def test_what_others_say_is_not_read(ask):
    lines = ("Bob: I sang with Emil.", "Ann: I sang with Carla.")
    assert ask("Who sang with Ann?", *lines) == "Carla"


def test_a_list_has_the_people_of_all_good_sentences(ask):
    lines = ("Ann: I sang with Carla.", "Ann: I met Emil.", "Ann: I sang with Dora.")
    assert ask("With whom did Ann sing, from first to last?", *lines) == "Carla, Dora"


def test_a_number_that_is_not_stated_is_counted(ask):
    lines = ("Ann: I won the race.", "Ann: Today it rained.", "Ann: I won a race again.")
    assert ask("How many times has Ann won a race?", *lines) == "two"
    assert ask("How many races has Ann won?", "Ann: I won 7 races.") == "7"


@pytest.mark.parametrize(
    ("line", "expected"), [("Ann: I swim.", "Yes"), ("Ann: I don't swim.", "No")]
)
def test_yes_or_no_is_read_from_the_best_sentence(ask, line, expected):
    assert ask("Does Ann swim?", line) == expected


def test_of_two_options_the_one_spoken_of_is_chosen(ask):
    question = "Would Ann rather have a gift, one for tennis or one for chess?"
    assert ask(question, "Ann: I love a gift.", "Ann: A gift of chess lessons!") == "chess"


def test_a_fact_without_a_speaker_may_be_about_anybody():
    reader = run_config(compose_config(["reader=typed"])).build_reader()
    fact = Fact("f", "Ann", "moved to", "Rome", None, "e", ())
    answer = reader.read(Query("q", "h", 0, "Where did Ann move?"), Evidence(facts=(fact,)))
    assert "Rome" in answer.text


(LINE,) = parse_lines("[8 May 2023, 1:56 pm] Ann: a line")


def spans(kind, question, sentence):
    return typed_spans(kind, question, sentence, LINE)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I ran yesterday (7 May 2023).", ("7 May 2023",)),
        ("I ran last week (the week before 8 May 2023).", ("the week before 8 May 2023",)),
        ("I ran on 2023-05-01.", ("1 May 2023",)),
        ("I ran on 2 May.", ("2 May 2023",)),
    ],
)
def test_a_date_is_the_one_added_or_stated_or_without_a_year(sentence, expected):
    assert spans("date", "When did Ann run?", sentence) == expected


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("How long did Ann stay?", "I stayed for about three weeks.", ("about three weeks",)),
        ("How long has Ann sung?", "I sing since 2016.", ("since 2016",)),
        ("How often does Ann swim?", "I swim twice a week.", ("twice a week",)),
        (
            "How often does Ann swim?",
            "I swim every other Monday morning.",
            ("every other Monday morning",),
        ),
        ("How often does Ann swim?", "I swim a lot.", ()),
    ],
)
def test_a_duration_keeps_its_unit(question, sentence, expected):
    assert spans("duration", question, sentence) == expected


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("How many dogs has Ann?", "In 2019 I had two big dogs and 3 cats.", ("two",)),
        ("How many dogs has Ann?", "I have dogs since 2019.", ()),
        ("How old is the dog?", "It is seven.", ("seven",)),
    ],
)
def test_a_number_stands_before_what_is_counted(question, sentence, expected):
    assert spans("number", question, sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We moved from Rome to New York in May.", ("Rome", "New York")),
        ("The Corn Exchange was where it took place.", ("The Corn Exchange",)),
        ("He hid it under the green sofa and slept.", ("the green sofa",)),
        ("We moved at the end of it.", ()),
    ],
)
def test_a_place_has_a_name_or_follows_a_preposition(sentence, expected):
    assert spans("place", "Where did they move?", sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Yesterday Carla and my old friend Dora sang.", ("Carla", "Dora", "old friend")),
        ("Yes, we sang in Rome.", ()),
    ],
)
def test_a_person_is_a_name_or_a_relative_but_neither_the_speaker_nor_a_place(sentence, expected):
    assert spans("person", "Who sang?", sentence) == expected


def test_a_span_that_repeats_the_question_is_no_answer():
    assert spans("person", "With whom did Ann and Carla sing?", "We sang with Carla and Dora.") == (
        "Dora",
    )


def test_the_day_of_a_line_is_written_in_words():
    assert date_said(LINE) == "8 May 2023"
    (undated,) = parse_lines("Ann: a line")
    assert date_said(undated) == ""


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("In which year did Ann move?", "date"),
        ("Where does Ann live?", "place"),
        ("How long did Ann live in Rome?", "duration"),
        ("For how many hours did Ann swim?", "number"),
        ("Does Ann swim when it rains?", "truth"),
        ("How does Ann relax?", "words"),
    ],
)
def test_the_first_question_word_decides(question, kind):
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Does Ann live close to the sea or the hills?", ("sea", "hills")),
        ("Does Ann live in Rome?", ()),
    ],
)
def test_two_options_are_found(question, expected):
    assert options(question) == expected


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which kinds of tea does Ann drink?", True),
        ("Where has Ann camped?", True),
        ("What was Ann's first prize?", False),
        ("Which class did Ann miss?", False),
    ],
)
def test_a_plural_asks_for_a_list(question, several):
    assert asks_list(question) is several
