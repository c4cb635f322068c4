"""Lines of the benchmark: ratios and limits, their rows, and the tracked measurements."""

from pathlib import Path

from measure.line import Goal, MeasuredLine, MeasuredPart, Sample
from measure.summary import in_page, read_parts, rows, write_parts

ROOT = Path(__file__).parents[3]
TWO = Sample(3, 2.0, 1.0, 4.0)
TEN = Sample(3, 10.0, 9.0, 11.0)
FIFTH = MeasuredLine("a fifth", "ms", TWO, "peer 1.0", TEN, goal=Goal(0.1), note="ten items")
LIMIT = MeasuredLine("under", "ms", TWO, "a limit", goal=Goal(2.0, "median"))


def test_a_sample_has_its_median_and_spread() -> None:
    assert Sample.of([4.0, 1.0, 2.0]) == TWO


def test_a_limit_applies_to_the_ratio_or_to_the_median() -> None:
    assert (FIFTH.ratio, LIMIT.ratio) == (0.2, None)
    assert (FIFTH.holds, LIMIT.holds) == (False, True)
    assert MeasuredLine("no limit", "ms", TWO).holds is None


def test_a_row_says_what_was_measured_and_its_limit() -> None:
    fifth, limit = rows([FIFTH, LIMIT])
    assert fifth[0] == "a fifth (ten items)"
    assert fifth[1:] == ("3", "2 ms", "1-4", "peer 1.0", "10 ms", "0.2x", "0.1x", "NO")
    assert limit[4:] == ("a limit", "", "", "2 ms", "yes")


def test_a_part_that_is_measured_again_takes_the_place_of_the_former(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    other = MeasuredPart("b", "2026-01-02", 7, "P", (LIMIT,))
    write_parts([MeasuredPart("a", "2026-01-02", 7, "P", (FIFTH,)), other], file)
    again = MeasuredPart("a", "2026-01-03", 8, "P", (LIMIT,))
    write_parts([again], file)
    assert read_parts(file) == [again, other]
    page = in_page("before <!-- bench -->\n\nformer\n\n<!-- end of bench --> after", [again])
    assert page.startswith("before <!-- bench -->\n\n1 of 1 lines") and page.endswith(" after")
    assert "former" not in page and "| under" in page


def test_the_page_of_measurements_shows_the_tracked_ones() -> None:
    page = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")
    parts = read_parts(ROOT / "results" / "bench.json")
    assert len(parts) == 3 and page.count("<!-- bench -->") == 1
    assert "### whole-run" in page and in_page(page, parts) == page
