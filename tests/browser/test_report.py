"""The report of a run in a browser: filter, sort, open a trace; injected markup stays text."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.run.store import read_records

pytestmark = pytest.mark.extra
REMEM = Path(sys.executable).parent / "remem"
Open = Callable[[Path], Any]

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


def report(run: Path, *options: str) -> Path:
    page = run / "report.html"
    subprocess.run([REMEM, "report", run, *options], cwd=run, check=True, capture_output=True)
    return page


@pytest.fixture(scope="session")
def run(runs: list[Path]) -> Path:
    return next(path for path in runs if "remem_i" in str(path))


@pytest.fixture(scope="session")
def written(run: Path) -> Path:
    return report(run)


def found(page: Any) -> int:
    return int(page.locator("#found").inner_text().split()[0].replace(",", ""))


def test_a_search_and_the_filters_leave_what_they_say(
    opened: Open, run: Path, written: Path
) -> None:
    page = opened(written)
    records = read_records(run)
    assert found(page) == len(records)
    category = records[0].gold.category
    page.select_option("#category", category)
    assert found(page) == sum(record.gold.category == category for record in records)
    page.select_option("#category", "")
    page.select_option("#outcome", "unanswerable")  # where the recall of refusals leads
    assert found(page) == sum(record.gold.category == "5" for record in records)
    page.select_option("#outcome", "")
    page.fill("#words", records[3].question.lower())
    assert found(page) == sum(record.question == records[3].question for record in records)


def test_each_count_of_the_head_and_of_the_causes_leads_to_so_many_questions(
    opened: Open, written: Path
) -> None:
    page = opened(written)
    everything, counts = found(page), {}
    for link in page.locator("ul.outcomes a, #wrong tbody a").all():
        link.click()
        counts[link.get_attribute("href")] = found(page)
        assert counted(link) == found(page)
    kinds = ("right", "partly", "wrong", "refused")
    assert sum(counts[f"#outcome={kind}"] for kind in kinds) == everything
    by_category = [counts[link] for link in counts if link.endswith("&outcome=in+the+prompt")]
    assert sum(by_category) == counts["#outcome=in+the+prompt"]


def counted(link: Any) -> int:
    return int(re.match(r"[\d,]+", link.inner_text())[0].replace(",", ""))


def test_the_address_keeps_the_filters_and_the_opened_question(opened: Open, written: Path) -> None:
    page = opened(written)
    everything = found(page)
    page.select_option("#score", "recall_at_10")
    page.select_option("#outcome", "wrong")
    page.select_option("#category", "1")
    assert page.url.endswith("#score=recall_at_10&category=1&outcome=wrong")
    missed = found(page)
    scores = page.locator("#table tbody tr.row td:nth-child(5)").all_inner_texts()
    assert set(scores) == {"0.00"}
    page.locator("button.asked").first.click()
    page.reload()
    assert (found(page), page.locator("td.trace").count()) == (missed, 1)
    page.go_back()
    assert (found(page), page.locator("td.trace").count()) == (missed, 0)
    for _ in range(3):
        page.go_back()
    assert found(page) == everything
    page.go_forward()
    assert page.locator("#score").input_value() == "recall_at_10"


def test_a_question_has_a_link_of_its_own(opened: Open, run: Path, written: Path) -> None:
    page = opened(written)
    asked = page.locator("button.asked").nth(3)
    text = asked.inner_text()
    asked.click()
    link = page.locator("td.trace a.permalink").get_attribute("href")
    page.goto("about:blank")
    page.goto(f"{(run / 'report.html').as_uri()}{link}")
    opened_button = page.locator("button.asked[aria-expanded=true]")
    assert opened_button.all_inner_texts() == [text]
    assert opened_button.bounding_box()["y"] < 900


def test_what_an_address_names_and_the_run_does_not_know_is_ignored_with_a_note(
    opened: Open, written: Path
) -> None:
    page = opened(written)
    everything = found(page)
    page.goto(f"{page.url}#score=made_up&category=<b>9&outcome=toString&question=nobody")
    assert found(page) == everything
    note = page.locator("#address").inner_text()
    assert "score made_up, category <b>9, outcome toString, question nobody" in note
    page.evaluate("location.hash = '#scores'")
    assert found(page) == everything


def test_the_memory_around_a_question_is_a_graph_that_the_keyboard_walks(
    opened: Open, written: Path
) -> None:
    page = opened(written)
    page.locator("button.asked").first.click()
    nodes = page.locator("td.trace figure.graph button.node")
    assert 1 < nodes.count() <= 30
    gist = nodes.first.inner_text().split()[1]  # after its place
    nodes.first.focus()
    assert page.locator("td.trace .edge.lit").count() >= 1
    page.keyboard.press("Enter")
    assert page.locator("#memory-view .around h3").inner_text().startswith(gist)
    assert page.evaluate("document.activeElement.className") == "around"


KEPT = {
    "messages": {},
    "gists": [["g1", "2021", "e1", ["m1"], "Ann moved"], ["g2", "", "e1", ["m2"], "Ann left"]],
    "facts": [["f1", "2021", "e1", ["m1"], "Ann", "moved to", "Rome"]],
    "synonyms": [[0, 1]],
}


def test_the_edges_of_a_graph_are_named(opened: Open, written: Path) -> None:
    page = opened(written)
    edges = page.evaluate(
        """kept => {
          data.items[0] = kept;
          const question = { history: 0, items: [["g1", []], ["g2", []], ["f1", []]] };
          const figure = graphOfQuestion(question)[1];
          return [...figure.querySelectorAll(".edge text")].map((edge) => edge.textContent).sort();
        }""",
        KEPT,
    )
    # each gist is tied to both phrases of its episode
    assert edges == ["context"] * 4 + ["relation"] * 2 + ["retrieved"] * 3 + ["synonymy"]


def test_a_graph_says_how_much_it_leaves_out(opened: Open, written: Path) -> None:
    page = opened(written)
    facts = [[f"f{at}", "", "e1", [], f"A{at}", "met", f"B{at}"] for at in range(15)]
    said = page.evaluate(
        """kept => {
          data.items[0] = kept;
          const question = { history: 0, items: kept.facts.map(([id]) => [id, []]) };
          const figure = graphOfQuestion(question)[1];
          return [figure.querySelectorAll(".node").length, figure.lastChild.textContent];
        }""",
        {**KEPT, "facts": facts},
    )
    # a question, 12 of 15 facts, and 14 of the 24 phrases of these
    assert said[0] == 1 + 12 + 14
    assert "And 3 more gists and facts. And 10 more phrases." in said[1]


def test_a_column_sorts_both_ways(opened: Open, written: Path) -> None:
    page = opened(written)
    heading = page.locator("#table th button", has_text="f1")

    def scores() -> list[float]:
        shown = page.locator("#table tbody tr.row td:nth-child(5)").all_inner_texts()
        return [float(item) for item in shown if item != "-"]

    heading.click()
    assert scores() == sorted(scores())
    page.locator("#table th button", has_text="f1").click()
    assert scores() == sorted(scores(), reverse=True)


def test_a_trace_opens_below_its_question_with_tools_items_and_gold(
    opened: Open, written: Path
) -> None:
    page = opened(written)
    page.locator("#table tbody tr.row").first.click()
    trace = page.locator("td.trace").inner_text()
    assert "semantic_retrieve" in trace
    assert "lexical_retrieve" in trace
    assert "found by" in trace or "missed" in trace
    # the text of what came back, and the time it has
    assert re.search(r"g\d+ [\d.]+ \[\d{4}[-/\d]*\] \[.+\] \w+: ", trace)
    page.locator("#table tbody tr.row").first.click()
    assert page.locator("td.trace").count() == 0


def test_a_question_is_opened_with_the_keyboard_alone(opened: Open, written: Path) -> None:
    page = opened(written)
    page.locator("button.asked").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("td.trace").count() == 1
    assert page.locator("button.asked[aria-expanded=true]").count() == 1


def test_the_memory_view_shows_dated_gists_and_where_they_came_from(
    opened: Open, written: Path
) -> None:
    page = opened(written)
    assert page.locator("#memory-view").inner_text().count("20") > 10


def test_markup_in_an_answer_stays_text(
    opened: Open, run: Path, tmp_path: Path, change_records: Callable[..., None]
) -> None:
    hostile = tmp_path / "run"
    shutil.copytree(run, hostile)
    texts = iter([f'"answer":"{HOSTILE}"'.encode()])
    answer = re.compile(rb'"answer":"[^"]+"')
    change_records(hostile, lambda line: answer.sub(lambda found: next(texts, found[0]), line))
    page = opened(report(hostile))
    page.fill("#words", "onerror")
    assert found(page) == 1
    assert HOSTILE in page.locator("#table tbody").inner_text()
    page.locator("#table tbody tr.row").first.click()
    assert page.locator("main img").count() == 0


def test_2800_questions_weigh_less_than_25_mb_and_open(opened: Open, results: Path) -> None:
    subprocess.run(
        [REMEM, "run", "dataset=generated_tot", "planner=symbolic", "reader=symbolic",
         "convention.score.resamples=99"],
        cwd=results, check=True, capture_output=True,
    )  # fmt: skip
    (run,) = (path.parent for path in results.glob("results/runs/generated_tot/**/manifest.json"))
    path = report(run)
    assert path.stat().st_size < 25e6
    assert found(opened(path)) == 2800
