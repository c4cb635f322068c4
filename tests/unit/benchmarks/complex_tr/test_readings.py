import pytest

from remem.benchmarks.complex_tr.facts import TimedFact
from remem.benchmarks.complex_tr.loader import directly_before, mirror


def facts(*spans):
    return [TimedFact("P108", "Ana", name, start, end) for name, start, end in spans]


ANCHOR = TimedFact("P108", "Ana", "X", 50, 60)


@pytest.mark.parametrize(
    ("spans", "names"),
    [
        ([("A", 10, 20), ("B", 30, 40)], ("B",)),
        ([("A", 10, 20), ("B", 30, 50)], ("B",)),  # touches the anchor
        ([("A", 10, 20)], ("A",)),
        ([], ()),
        ([("A", 60, 70)], ()),
        ([("A", 30, 40), ("B", 20, 40)], ()),  # two end together
        ([("A", 10, 45), ("B", 30, 40)], ()),  # the last to start is not the last to end
        ([("A", 10, 20), ("B", 30, 55)], ()),  # still holds when the anchor starts
        ([("A", 10, 20), ("B", 52, 55)], ()),  # within the anchor
        ([("A", 10, 20), ("B", 50, 50)], ()),  # at the instant at which the anchor starts
        ([("A", 10, 20), ("A", 30, 40)], ("A",)),  # twice the same
    ],
)
def test_a_neighbour_is_one_that_all_readings_agree_on(spans, names):
    others = facts(*spans)
    assert directly_before(ANCHOR, others) == names
    mirrored = [mirror(other) for other in others]
    assert directly_before(ANCHOR, [mirror(other) for other in mirrored]) == names


def test_mirrored_before_is_after():
    others = facts(("A", 70, 80), ("B", 60, 65), ("C", 10, 20))
    assert directly_before(mirror(ANCHOR), [mirror(other) for other in others]) == ("B",)
    nested = facts(("A", 70, 80), ("B", 52, 55))
    assert directly_before(mirror(ANCHOR), [mirror(other) for other in nested]) == ()
