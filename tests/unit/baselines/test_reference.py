"""Full context, the Oracle and no memory."""

import pytest

from baselines.reference import FullContext, OracleGist, OracleMessage
from remem.memory.rules_extractor import RulesExtractor
from remem.types import (
    Episode,
    Evidence,
    Extraction,
    Gold,
    History,
    Message,
    Query,
    Question,
    Usage,
)


def message(message_id: str) -> Message:
    return Message(message_id, "Ann", f"text of {message_id}", date="8 May, 2023")


FIRST = Episode("s1", (message("D1:1"), message("D1:2")))
SECOND = Episode("s2", (message("D2:1"), message("D2:2")))
HISTORY = History("conv", (FIRST, SECOND))
QUERY = Query("q", "conv", 0, "What?")


class FailingExtractor:
    """Takes one call of ten tokens for each episode and finds nothing."""

    def extract(self, episode: Episode) -> Extraction:
        return Extraction(usage=Usage(1, 10, 0), failure="cut")


def recalled(evidence: Evidence) -> list[str]:
    return [passage.id for passage in evidence.passages]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("chronological", ["D1:1", "D1:2", "D2:1", "D2:2"]),
        ("newest_first", ["D2:1", "D2:2", "D1:1", "D1:2"]),
    ],
)
def test_full_context_orders_sessions_and_keeps_the_order_within(
    order: str, expected: list[str]
) -> None:
    memory = FullContext(order=order)
    memory.index(HISTORY)
    evidence = memory.recall(QUERY)
    assert recalled(evidence) == expected
    assert evidence.passages[0].text == f"[8 May, 2023] Ann: text of {expected[0]}"


def test_full_context_keeps_the_order_in_which_the_question_states_its_facts() -> None:
    memory = FullContext(order="newest_first")
    memory.index(HISTORY)
    stated = Query("q", "conv", 0, "What?", order=("D1:2", "D2:2", "D1:1"))
    assert recalled(memory.recall(stated)) == ["D1:2", "D2:2", "D1:1"]


def test_full_context_refuses_an_unknown_order() -> None:
    with pytest.raises(ValueError, match="unknown order 'random'"):
        FullContext(order="random")


def test_the_oracle_recalls_gold_messages_in_conversation_order() -> None:
    memory = OracleMessage()
    memory.see_gold([Question(QUERY, Gold(("x",), "1", evidence=("D2:1", "D1:2", "D9:9")))])
    memory.index(HISTORY)
    assert recalled(memory.recall(QUERY)) == ["D1:2", "D2:1"]


def test_the_oracle_recalls_nothing_for_a_question_without_evidence() -> None:
    memory = OracleMessage()
    memory.index(HISTORY)
    memory.see_gold([Question(QUERY, Gold(("x",), "5", answerable=False))])
    assert memory.recall(QUERY) == Evidence()


def test_the_oracle_refuses_a_question_whose_gold_it_was_not_told() -> None:
    memory = OracleMessage()
    memory.index(HISTORY)
    with pytest.raises(ValueError, match="no gold evidence for query 'q'"):
        memory.recall(QUERY)


def test_the_oracle_over_gists_recalls_the_gists_of_the_gold_messages() -> None:
    memory = OracleGist(extractor=RulesExtractor())
    memory.see_gold([Question(QUERY, Gold(("x",), "1", evidence=("D2:1", "D1:2", "D9:9")))])
    memory.index(HISTORY)
    gists = memory.recall(QUERY).gists
    assert [(gist.id, gist.episode_id, gist.source) for gist in gists] == [
        ("g2", "s1", ("D1:2",)),
        ("g3", "s2", ("D2:1",)),
    ]
    assert gists[0].text == "[8 May, 2023] Ann: text of D1:2"


def test_the_oracle_over_gists_reports_what_the_extraction_took_and_what_failed() -> None:
    memory = OracleGist(extractor=FailingExtractor())
    memory.index(HISTORY)
    assert memory.index_usage == Usage(2, 20, 0)
    assert memory.failures == (("s1", "cut"), ("s2", "cut"))
