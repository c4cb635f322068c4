"""Time filters, checked against a model that lists all minutes of a small calendar."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.temporal.scopes import ScopeTable, TimeFilter, Undated
from remem.time_scope import TimePoint, TimeScope

OPERATORS = ("lt", "le", "eq", "ge", "gt")
CALENDAR = sorted(
    f"{year}-{month:02d}-{day:02d}T{clock}"
    for year, month, day, clock in product(
        (2023, 2024), (1, 3, 12), (1, 2, 31), ("00:00", "00:01", "23:59")
    )
)
"""Minutes of two years, with the first and the last of every unit drawn below."""

points = st.builds(
    lambda year, month, day, minute, parts: TimePoint(*(year, month, day, minute)[:parts]),
    st.sampled_from((2023, 2024)),
    st.sampled_from((1, 3, 12)),
    st.sampled_from((1, 2, 31)),
    st.sampled_from((0, 1, 1439)),
    st.integers(1, 4),
)
point_scopes = st.builds(TimeScope, points)
intervals = st.builds(
    lambda start, end: TimeScope(start_time=start, end_time=end), points, st.none() | points
) | st.builds(lambda end: TimeScope(end_time=end), points)
scopes = point_scopes | intervals


def minutes_of(point: TimePoint) -> list[str]:
    """Return the minutes of the calendar that are within a point in time."""
    return [minute for minute in CALENDAR if minute.startswith(str(point))]


def holds(point: TimePoint, operator: str, asked: TimePoint) -> bool:
    """Compare two points minute by minute."""
    ours, theirs = minutes_of(point), minutes_of(asked)
    before = all(a < b for a in ours for b in theirs)
    after = all(a > b for a in ours for b in theirs)
    share = bool(set(ours) & set(theirs))
    return {
        "lt": before,
        "le": before or share,
        "eq": share,
        "ge": after or share,
        "gt": after,
    }[operator]


def passing(
    scope: TimeScope | None,
    *,
    undated: Undated = "keep",
    said: TimePoint | None = None,
    **condition: object,
) -> bool:
    table = ScopeTable()
    table.add([scope], [said])
    (passes,) = table.mask(TimeFilter(**condition), undated=undated)
    return bool(passes)


def outcomes(scope: TimeScope, asked: TimePoint, side: str) -> dict[str, bool]:
    """Return the result of each operator for the start, or the end, of a scope."""
    return {
        operator: passing(scope, **{f"{side}_time": asked, f"{side}_operator": operator})
        for operator in OPERATORS
    }


@given(points, points)
def test_points_of_any_granularity_compare_as_their_minutes_do(point, asked):
    model = {operator: holds(point, operator, asked) for operator in OPERATORS}
    assert outcomes(TimeScope(point), asked, "start") == model
    assert outcomes(TimeScope(point), asked, "end") == model


@given(intervals, points)
def test_an_interval_is_compared_by_its_start_and_by_its_end(scope, asked):
    for side, edge in (("start", scope.start_time), ("end", scope.end_time)):
        if edge is not None:
            assert outcomes(scope, asked, side) == outcomes(TimeScope(edge), asked, side)


@given(scopes, points, st.sampled_from(("start", "end")))
def test_exactly_one_of_lt_eq_and_gt_holds(scope, asked, side):
    told = outcomes(scope, asked, side)
    assert told["lt"] + told["eq"] + told["gt"] == 1
    assert told["le"] == (told["lt"] or told["eq"])
    assert told["ge"] == (told["gt"] or told["eq"])


@given(scopes, points, points, st.sampled_from(OPERATORS), st.sampled_from(OPERATORS))
def test_both_conditions_must_hold(scope, first, last, start_operator, end_operator):
    start = {"start_time": first, "start_operator": start_operator}
    end = {"end_time": last, "end_operator": end_operator}
    assert passing(scope, **start, **end) == (passing(scope, **start) and passing(scope, **end))


@pytest.mark.parametrize("asked", [TimePoint(1), TimePoint(2023, 5, 8, 600), TimePoint(9999)])
def test_an_open_start_lies_before_and_an_open_end_after_every_date(asked):
    before = {"lt": True, "le": True, "eq": False, "ge": False, "gt": False}
    after = {"lt": False, "le": False, "eq": False, "ge": True, "gt": True}
    assert outcomes(TimeScope(end_time=TimePoint(2020)), asked, "start") == before
    assert outcomes(TimeScope(start_time=TimePoint(2020)), asked, "end") == after


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        ({"start_time": TimePoint(2023)}, True),
        ({"start_time": TimePoint(2023, 5, 8, 836)}, True),
        ({"start_time": TimePoint(2023, 5, 9)}, False),
        ({"end_time": TimePoint(2023)}, True),
        ({"end_time": TimePoint(2023, 5, 7)}, False),
        ({"start_time": TimePoint(2023, 5, 8), "end_time": TimePoint(2023, 5, 8)}, True),
    ],
)
def test_the_default_operators_ask_for_what_lies_within_the_dates(condition, passes):
    assert passing(TimeScope(TimePoint(2023, 5, 8)), **condition) is passes


UNDATED = ("record_time", "keep", "drop")


@pytest.mark.parametrize("undated", UNDATED)
def test_undated_items_are_kept_dropped_or_dated_by_when_they_were_said(undated):
    said = TimePoint(2023, 6, 19)
    for side, operator in product(("start_time", "end_time"), OPERATORS):
        asked = {side: TimePoint(2023), side.replace("time", "operator"): operator}
        assert passing(None, undated=undated, said=None, **asked) is (undated != "drop")
        kept = passing(TimeScope(said), **asked) if undated == "record_time" else undated == "keep"
        assert passing(None, undated=undated, said=said, **asked) is kept


@pytest.mark.parametrize("undated", UNDATED)
def test_when_it_was_said_does_not_matter_for_an_item_with_a_time_of_its_own(undated):
    own, said = TimeScope(TimePoint(2022)), TimePoint(2023)
    assert not passing(own, undated=undated, said=said, start_time=said)
    assert passing(own, undated=undated, said=said, end_time=TimePoint(2022))


@pytest.mark.parametrize("undated", UNDATED)
def test_a_filter_that_asks_nothing_passes_everything(undated):
    assert passing(None, undated=undated)
    assert passing(None, undated=undated, said=TimePoint(2023))
    assert passing(TimeScope(TimePoint(2023)), undated=undated)


def ordered(found: list[TimeScope | None], *, by_end: bool) -> list[TimeScope | None]:
    table = ScopeTable()
    table.add(found)
    keys = table.order(by_end=by_end)
    return [found[at] for at in np.argsort(keys, kind="stable")]


def test_items_sort_ascending_by_start_or_descending_by_end_with_undated_last():
    early = TimeScope(start_time=TimePoint(1950), end_time=TimePoint(1999))
    late = TimeScope(start_time=TimePoint(1960), end_time=TimePoint(1970))
    always = TimeScope(end_time=TimePoint(1980))
    still = TimeScope(start_time=TimePoint(1955))
    found = [None, late, always, early, still]
    assert ordered(found, by_end=False) == [always, early, still, late, None]
    assert ordered(found, by_end=True) == [still, early, always, late, None]


def test_an_item_that_has_only_the_day_it_was_said_sorts_as_undated():
    table = ScopeTable()
    table.add([None, TimeScope(TimePoint(2024))], [TimePoint(2020), None])
    assert np.argsort(table.order(by_end=False)).tolist() == [1, 0]


@given(st.lists(st.none() | point_scopes, max_size=6))
def test_sorted_points_follow_their_minutes_and_ties_keep_their_order(found):
    dated = [scope for scope in found if scope is not None]
    undated = [None] * (len(found) - len(dated))
    by_start = sorted(dated, key=lambda scope: minutes_of(scope.point_in_time)[0])
    by_end = sorted(dated, key=lambda scope: -CALENDAR.index(minutes_of(scope.point_in_time)[-1]))
    assert ordered(found, by_end=False) == by_start + undated
    assert ordered(found, by_end=True) == by_end + undated


def test_scopes_added_later_are_filtered_and_sorted_too():
    table = ScopeTable()
    asked = TimeFilter(TimePoint(2024))
    assert table.mask(asked, undated="keep").tolist() == []
    assert table.order(by_end=True).tolist() == []
    table.add([TimeScope(TimePoint(2023))])
    assert table.mask(asked, undated="keep").tolist() == [False]
    table.add([None, TimeScope(TimePoint(2024, 2))])
    assert table.mask(asked, undated="keep").tolist() == [False, True, True]
    assert np.argsort(table.order(by_end=True)).tolist() == [2, 0, 1]
