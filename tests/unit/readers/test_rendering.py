"""Evidence becomes lines of text in a fixed order."""

from remem.prompts.interaction import Cap
from remem.readers.direct import evidence_texts, interaction_history
from remem.time_scope import TimePoint, TimeScope
from remem.types import Evidence, Fact, Gist, Observation, Passage, Step, ToolCall

CAP = Cap(100, 1500)
GIST = Gist("g1", "Ann ran.", None, "e1", ())


def test_gists_come_before_facts_before_passages():
    evidence = Evidence(
        gists=(GIST, Gist("g2", "Bob slept.", None, "e1", ())),
        facts=(Fact("f1", "E1", "R2", "E3", TimeScope(TimePoint(1990)), "e1", ()),),
        passages=(Passage("p1", "[8 May 2023] Ann: Hi!", None, ()),),
    )
    texts = ("Ann ran.", "Bob slept.", "E1 | R2 | E3 | 1990", "[8 May 2023] Ann: Hi!")
    assert evidence_texts(evidence) == texts
    assert interaction_history(evidence, CAP) == "\n".join(texts)


def test_a_count_of_zero_is_something_to_answer_from_and_the_proposed_answer_comes_last():
    counted = Step(ToolCall("find_entity_contexts"), Observation("Counted 0 facts.", count=0))
    shown = interaction_history(Evidence(steps=(counted,), proposed_answer="none"), CAP)
    assert shown.splitlines()[0] == "Step 1"
    assert shown.endswith("Count: 0\nProposed answer: none")
    assert interaction_history(Evidence(), CAP) == ""
