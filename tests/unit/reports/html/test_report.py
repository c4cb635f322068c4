"""The report of a run shows data and models' replies as text, and is always the same file."""

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from remem.reports.html.report import write_report
from remem.run.memory_checks import CHECKS
from remem.run.store import SUM
from remem.types import Gold, Record, Retrieved, StepRecord

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '"><b onclick="x">',
    "{{ 7 * 7 }}{% raw %}",
    "a\x00b\x1bc\u2028d",
)


def record(at: int = 0, text: str = "red", **changes: object) -> Record:
    made = Record(
        f"q{at}",
        "h",
        at,
        f"What {text}?",
        Gold((text,), "1", evidence=("m1",)),
        "ok",
        answer=text,
        retrieved=(Retrieved("g1", ("m1",)),),
        steps=(StepRecord("lexical_retrieve", {"query": text}, text, text, ("g1",), 1, False),),
    )
    return replace(made, **changes)


class Elements(HTMLParser):
    """Collects the elements of a page, the content of its scripts, and the text outside of them."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script" and not self.scripts[-1]:
            self.scripts[-1] += data
        else:
            self.text += data


def read(path: Path) -> Elements:
    page = Elements()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def hostile(at: int, text: str) -> Record:
    gold = Gold((text,), text, evidence=(text,), unresolved=(text,))
    items = (Retrieved(text, (text,)),)
    return replace(record(at, text), gold=gold, retrieved=items, history_id=text, query_id=text)


def test_what_data_and_models_say_is_never_an_element(make_run) -> None:
    plain = read(
        write_report(make_run([record(0), record(1), record(2)]))
    )  # three, for an interval
    records = [hostile(at, text) for at, text in enumerate(HOSTILE)]
    page = read(write_report(make_run(records, "method=remem_s", 'method.label="<b>x</b>"')))
    assert {tag for tag, _ in page.elements} == {tag for tag, _ in plain.elements}
    assert len(page.scripts) == 2
    assert not [name for _, attributes in page.elements for name in attributes if name[:2] == "on"]
    assert "<b>x</b> on generated_dialogues" in page.text
    data = json.loads(page.scripts[0])
    assert {item["answer"] for item in data["questions"]} == set(HOSTILE)
    assert {item["category"] for item in data["questions"]} == set(HOSTILE)


def test_the_texts_of_a_licensed_data_set_are_shown_on_request_alone(make_run) -> None:
    records = [record(0, "zebra"), record(1, "zebra", status="error", answer="", error="E: zebra")]
    folder = make_run(records, data="locomo/locomo10.json")
    page = read(write_report(folder))
    assert "locomo: CC BY-NC 4.0" in page.text
    assert "zebra" not in page.text + page.scripts[0]
    whole, failed = json.loads(page.scripts[0])["questions"]
    assert (whole["question"], whole["answer"], whole["items"]) == (
        "q0",
        "(left out)",
        [["g1", ["m1"]]],
    )
    assert whole["steps"][0]["tool"] == "lexical_retrieve"
    assert failed["error"] == "E"


def test_a_long_text_does_not_make_a_large_file(make_run) -> None:
    folder = make_run([record(0, "x" * 1_000_000)])
    assert write_report(folder).stat().st_size < 100_000


def test_70_of_2800_questions_stay_below_their_share_of_25_megabytes(make_run) -> None:
    text = "word " * 20
    steps = record(0, text).steps * 5
    items = tuple(Retrieved(f"g{at}", (f"D{at}:1",)) for at in range(600))
    full = [record(at, text, steps=steps, retrieved=items) for at in range(70)]
    assert write_report(make_run(full)).stat().st_size < 625_000


def test_the_same_run_is_the_same_file_wherever_it_lies(make_run, tmp_path: Path) -> None:
    folder = make_run([record(), record(1, status="error", answer="", error="E: e")])
    first = write_report(folder, tmp_path / "first.html").read_bytes()
    shutil.move(tmp_path / "results", tmp_path / "moved")
    moved = tmp_path / "moved" / folder.relative_to(tmp_path / "results")
    assert write_report(moved, tmp_path / "new" / "second.html").read_bytes() == first
    assert str(tmp_path).encode() not in first


def test_a_report_says_what_a_reader_must_not_miss(make_run) -> None:
    failed = record(1, status="error", answer="", error="E: e")
    page = read(write_report(make_run([record(), failed])))
    for said in ("2 questions", "LLM-free", "1 in error"):
        assert said in page.text


def test_the_headline_says_the_main_score_and_the_facts_are_folded(make_run) -> None:
    wrong = [record(at, "red", answer="blue") for at in (2, 3)]
    page = read(write_report(make_run([record(0), record(1), *wrong])))
    # each question is a cluster of its own; two of four are right
    assert re.search(r"F1 50\.0 \[\d+\.\d, \d+\.\d\] on 4 questions", page.text)
    assert "2 right, 50%" in page.text and "2 wrong, 50%" in page.text
    tags = [tag for tag, _ in page.elements]
    assert tags.index("details") < tags.index("dl")


def test_each_score_that_a_question_has_can_decide(make_run) -> None:
    folder = make_run([record(0), record(1, status="error", answer="", error="E: e")])
    scores = json.loads(read(write_report(folder)).scripts[0])["scores"]
    by_name = {score["name"]: score for score in scores}
    assert next(iter(by_name)) == "f1" and by_name["f1"]["shown"]
    assert by_name["recall_at_10"]["values"] == [1, None]
    assert "of_answer" in by_name["em"] and "of_answer" not in by_name["recall_at_10"]
    assert "llm_judge" not in by_name  # no judge was asked


def test_a_report_says_which_checks_of_the_memory_failed(make_run) -> None:
    folder = make_run([record()])
    assert "checks of the memory" not in read(write_report(folder)).text
    checks = [{"name": "finds", "passed": False, "found": "0 of 3"},
              {"name": "dates", "passed": True, "found": "kept"}]  # fmt: skip
    (folder / CHECKS).write_text(json.dumps(checks))
    page = read(write_report(folder)).text
    assert "the memory failed checks: finds" in page
    assert "finds failed: 0 of 3" in page
    (folder / CHECKS).write_text(json.dumps(checks[1:]))
    assert "all 1 passed" in read(write_report(folder)).text


def test_the_head_of_a_page_names_six_data_files_at_most(make_run) -> None:
    folder = make_run([record()])
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest.pop(SUM, None)  # a manifest without it is one of an earlier release
    manifest["data"] = [{"name": f"beam/{at}.json", "sha256": "0" * 64} for at in range(40)]
    path.write_text(json.dumps(manifest))
    page = read(write_report(folder)).text
    assert "beam/4.json, beam/5.json and 34 more" in page
    assert "beam/6.json" not in page


def test_a_run_with_every_question_in_error_has_a_report(make_run) -> None:
    failed = record(0, status="error", answer="", error="TimeoutError: late", steps=())
    page = read(write_report(make_run([failed])))
    assert json.loads(page.scripts[0])["questions"][0]["error"] == "TimeoutError: late"
