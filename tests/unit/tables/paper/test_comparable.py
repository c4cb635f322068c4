"""Which of the paper's numbers can get a verdict, judged from configurations alone."""

from collections import Counter

import pytest

from remem.paper.layout import paper_folder, paper_table_names, read_table
from remem.tables.paper.comparable import Comparable, comparable

OWN = ("prompts=own", "judge=llm")


def looked_at(*overrides: str, tables: tuple[str, ...] = ()) -> Comparable:
    names = tables or paper_table_names(paper_folder())
    return comparable([read_table(paper_folder() / f"{name}.yaml") for name in names], overrides)


@pytest.mark.slow
def test_every_number_without_a_verdict_has_its_reason() -> None:
    released = looked_at()  # as in the paper, with nothing fetched
    assert released.numbers == 855
    reasons = Counter(obstacle.reason for obstacle in released.obstacles)
    assert not [reason for reason in reasons if "our own prompts" in reason]
    assert reasons["which 100 questions people judged was not published"] == 10  # Table 7
    assert reasons["REMem-I: the paper says only REMem"] == 13
    assert reasons["seconds and memory of another machine"] == 6
    # all but "only REMem"
    assert sum(obstacle.out_of_reach for obstacle in released.obstacles) == 76


def test_counts_of_the_data_need_no_prompt() -> None:
    assert looked_at(tables=("datasets",)).obstacles == ()


def test_own_prompts_are_named_where_a_number_needs_others() -> None:
    found = looked_at(*OWN, tables=("realtalk",)).obstacles
    reasons = {item.reason for item in found if item.row == "HippoRAG 2"}
    assert any("hipporag2_filter.v1" in reason for reason in reasons)


def test_the_published_classes_of_questions_make_their_numbers_comparable() -> None:
    found = looked_at(tables=("temporal_categories", "temporal_scores"))
    assert (found.numbers, found.obstacles) == (48, ())
