"""The page of two runs has what flipped between them, escaped like all else."""

import json
import re
from dataclasses import replace
from pathlib import Path

from remem.reports.html.diff import write_diff
from remem.results.run import Run
from remem.types import Gold, Record, Retrieved

RIGHT = Record(
    *("q0", "h", 0, "What <b>?", Gold(("red",), "1", evidence=("m1",)), "ok"),
    answer="red",
    retrieved=(Retrieved("p1", ("m1",)),),
)
WRONG = replace(RIGHT, answer="</script><i>", retrieved=())


def write(make_run, path: Path, data: str = "made up", records=(RIGHT, WRONG)) -> str:
    chosen = ("method=bm25_messages",), ("method=remem_s",)
    folders = [
        make_run([record], *choice, data=data)
        for record, choice in zip(records, chosen, strict=True)
    ]
    convention = Run.open(folders[0]).config.score_convention()
    write_diff(
        tuple(folders),
        path,
        score="em",
        category=None,
        convention=convention,
        notes=["<u>told</u>"],
    )
    return path.read_text(encoding="utf-8")


def test_a_flip_is_shown_with_both_runs_and_the_evidence_of_one(make_run, tmp_path: Path) -> None:
    page = write(make_run, tmp_path / "diff.html")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    (flip,) = data["flips"]
    assert (flip["better"], flip["step"], flip["what"]) == ("first", None, "other evidence")
    assert (flip["only_first"], flip["only_second"]) == (["m1"], [])
    assert (flip["first"]["answer"], flip["second"]["answer"]) == ("red", "</script><i>")


def data_of(page: str):
    return json.loads(page.split('id="data">')[1].split("</script>", maxsplit=1)[0])


def test_runs_are_called_by_their_names(make_run, tmp_path: Path) -> None:
    page = write(make_run, tmp_path / "diff.html")
    assert "<title>BM25 and REMem-S on generated_dialogues</title>" in page
    shown = re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
    assert not re.search(r"\b(first|second)\b", shown)
    assert "From BM25 to REMem-S, 0 got better and 1 got worse." in shown
    assert data_of(page)["names"] == ["BM25", "REMem-S"]


def test_a_category_has_a_bar_of_its_flips_with_numbers(make_run, tmp_path: Path) -> None:
    page = write(make_run, tmp_path / "diff.html")
    assert 'role="img" aria-label="1: only BM25 right on 1, only REMem-S right on 0"' in page
    assert '<rect class="one" x="0.0%" width="50.0%"' in page


def test_the_page_has_what_both_runs_took(make_run, tmp_path: Path) -> None:
    page = write(make_run, tmp_path / "diff.html")
    took = page.split('id="costs"')[1].split("</section>")[0]
    for name in ("BM25", "REMem-S"):
        assert f"<td>{name}</td>" in took
    assert took.count('data-heading="recall (ms)">500 / 500 / 500</td>') == 2
    assert '<th class="number">recall (ms)</th>' in took


def test_columns_without_any_value_are_left_out(make_run, tmp_path: Path) -> None:
    page = write(make_run, tmp_path / "diff.html")
    assert data_of(page)["columns"] == [
        *("category", "gold", "first", "second", "diverged", "evidence")
    ]
    # no category, no evidence, and a gold answer that a licence keeps out
    bare = [replace(record, gold=Gold(("red",), ""), retrieved=()) for record in (RIGHT, WRONG)]
    page = write(make_run, tmp_path / "bare.html", data="locomo/locomo10.json", records=bare)
    assert data_of(page)["columns"] == ["first", "second", "diverged"]


def test_what_is_said_and_answered_is_text(make_run, tmp_path: Path) -> None:
    page = write(make_run, tmp_path / "diff.html")
    assert "<u>" not in page and "&lt;u&gt;told" in page
    assert "<i>" not in page and "<b>?" not in page


def test_the_same_runs_are_the_same_page(make_run, tmp_path: Path) -> None:
    assert write(make_run, tmp_path / "a.html") == write(make_run, tmp_path / "b.html")


def test_the_texts_of_a_licensed_data_set_stay_out(make_run, tmp_path: Path) -> None:
    page = write(make_run, tmp_path / "diff.html", data="locomo/locomo10.json")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    (flip,) = data["flips"]
    assert (flip["first"]["question"], flip["first"]["answer"]) == ("q0", "(left out)")
    assert "locomo: CC BY-NC 4.0" in page
