"""The typed reader: which person's memory it uses, which type it answers with, when it refuses."""

import pytest

from remem.config.run_config import compose_config, run_config
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


def test_a_fact_without_a_speaker_may_be_about_anybody(ask):
    reader = run_config(compose_config(["reader=typed"])).build_reader()
    fact = Fact("f", "Ann", "moved to", "Rome", None, "e", ())
    answer = reader.read(Query("q", "h", 0, "Where did Ann move?"), Evidence(facts=(fact,)))
    assert "Rome" in answer.text
