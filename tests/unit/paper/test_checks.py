"""Each consistency check, on a few numbers with results worked out by hand."""

from collections.abc import Callable
from decimal import Decimal

from paper_checks.claims import repeated_numbers, right_refusals
from paper_checks.sums import (
    column_averages,
    group_counts,
    interval_widths,
    row_averages,
    token_sums,
    whole_questions,
)

from remem.paper.layout import PaperTable, parse_number

WriteTable = Callable[..., PaperTable]

AVG = "key: avg, title: Avg, n: 40, metrics: {f1: any}, average_of: [one, two]"
PARTS = [
    "key: one, title: '', n: 30, metrics: {f1: any}",
    "key: two, title: '', n: 10, metrics: {f1: any}",
]
JUDGED = "key: a, title: '', dataset: d, category: c, n: 20, metrics: {llm_j: mem0_judge}"


def test_an_average_is_weighted_by_questions_and_may_be_off_by_rounding(table: WriteTable) -> None:
    # (30 * 50 + 10 * 70) / 40 = 55; the plain mean is 60.
    rows = ["label | avg | one | two", "fits | 55.1 | 50.0 | 70.0", "off | 55.2 | 50.0 | 70.0"]
    made = table("t", [AVG, *PARTS], [*rows, "plain | 60.0 | 50.0 | 70.0"])
    fits, off, plain = column_averages({"t": made})
    assert (fits.holds, fits.follows, fits.tolerance) == (True, "55", "0.1")
    assert (off.holds, off.note) == (False, "")
    assert (plain.holds, plain.note) == (False, "the plain mean of the parts fits")


def test_the_categories_of_an_average_may_be_in_another_table(table: WriteTable) -> None:
    whole = AVG.replace("[one, two]", "[one, other | two]")
    first = table("t", [whole, PARTS[0]], ["label | avg | one", "A | 55.0 | 50.0"])
    second = table("other", [PARTS[1]], ["label | two", "A | 70.0"])
    tables = {"t": first, "other": second}
    assert [check.holds for check in column_averages(tables)] == [True]
    assert [check.follows for check in group_counts(tables)] == ["40"]


def test_rows_are_summed_where_they_count_and_averaged_where_they_score(table: WriteTable) -> None:
    groups = ["key: x, title: '', metrics: {queries: any, f1: any}"]
    rows = ["label | x queries | x f1", "all | 40 | 55.0", "one | 30 | 50.0", "two | 9 | 70.0"]
    made = table("t", groups, rows, "n_from: queries", "averages: {all: [one, two]}")
    total, mean = row_averages({"t": made})
    assert (total.holds, total.follows) == (False, "39")
    # (30 * 50 + 9 * 70) / 39
    assert (mean.holds, mean.follows) == (False, "54.615")


def test_a_share_is_a_whole_number_of_questions(table: WriteTable) -> None:
    made = table("t", [JUDGED], ["label | a", "A | 45.0", "B | 46.0"])
    right, wrong = whole_questions({"t": made})
    assert (right.holds, right.follows) == (True, "9/20 = 45")
    assert (wrong.holds, wrong.follows) == (False, "9/20 = 45")


def test_an_interval_is_as_wide_as_its_questions_make_it(table: WriteTable) -> None:
    # 1.96 * sqrt(0.5 * 0.5 / 20) = 0.219
    rows = ["label | a", "A | 50.0 -21.0 +22.0", "B | 50.0 -2.0 +2.0", "C | 50.0 -12.0 +32.0"]
    fits, narrow, lopsided = interval_widths({"t": table("t", [JUDGED], rows)})
    assert (fits.holds, fits.follows) == (True, "±21.9 (n = 20)")
    assert not narrow.holds
    assert (lopsided.holds, "one side" in lopsided.note) == (False, True)


def test_an_interval_is_held_against_the_sample_that_another_table_admits(
    table: WriteTable,
) -> None:
    rows = ["label | memory | a", "A | mem0 | 50.0 -4.9 +4.9"]
    whole = table("whole", [JUDGED.replace("n: 20", "n: 400")], rows)
    sample = table("sample", [JUDGED], ["label | memory | a", "A* | mem0 | 50.0"])
    assert [check.holds for check in interval_widths({"whole": whole})] == [True]
    (check,) = interval_widths({"whole": whole, "sample": sample})
    assert not check.holds
    assert check.note == "another table says that 20 of the 400 questions were asked"


def test_a_number_printed_twice_is_the_same_twice(table: WriteTable) -> None:
    first = table(
        "first", [JUDGED], ["label | memory | a", "A | mem0 | 45.0", "B | graphiti | 1.0"]
    )
    second = table("second", [JUDGED], ["label | memory | a", "A | mem0 | 46.0"])
    (check,) = repeated_numbers({"first": first, "second": second})
    assert (check.holds, check.printed, check.follows) == (False, "46.0", "45")
    assert check.note == "as first | A | a"


def test_only_some_counts_give_precision_recall_and_f1() -> None:
    for unanswerable, right in [(444, [252]), (446, [])]:
        # 252/344 = 73.26, 252/444 = 56.76, 504/788 = 63.96; 253/446 = 56.73, but 253/344 = 73.55.
        scores = [parse_number(text) for text in ("73.3", "56.8", "64.0")]
        assert right_refusals(344, scores, unanswerable) == right


def test_tokens_are_summed_and_paid_for(table: WriteTable) -> None:
    groups = [
        "key: x, title: '', metrics: {input: any, output: any}",
        "key: total, title: '', metrics: {tokens: any}",
        "key: cost, title: '', metrics: {dollars: any}",
    ]
    rows = ["label | x input | x output | total | cost", "A | 1.19M | 0.17M | 1.36M | $0.95"]
    total, cost = token_sums({"tokens": table("tokens", groups, rows)})
    assert total.holds
    # 1.19 * 0.40 + 0.17 * 1.60
    assert (cost.holds, Decimal(cost.follows)) == (False, Decimal("0.748"))
