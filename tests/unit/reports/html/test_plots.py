"""A report has only those plots for which the records have data."""

from dataclasses import replace

from remem.reports.html.plots import charts, spent
from remem.results.run import Run
from remem.types import Gold, Record, Retrieved, StepRecord, Usage

STEP = StepRecord("semantic_retrieve", {}, "", "", (), None, error=False)
ANSWERABLE, UNANSWERABLE = Gold(("red",), "1"), Gold(("x",), "5", answerable=False)
REFUSAL = "no information available"


def record(at: int, answer: str, gold: Gold = ANSWERABLE, steps: int = 1, tokens: int = 10):
    return Record(
        f"q{at}", "h", at, "What?", gold, "ok", answer=answer, steps=(STEP,) * steps,
        context_tokens=tokens,
    )  # fmt: skip


def test_each_number_of_steps_has_its_mean(make_run) -> None:
    records = [record(0, "red"), record(1, "blue"), record(2, "red", steps=3)]
    by_title = {chart.title: chart for chart in charts(Run.open(make_run(records)))}
    marks = by_title["F1 by steps"].marks
    assert [mark.tip.split(" [")[0] for mark in marks] == [
        "1: 50.0 (2 clusters), n = 2",
        "3: 100.0, n = 1",
    ]


def test_questions_are_grouped_by_the_tokens_they_took(make_run) -> None:
    records = [record(at, "red" if at < 8 else "blue", tokens=100 * (at + 1)) for at in range(16)]
    by_title = {chart.title: chart for chart in charts(Run.open(make_run(records)))}
    marks = by_title["F1 against tokens"].marks
    # eight groups of two, from 150 to 1,550 tokens on average
    assert [mark.tip.split(":")[0] for mark in marks] == [
        *("150", "350", "550", "750", "950", "1,150", "1,350", "1,550")
    ]
    assert [mark.tip.split(" ")[1] for mark in marks] == ["100.0"] * 4 + ["0.0"] * 4


def test_refusals_have_precision_and_recall(make_run) -> None:
    records = [
        record(0, REFUSAL, UNANSWERABLE),
        record(1, REFUSAL),
        record(2, "red", UNANSWERABLE),
    ]
    by_title = {chart.title: chart for chart in charts(Run.open(make_run(records)))}
    chart = by_title["refusals"]
    assert chart.note.startswith("2 refusals, 2 unanswerable questions, 1 are both. A point")
    assert [mark.tip.split(" [")[0].split(" (")[0] for mark in chart.marks] == [
        *("precision: 50.0", "recall: 50.0", "F1: 50.0")
    ]


def found(at: int, place: int, items: int, gold: tuple[str, ...] = ("m1",)) -> Record:
    """Return a record with `items` items; the one at `place` holds the evidence."""
    retrieved = tuple(
        Retrieved(f"g{k}", ("m1" if k == place else "m9",)) for k in range(1, items + 1)
    )
    gold_of_record = Gold(("red",), "1", evidence=gold)
    return replace(record(at, "red", gold_of_record), retrieved=retrieved)


def test_recall_rises_with_the_number_of_items(make_run) -> None:
    records = [found(0, 1, 12), found(1, 2, 3), found(2, 11, 12), found(3, 1, 2, ("m1", "m2"))]
    run = Run.open(make_run([*records, record(4, "blue")]))  # the last has no gold evidence
    curve = charts(run)[0]
    assert (curve.title, curve.kind, len(curve.marks)) == ("recall@k", "curve", 12)
    assert "over the 4 questions with gold evidence" in curve.note
    tips = [mark.tip.split(" [")[0].split(" (")[0] for mark in curve.marks]
    # the first finds all at 1, the last a half; the second finds all at 2, the third at 11
    assert (tips[0], tips[1], tips[9], tips[10]) == ("1: 37.5", "2: 62.5", "10: 62.5", "11: 87.5")


def test_the_curve_at_ten_is_the_recall_of_the_table(make_run) -> None:
    run = Run.open(make_run([found(at, 2 * at + 1, 12) for at in range(6)]))
    recall = run.summary.overall.means["recall_at_10"]
    assert recall is not None and recall.low is not None and recall.high is not None
    written = (
        f"10: {100 * recall.mean:.1f} [{100 * recall.low:.1f}, {100 * recall.high:.1f}], n = 6"
    )
    assert charts(run)[0].marks[9].tip == written


def test_items_in_no_order_have_no_curve(make_run) -> None:
    unordered = [replace(found(at, 1, 3), ranked=False) for at in range(3)]
    assert "recall@k" not in [chart.title for chart in charts(Run.open(make_run(unordered)))]


def test_a_plot_of_one_group_says_nothing(make_run) -> None:
    titles = [chart.title for chart in charts(Run.open(make_run([record(0, "red")])))]
    assert titles == []


def test_a_run_without_answers_has_no_charts(make_run) -> None:
    failed = replace(record(0, ""), status="error", error="E: e", steps=())
    assert charts(Run.open(make_run([failed]))) == []


def test_time_goes_to_index_recall_and_read(make_run) -> None:
    (time,) = spent(Run.open(make_run([record(0, "red"), record(1, "red")])))
    # 2 s for the index, 2 x 0.5 s recall, 2 x 0.25 s read
    assert time.total == "3.5 s"
    assert [(share.stage, share.written, share.width) for share in time.shares] == [
        ("index", "2.0 s", 57.14),
        ("recall", "1.0 s", 28.57),
        ("read", "0.5 s", 14.29),
    ]


def test_money_is_shown_where_the_model_has_a_price(make_run) -> None:
    halves = (Usage(1, 400_000, 0), Usage(1, 600_000, 0))
    asked = [
        replace(record(at, "red"), recall_usage=half, read_usage=half)
        for at, half in enumerate(halves)
    ]
    run = Run.open(make_run(asked, "llm=gpt-4.1-mini-2025-04-14", "planner=llm", "reader=direct"))
    # 0.40 dollars for a million tokens in (conf/prices)
    assert {item.what: item.total for item in spent(run)} == {
        "time": "3.5 s",
        "tokens in": "2,000,000",
        "tokens out": "0",
        "dollars": "$0.8000",
    }
    assert "F1 against dollars" in [chart.title for chart in charts(run)]
