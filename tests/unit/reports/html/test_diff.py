"""The page of two runs has what flipped between them, escaped like all else."""

import json
from dataclasses import replace
from pathlib import Path

from remem.reports.html.diff import write_diff
from remem.run.opened_run import Run
from remem.types import Gold, Record, Retrieved

RIGHT = Record(
    *("q0", "h", 0, "What <b>?", Gold(("red",), "1", evidence=("m1",)), "ok"),
    answer="red",
    retrieved=(Retrieved("p1", ("m1",)),),
)
WRONG = replace(RIGHT, answer="</script><i>", retrieved=())


def write(make_run, path: Path, data: str = "made up") -> str:
    folders = make_run([RIGHT], data=data), make_run([WRONG], "method=remem_s", data=data)
    convention = Run.open(folders[0]).config.score_convention()
    write_diff(
        folders, path, score="em", category=None, convention=convention, said=["<u>told</u>"]
    )
    return path.read_text(encoding="utf-8")


def test_a_flip_is_shown_with_both_runs_and_the_evidence_of_one(make_run, tmp_path: Path) -> None:
    page = write(make_run, tmp_path / "diff.html")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    (flip,) = data["flips"]
    assert (flip["better"], flip["step"], flip["what"]) == ("first", None, "other evidence")
    assert (flip["only_first"], flip["only_second"]) == (["m1"], [])
    assert (flip["first"]["answer"], flip["second"]["answer"]) == ("red", "</script><i>")


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
