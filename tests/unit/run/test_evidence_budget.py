"""A reader sees only the recalled evidence that fits into its token budget."""

from dataclasses import replace

import pytest

from remem.run.evidence_budget import within_budget
from remem.types import Evidence, Fact, Gist, Observation, Passage, Step, ToolCall


def passage(number: int, words: int) -> Passage:
    return Passage(f"p{number}", " ".join(["word"] * words), None, (f"m{number}",))


def gist(number: int) -> Gist:
    return Gist(f"g{number}", "one two three four", None, "e", (f"m{number}",))


def fact(number: int) -> Fact:
    return Fact(f"f{number}", "Ann", "likes", f"tea {number}", None, "e", (f"m{number}",))


@pytest.mark.parametrize(("tokens", "kept"), [(4, 0), (5, 1), (13, 1), (14, 2), (15, 3), (500, 3)])
def test_whole_passages_are_kept_in_their_order_until_the_next_does_not_fit(
    tokens: int, kept: int
) -> None:
    # joined by line feeds they have 19, 54 and 59 characters, so 5, 14 and 15 tokens
    passages = (passage(1, 4), passage(2, 7), passage(3, 1))
    evidence, cut = within_budget(Evidence(passages=passages), tokens)
    assert evidence.passages == passages[:kept]
    assert cut == passages[kept:]


def test_gists_and_facts_are_kept_alternately() -> None:
    evidence = Evidence(gists=(gist(1), gist(2)), facts=(fact(1), fact(2)))
    kept, cut = within_budget(evidence, 10)  # 38 characters
    assert (kept.gists, kept.facts) == ((gist(1),), (fact(1),))
    assert cut == (gist(2), fact(2))


def test_steps_show_each_kept_item_once_and_go_if_they_need_half_of_the_tokens() -> None:
    long = Gist("g2", " ".join(["word"] * 38), None, "e", ("m2",))
    seen = Observation("2 items", (gist(1), long), (fact(1),), scores=(0.9, 0.8, 0.7))
    step = Step(ToolCall("semantic_retrieve", {"query": "tea"}), seen)
    again = Step(ToolCall("output_answer"), Observation("again", (gist(1),), scores=(0.9,)))
    recalled = (gist(1), long), (fact(1),)
    evidence = Evidence(*recalled, steps=(step, again), ranked=False)
    assert within_budget(evidence, 200) == (evidence, ())
    # the two steps need 30 tokens, and 20 more with the first gist and the fact
    kept, cut = within_budget(evidence, 70)
    first, second = (step.observation for step in kept.steps)
    assert (first.gists, first.facts, first.scores) == ((gist(1),), (fact(1),), (0.9, 0.7))
    assert (second, cut) == (Observation("again"), (long,))
    # the three texts have 228 characters
    kept, cut = within_budget(evidence, 58)
    assert (kept.steps, kept.gists, kept.facts, cut) == ((), *recalled, ())


def test_steps_that_no_reader_shows_do_not_count_and_stay_in_the_record() -> None:
    seen = Observation("2 items", (gist(1), gist(2)), scores=(0.9, 0.8))
    step = Step(ToolCall("semantic_retrieve", {"query": "tea"}), seen)
    evidence = Evidence((gist(1), gist(2)), steps=(step,))
    alone, _ = within_budget(replace(evidence, steps=()), 5)
    kept, cut = within_budget(evidence, 5, with_steps=False)
    assert (kept.gists, cut) == (alone.gists, (gist(2),)) == ((gist(1),), (gist(2),))
    assert [step.observation.gists for step in kept.steps] == [(gist(1),)]
