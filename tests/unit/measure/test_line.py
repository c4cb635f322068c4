"""Lines of the benchmark: ratios, goals, growth; and what is shown of them."""

import math
from pathlib import Path

import pytest
from measure.line import Goal, MeasuredLine, MemoryGrowth, Sample
from measure.measured_part import MeasuredPart, read_parts, write_part
from measure.summary import in_page, rows

TWO = Sample(3, 2.0, 1.0, 4.0)
TEN = Sample(3, 10.0, 9.0, 11.0)
HALF = MeasuredLine("half", "ms", TWO, "peer 1.0", TEN, goal=Goal("<=", 0.25))
FIVE_TIMES = MeasuredLine("less", "s", TWO, "peer 1.0", TEN, times_less=True, goal=Goal(">=", 6))
LIMIT = MeasuredLine("under", "ms", TWO, "2 ms", goal=Goal("<=", 2.0, "median"))
ALONE = MeasuredLine("alone", "ms", TWO, "peer 1.0", goal=Goal("<=", 1.0), note="pip install peer")


def test_a_sample_has_its_median_and_spread() -> None:
    assert Sample.of([4.0, 1.0, 2.0]) == TWO


def test_a_ratio_is_ours_over_the_peers_or_how_many_times_less_ours_is() -> None:
    assert (HALF.ratio, FIVE_TIMES.ratio, LIMIT.ratio) == (0.2, 5.0, None)
    nothing = MeasuredLine("", "s", Sample.of([0.0]), "peer", TEN, times_less=True)
    assert nothing.ratio == math.inf


def test_a_goal_holds_of_the_ratio_or_the_median_and_of_nothing_unmeasured() -> None:
    assert [item.holds for item in (HALF, FIVE_TIMES, LIMIT, ALONE)] == [True, False, True, None]
    assert MeasuredLine("no goal", "ms", TWO).holds is None


def test_growth_is_the_power_of_the_size() -> None:
    quadratic = MemoryGrowth("pairs", "s", (10, 100, 1000), (1.0, 100.0, 10_000.0))
    assert quadratic.exponent == pytest.approx(2)


def test_rows_say_what_was_measured_and_what_was_not() -> None:
    half, _, limit, alone = rows([HALF, FIVE_TIMES, LIMIT, ALONE])
    assert half[1:] == ("3", "2 ms", "1-4", "peer 1.0", "10 ms", "0.2x", "<= 0.25x", "yes")
    assert limit[5:] == ("", "", "<= 2 ms", "yes")
    assert alone[0] == "alone (pip install peer)"
    assert alone[5:] == ("not measured", "", "<= 1x", "")


def test_a_part_is_written_with_its_verdicts_and_read_again(tmp_path: Path) -> None:
    machine = {"processor": "P", "cores": 2, "python": "3.12"}
    growth = MemoryGrowth("pairs", "s", (1, 10), (1.0, 10.0))
    lines = (HALF, FIVE_TIMES)
    part = MeasuredPart("tools", False, "2026-01-02", 7, machine, lines, (growth,))
    write_part(part, tmp_path)
    (read,) = read_parts(tmp_path)
    assert (tuple(read.lines), tuple(read.growth)) == (lines, (growth,))
    told = in_page("before <!-- bench -->\n\nformer\n\n<!-- end of bench --> after", [read])
    assert told.startswith("before <!-- bench -->\n\nOf") and told.endswith("of bench --> after")
    assert "former" not in told
    assert "Of 2 lines with a goal, 1 miss it:\n\n- less, compared with peer 1.0\n" in told
    assert "| half" in told and "| pairs" in told
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="is no part of the benchmark"):
        list(read_parts(tmp_path))


def test_a_quick_part_does_not_take_the_place_of_a_whole_one(tmp_path: Path) -> None:
    for quick in (False, True):
        write_part(MeasuredPart("tools", quick, "2026-01-02", 7, {}, (HALF,), ()), tmp_path)
    assert [part.quick for part in read_parts(tmp_path)] == [False, True]
