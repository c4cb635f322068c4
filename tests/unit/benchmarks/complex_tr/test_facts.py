from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from remem.benchmarks.complex_tr.facts import LAST_MONTH, TimedFact, draw_subjects
from remem.benchmarks.complex_tr.wording import wording


@pytest.fixture(scope="module")
def subjects():
    return draw_subjects(400, np.random.default_rng(0))


@pytest.fixture(scope="module")
def chains(subjects):
    """The facts of each subject and relation."""
    grouped = defaultdict(list)
    for subject in subjects:
        for fact in subject.facts:
            grouped[subject.id, fact.relation].append(fact)
    return list(grouped.values())


@pytest.mark.parametrize(
    ("relation", "line"),
    [
        ("P69", "Ana studied at Kres from May 1990 to January 1991."),
        ("P286", "Kres was the head coach of Ana from May 1990 to January 1991."),
        ("P937", "Ana  in Kres from May 1990 to January 1991."),
    ],
)
def test_a_fact_is_written_in_the_words_of_its_relation(relation, line):
    assert str(TimedFact(relation, "Ana", "Kres", 1990 * 12 + 4, 1991 * 12)) == line


def test_subjects_have_names_and_ids_of_their_own_and_facts_about_themselves(subjects):
    assert len({subject.name for subject in subjects}) == 400
    assert len({subject.id for subject in subjects}) == 400
    for subject in subjects:
        assert len(subject.facts) >= 3
        assert len({str(fact) for fact in subject.facts}) == len(subject.facts)
        assert {fact.subject for fact in subject.facts} == {subject.name}


def test_every_relation_occurs(subjects):
    assert {fact.relation for subject in subjects for fact in subject.facts} == set(
        wording().statements
    )


def test_facts_end_after_they_start_in_may_2023_at_the_latest(subjects):
    assert LAST_MONTH == 2023 * 12 + 4
    facts = [fact for subject in subjects for fact in subject.facts]
    assert all(fact.start <= fact.end <= LAST_MONTH for fact in facts)
    assert any(fact.start == fact.end for fact in facts)
    assert any(fact.end == LAST_MONTH for fact in facts)


def test_facts_of_a_relation_touch_overlap_leave_gaps_and_start_together(chains):
    seen = set()
    for chain in chains:
        for one, other in pairwise(chain):
            if other.start == one.start:
                seen.add("together")
            elif other.start < one.end:
                seen.add("overlap")
            else:
                seen.add("touch" if other.start == one.end else "gap")
    assert seen == {"together", "overlap", "touch", "gap"}


def test_schools_are_mostly_known_by_year_then_in_january_and_coaches_by_month(chains):
    def share_by_year(relation):
        own = [chain for chain in chains if chain[0].relation == relation and len(chain) > 1]
        by_year = [
            all(f.start % 12 == 0 and (f.end % 12 == 0 or f.end == LAST_MONTH) for f in chain)
            for chain in own
        ]
        return sum(by_year) / len(own)

    assert 0.8 < share_by_year("P69") < 1
    assert 0 < share_by_year("P286") < 0.3


def test_awards_are_held_until_all_of_them_end(chains):
    awards = [chain for chain in chains if chain[0].relation == "P166"]
    assert awards
    assert all(len({fact.end for fact in chain}) == 1 for chain in awards)


def test_something_happens_twice_and_one_studies_where_one_works(subjects):
    events = [[(f.relation, f.object) for f in subject.facts] for subject in subjects]
    assert any(len(set(own)) < len(own) for own in events)
    assert any(
        {name for relation, name in own if relation == "P69"}
        & {name for relation, name in own if relation == "P108"}
        for own in events
    )


def test_a_coach_may_have_coached_another_club(subjects):
    clubs = defaultdict(set)
    for subject in subjects:
        for fact in subject.facts:
            if fact.relation == "P286":
                clubs[fact.object].add(subject.name)
    assert max(map(len, clubs.values())) > 1
