"""A stored memory of the user's logs is created, extended and asked again, never half-written."""

import fcntl
import json
from importlib.metadata import version
from pathlib import Path

import pytest

from baselines.hipporag2 import HippoRAG2
from remem.apps.own_log import log_memory as own
from remem.apps.own_log.log_memory import open_memory
from remem.apps.own_log.logs.reading import read_log
from remem.errors import StopRunError, UsageError
from remem.memory.remem_memory import REMem

FOLDER = Path(__file__).parents[3] / "examples/own_log"
DIARY, LATER = FOLDER / "diary.txt", FOLDER / "diary_later.txt"


def add(folder: Path, log: Path, *overrides: str) -> int:
    with open_memory(folder, overrides, make=True) as opened:
        return opened.add(read_log(log).messages)


def answer(folder: Path, question: str, *overrides: str) -> str:
    with open_memory(folder, overrides, make=False) as opened:
        asked = opened.ask(question)
        return f"{asked.text} {asked.when}"


def test_a_question_is_answered_with_a_resolved_date_and_its_evidence(tmp_path: Path) -> None:
    assert add(tmp_path / "m", DIARY) == 6
    with open_memory(tmp_path / "m", (), make=False) as opened:
        asked = opened.ask("When did Ann adopt a dog?")
    assert asked.text == "We adopted a dog on Friday, she is called Pixel."
    assert asked.when == '2 June 2023 ("on Friday")'
    assert asked.source == f"{DIARY}:5, Ann, 3 June 2023"
    best = asked.evidence.gists[0]
    assert str(best.time) == "2023-06-02"
    assert [asked.messages[item].text for item in best.source] == [
        "We adopted a dog on Friday, she is called Pixel."
    ]


def test_what_is_added_later_is_found_and_nothing_twice(tmp_path: Path) -> None:
    add(tmp_path / "m", DIARY)
    assert add(tmp_path / "m", DIARY) == 0
    assert add(tmp_path / "m", LATER) == 1
    assert "1 August 2023" in answer(tmp_path / "m", "When did Ann start at the aquarium?")


def test_a_log_that_has_grown_may_be_added_again(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("Ann: yes\nAnn: yes\n")
    assert add(tmp_path / "m", log) == 2
    log.write_text("Ann: yes\nAnn: yes\nAnn: yes\nBob: no\n")
    assert add(tmp_path / "m", log) == 2
    with open_memory(tmp_path / "m", (), make=False) as opened:
        assert [message.text for message in opened.messages.values()] == ["yes", "yes", "yes", "no"]


def test_a_memory_grown_in_two_steps_answers_as_one_made_at_once(tmp_path: Path) -> None:
    add(tmp_path / "two", DIARY)
    add(tmp_path / "two", LATER)
    whole = tmp_path / "whole.txt"
    whole.write_text(DIARY.read_text() + LATER.read_text())
    add(tmp_path / "one", whole)
    for question in ("Where does Ann work?", "When did Bob hike?", "Who is visiting?"):
        assert answer(tmp_path / "two", question) == answer(tmp_path / "one", question)


def test_the_way_of_asking_may_change_but_not_what_shapes_the_index(tmp_path: Path) -> None:
    add(tmp_path / "m", DIARY)
    answer(tmp_path / "m", "Where did Ann move?", "method=remem_s")
    with pytest.raises(UsageError, match="was made with the defaults"):
        answer(tmp_path / "m", "Where did Ann move?", "embedder.build.dimension=64")
    with pytest.raises(UsageError, match="stores no index"):
        answer(tmp_path / "m", "Where did Ann move?", "method=bm25_messages")


def test_a_memory_that_is_added_to_remembers_how_it_was_made(tmp_path: Path) -> None:
    add(tmp_path / "m", DIARY, "embedder.build.dimension=64")
    add(tmp_path / "m", LATER)
    assert "1 August 2023" in answer(tmp_path / "m", "When did Ann start at the aquarium?")


def test_an_addition_writes_what_is_new_and_leaves_what_was_there(tmp_path: Path) -> None:
    add(tmp_path / "m", DIARY)
    before = {path: path.read_bytes() for path in (tmp_path / "m/1").iterdir()}
    add(tmp_path / "m", LATER)
    assert {path: path.read_bytes() for path in (tmp_path / "m/1").iterdir()} == before
    assert len(json.loads((tmp_path / "m/2/places.json").read_bytes())) == 1
    assert (tmp_path / "m/2/arrays.bin").stat().st_size < len(before[tmp_path / "m/1/arrays.bin"])


@pytest.mark.parametrize(
    ("setting", "value", "left"),
    [
        ("MOST_ADDITIONS", 2, ["4", "5"]),  # 1 to 3 are in 4
        ("AppendableMemory", HippoRAG2, ["5"]),
    ],
)
def test_a_memory_is_written_whole_where_additions_are_many_or_impossible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, value: object, left: list[str]
) -> None:
    monkeypatch.setattr(own, setting, value)
    log = tmp_path / "log.txt"
    for number in range(1, 6):
        log.write_text(f"Date: {number} May 2023\nAnn: I rowed on lake {number}.\n")
        assert add(tmp_path / "m", log) == 1
    assert sorted(path.name for path in (tmp_path / "m").iterdir() if path.is_dir()) == left
    for number in (1, 4, 5):
        assert f"{number} May 2023" in answer(tmp_path / "m", f"Who rowed on lake {number}?")


