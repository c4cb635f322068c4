"""The page that compares runs has every question with each run's answer, all of it escaped."""

import json
import re
from dataclasses import replace

from remem.reports.html.diff import diff_page
from remem.results.compare import ScoredRuns
from remem.results.run import Run
from remem.results.run_names import run_names
from remem.results.standings import standings
from remem.types import Gold, Record, Retrieved

RIGHT = Record(
    *("q0", "h", 0, "What <b>?", Gold(("red",), "1", evidence=("m1",)), "ok"),
    answer="red",
    retrieved=(Retrieved("p1", ("m1",)),),
)
WRONG = replace(RIGHT, answer="</script><i>", retrieved=())
METHODS = ("bm25_messages", "remem_s", "no_memory")


def write(make_run, data: str = "made up", records=(RIGHT, WRONG)) -> str:
    """Return the page that compares runs of different methods with one record each."""
    runs = [
        Run.open(make_run([record], f"method={method}", data=data))
        for record, method in zip(records, METHODS, strict=False)
    ]
    standing = standings(run_names(*runs), ScoredRuns.of_runs(runs, "em", None))
    said = ["<u>told</u>"]
    return diff_page(runs, standing, score="em", category=None, notes=said).decode()


def data_of(page: str):
    return json.loads(page.split('id="data">')[1].split("</script>", maxsplit=1)[0])


def text_of(page: str) -> str:
    return re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)


def test_a_question_has_the_answer_of_each_run_and_where_the_others_diverge(make_run) -> None:
    data = data_of(write(make_run, records=(RIGHT, WRONG, RIGHT)))
    (question,) = data["questions"]
    assert data["names"] == ["BM25", "REMem-S", "No memory"]
    assert data["categories"] == {"1": "1 multi-hop"}
    assert [of_run["answer"] for of_run in question["answers"]] == ["red", "</script><i>", "red"]
    assert [of_run["evidence"] for of_run in question["answers"]] == [
        [["m1", 1, "p1"]],
        [["m1"]],
        [["m1", 1, "p1"]],
    ]
    assert question["partings"] == [
        [None, "other evidence"],
        [None, "same evidence, read differently"],
    ]
    # every run has histories of its own, since the same id can be another item in its index
    assert [of_run["history"] for of_run in question["answers"]] == [0, 1, 2]
    assert data["histories"] == ["h", "h", "h"]


def test_a_question_that_a_run_was_not_asked_is_left_out(make_run) -> None:
    more = replace(RIGHT, query_id="q1", index=1)
    asked = ([RIGHT, more], "method=bm25_messages"), ([more], "method=remem_s")
    runs = [Run.open(make_run(records, method)) for records, method in asked]
    standing = standings(("A", "B"), ScoredRuns.of_runs(runs, "em", None))
    page = diff_page(runs, standing, score="em", category=None, notes=()).decode()
    assert [question["id"] for question in data_of(page)["questions"]] == ["q1"]


def test_the_result_is_said_first_and_runs_are_called_by_their_names(make_run) -> None:
    page = write(make_run)
    assert "<title>BM25 and REMem-S on generated_dialogues</title>" in page
    shown = text_of(page)
    assert not re.search(r"\b(first|second)\b", shown)
    assert "No certain winner: BM25 scores highest, EM 100.0 " in shown
    three = write(make_run, records=(RIGHT, WRONG, RIGHT))
    assert "<title>BM25, REMem-S and No memory on generated_dialogues</title>" in three


def test_the_page_has_what_both_runs_took(make_run) -> None:
    page = write(make_run)
    took = page.split('id="costs"')[1].split("</section>")[0]
    for name in ("BM25", "REMem-S"):
        assert f"<td>{name}</td>" in took
    assert took.count('data-heading="recall (ms)">500 / 500 / 500</td>') == 2
    assert '<th class="number">recall (ms)</th>' in took


def test_what_is_said_and_answered_is_text(make_run) -> None:
    page = write(make_run)
    assert "<u>" not in page and "&lt;u&gt;told" in page
    assert "<i>" not in page and "<b>?" not in page


def test_the_texts_of_a_licensed_data_set_stay_out(make_run) -> None:
    page = write(make_run, data="locomo/locomo10.json")
    (question,) = data_of(page)["questions"]
    assert (question["question"], question["gold"]) == ("q0", [])
    assert [of_run["answer"] for of_run in question["answers"]] == ["(left out)"] * 2
    assert "locomo: CC BY-NC 4.0" in page
