"""The sample of facts: ids that name their message, no text in the repository, two readers."""

import json
from pathlib import Path

import fact_sample
import pytest

from remem.metrics.proportion import share
from remem.time_scope import TimePoint
from remem.types import Episode, Fact, History, Message

HISTORY = History(
    "h1",
    (
        Episode("s1", (Message("D1:1", "Ann", "Hi!"), Message("D1:2", "Bob", "I row and swim."))),
        Episode("s2", (Message("D2:1", "Ann", "I sing."),)),
    ),
)


def fact(subject: str, verb: str, source: str) -> Fact:
    return Fact("", subject, verb, "often", None, "", (source,), TimePoint(2023, 5, 8))


FACTS = [fact("Bob", "rows", "D1:2"), fact("Bob", "swims", "D1:2"), fact("Ann", "sings", "D2:1")]
LINES = list(fact_sample.sheet_lines(HISTORY, FACTS))


def written(path: Path, *verdicts: tuple[object, object]) -> Path:
    lines = [json.dumps({"id": id_, "ok": ok, "why": "..."}) for id_, ok in verdicts]
    path.write_text("\n".join(lines))
    return path


def test_an_id_names_the_history_the_message_and_the_fact() -> None:
    assert [line.id for line in LINES] == ["h1/D1:2#1", "h1/D1:2#2", "h1/D2:1#1"]
    assert LINES[1].fact == "Bob | swims | often"
    assert LINES[0].previous == "Ann: Hi!"
    assert LINES[2].previous == "Bob: I row and swim."


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    assert fact_sample.sample(LINES, 2, 7) == fact_sample.sample(LINES, 2, 7)
    assert fact_sample.sample(LINES, 3, 7) == LINES
    with pytest.raises(SystemExit, match="there are 3 facts, fewer than --facts 4"):
        fact_sample.sample(LINES, 4, 7)


def test_a_sheet_is_never_written_into_the_repository(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="a sheet holds text of the data"):
        fact_sample.write_sheet(Path(fact_sample.__file__).parent / "sheet.jsonl", LINES)
    fact_sample.write_sheet(tmp_path / "sheet.jsonl", LINES)
    lines = (tmp_path / "sheet.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["speaker"] == "Bob"


def test_a_fact_is_right_if_both_readers_say_so(tmp_path: Path) -> None:
    first = written(tmp_path / "1", ("a", True), ("b", True), ("c", False), ("d", True))
    second = written(tmp_path / "2", ("d", True), ("a", True), ("b", False), ("c", False))
    verdicts = [fact_sample.read_verdicts(path) for path in (first, second)]
    both = fact_sample.score(*verdicts, keep=tmp_path / "kept")
    assert (both.count, both.n) == (2, 4)
    kept = [json.loads(line) for line in (tmp_path / "kept").read_text().splitlines()]
    assert kept[1] == {"id": "b", "first": True, "second": False}
    assert all(set(line) == {"id", "first", "second"} for line in kept)
    assert fact_sample.both_readers([tmp_path / "kept"]) == verdicts


def test_the_verdicts_that_the_docs_give_are_scored_from_their_file() -> None:
    kept = fact_sample.ROOT / "docs" / "chat_graph_verdicts.jsonl"
    found = {
        ids: fact_sample.score(*fact_sample.both_readers([kept], ids))
        for ids in ("", "conv-", "chat-")
    }
    assert [(each.count, each.n) for each in found.values()] == [(253, 300), (131, 150), (122, 150)]
    assert [round(100 * part, 1) for part in (found[""].low, found[""].high)] == [79.8, 88.0]


def test_ids_that_no_verdict_has_are_refused(tmp_path: Path) -> None:
    first = written(tmp_path / "1", ("a", True))
    with pytest.raises(SystemExit, match="1: no id begins with 'conv-'"):
        fact_sample.both_readers([first, first], "conv-")


@pytest.mark.parametrize("files", [1, 3])
def test_verdicts_of_one_reader_or_of_three_are_refused(tmp_path: Path, files: int) -> None:
    one = written(tmp_path / "1", ("a", True))
    with pytest.raises(SystemExit, match=r"expected (an object with id and first|one of both)"):
        fact_sample.both_readers([one] * files)


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        ((("a", True), ("a", True)), "line 2: a was judged before"),
        ((("a", "yes"),), "line 1: expected an object with id and ok"),
        (((3, True),), "line 1: expected an object with id and ok"),
    ],
)
def test_unclear_verdicts_are_refused(
    tmp_path: Path, verdicts: tuple[tuple[object, object], ...], message: str
) -> None:
    with pytest.raises(SystemExit, match=message):
        fact_sample.read_verdicts(written(tmp_path / "1", *verdicts))


def test_both_readers_must_judge_the_same_facts() -> None:
    with pytest.raises(SystemExit, match="only one reader judged 1 facts, such as b"):
        fact_sample.score({"a": True}, {"a": True, "b": True})


def test_the_page_says_what_the_tracked_verdicts_say() -> None:
    docs = Path(fact_sample.__file__).parents[1] / "docs"
    lines = (docs / "chat_graph_verdicts.jsonl").read_text("utf-8").splitlines()
    verdicts = [json.loads(line) for line in lines]
    page = (docs / "chat_graph.md").read_text("utf-8")
    for prefix in ("conv-", "chat-", ""):
        judged = [line for line in verdicts if line["id"].startswith(prefix)]
        right = share(sum(line["first"] and line["second"] for line in judged), len(judged))
        shown = f"{right.count} of {right.n}: {100 * right.mean:.1f}%"
        assert f"{shown} [{100 * right.low:.1f}, {100 * right.high:.1f}]" in page
    agreed = sum(line["first"] == line["second"] for line in verdicts)
    assert f"they agreed on {100 * agreed / len(verdicts):.1f}%" in page


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "1").write_text('{"id": "a", "ok": true}\nyes\n')
    with pytest.raises(SystemExit, match="1, line 2: not JSON"):
        fact_sample.read_verdicts(tmp_path / "1")