@pytest.mark.parametrize("killed", ["append", "write_whole"])
def test_a_kill_while_writing_leaves_the_memory_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: str
) -> None:
    add(tmp_path / "m", DIARY)
    question = "When did Ann adopt a dog?"
    before = answer(tmp_path / "m", question)

    def kill(*arguments: object) -> None:
        if killed == "append":
            (tmp_path / "m/2/arrays.bin").write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(own if killed == "write_whole" else REMem, killed, kill)
        add(tmp_path / "m", LATER)
    assert (tmp_path / "m/2").is_dir()
    assert answer(tmp_path / "m", question) == before
    assert add(tmp_path / "m", LATER) == 1
    assert "1 August 2023" in answer(tmp_path / "m", "When did Ann start at the aquarium?")


def test_only_one_process_has_it(tmp_path: Path) -> None:
    add(tmp_path / "m", DIARY)
    with (tmp_path / "m/lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RuntimeError, match="in use by another process"):
            answer(tmp_path / "m", "Who?")


def test_what_is_not_there_or_damaged_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no memory in"):
        answer(tmp_path / "m", "Who?")
    add(tmp_path / "m", DIARY)
    (tmp_path / "m/1/sessions.json").write_text("[{}]")
    with pytest.raises(ValueError, match=rf"sessions\.json is damaged: delete {tmp_path}/m and"):
        answer(tmp_path / "m", "Who?")
    add(tmp_path / "n", DIARY)
    (tmp_path / "n/1/places.json").write_text('["diary.txt:1"]')
    with pytest.raises(ValueError, match=r"places\.json is damaged"):
        answer(tmp_path / "n", "Who?")
    saved = json.loads((tmp_path / "n/memory.json").read_bytes())
    earlier = {"generation": 1, "shaping": saved["shaping"], "overrides": []}
    for content in ("{", json.dumps(earlier), json.dumps({**saved, "latest": 10**12})):
        (tmp_path / "m/memory.json").write_text(content)
        with pytest.raises(
            ValueError, match=r"memory\.json is damaged, or from an earlier version of remem: de"
        ):
            answer(tmp_path / "m", "Who?")


def test_a_language_model_takes_the_roles_that_nothing_else_was_named_for() -> None:
    composed = own.compose_own(["llm=loopback-stub", "reader=extractive"])
    assert (composed.extractor.name, composed.planner.name) == ("llm", "llm")
    assert composed.reader.name == "extractive"
    assert own.compose_own([]).extractor.name == "rules"
    assert own.compose_own(["llm=loopback-stub"]).reader.name == "sentence"


@pytest.mark.app("small_model")
def test_a_model_too_small_to_extract_only_answers() -> None:
    composed = own.compose_own(["llm=smollm2"])
    assert (composed.extractor.name, composed.planner.name) == ("rules", "scripted")
    assert composed.reader.name == "sentence_small"
    assert own.compose_own(["llm=smollm2", "reader=hybrid"]).reader.name == "hybrid"


def test_a_place_belongs_to_its_message_whatever_its_id_is(tmp_path: Path) -> None:
    add(tmp_path / "m", DIARY)
    sessions = tmp_path / "m/1/sessions.json"
    sessions.write_text(sessions.read_text().replace('"m1"', '"m99999999999999999999"'))
    with open_memory(tmp_path / "m", (), make=False) as opened:
        assert opened.ask("When did Ann adopt a dog?").place == f"{DIARY}:5"


@pytest.mark.app("small_model")
def test_a_log_is_not_indexed_for_a_planner_that_cannot_be_served(tmp_path: Path) -> None:
    log = tmp_path / "diary.txt"
    log.write_text("Ann: I adopted a dog yesterday.\n", encoding="utf-8")
    model = [
        *("llm=gguf", f"llm.path={tmp_path / 'missing.gguf'}", f"llm.sha256={'0' * 64}"),
        f"llm.build.endpoint.server.engine='pytest=={version('pytest')}'",
        *("extractor=rules", "reader=extractive"),
    ]
    with (
        open_memory(tmp_path / "memory", model, make=True) as memory,
        pytest.raises(StopRunError, match="llm=gguf cannot be served: no such file:"),
    ):
        memory.add(read_log(log).messages)
    assert not (tmp_path / "memory" / "memory.json").exists()
