"""The first step in which two runs differ is found."""

from dataclasses import replace

from remem.results.divergence import Divergence, parting
from remem.types import Gold, Record, Retrieved, StepRecord

GOLD = Gold(("red",), "1", evidence=("m1", "m2"))
NAMES = ("REMem-I", "BM25")
BASE = Record("q", "h", 0, "What?", GOLD, "ok", answer="red")


def step(tool: str = "semantic_retrieve", query: str = "x", seen: tuple[str, ...] = ("g1",)):
    return StepRecord(tool, {"query": query}, "", "", seen, None, error=False)


def given(*items: tuple[str, str]) -> tuple[Retrieved, ...]:
    return tuple(Retrieved(item, (source,)) for item, source in items)


def test_the_first_step_that_is_not_the_same_is_named() -> None:
    one = replace(BASE, steps=(step(), step(query="y")))
    others = {
        "another tool": (2, (step(), step("lexical_retrieve"))),
        "other arguments": (1, (step(query="z"),)),
        "only REMem-I has a further step": (2, (step(),)),
        "only BM25 has a further step": (3, (*one.steps, step())),
    }
    for what, (number, steps) in others.items():
        assert parting(one, replace(BASE, steps=steps), NAMES) == Divergence(number, what)


def test_a_memory_without_steps_is_told_apart_by_its_evidence_alone() -> None:
    stepped = replace(BASE, steps=(step(),), retrieved=given(("g1", "m1")))
    same = replace(BASE, retrieved=given(("p1", "m1")))
    assert parting(stepped, same, NAMES) == Divergence(None, "same evidence, read differently")
    other = replace(BASE, retrieved=given(("p2", "m2")))
    assert parting(other, stepped, NAMES) == Divergence(None, "other evidence")


def test_items_of_two_indexes_are_the_same_if_their_messages_are() -> None:
    one = replace(BASE, steps=(step(seen=("g1",)),), retrieved=given(("g1", "m1")))
    other = replace(BASE, steps=(step(seen=("g7",)),), retrieved=given(("g7", "m1")))
    assert parting(one, other, NAMES) == Divergence(None, "same evidence, read differently")
    third = replace(BASE, steps=(step(seen=("g1",)),), retrieved=given(("g1", "m9")))
    assert parting(one, third, NAMES) == Divergence(1, "same call, different result")
