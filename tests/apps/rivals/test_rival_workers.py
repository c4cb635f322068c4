"""The workers of rivals, tested without their packages: texts, speakers, dates, counted rows."""

from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

langmem: Any = import_module("remem.apps.rivals.workers.langmem_memories")
lightrag: Any = import_module("remem.apps.rivals.workers.lightrag_graph")
simplemem: Any = import_module("remem.apps.rivals.workers.simplemem_entries")


@given(st.text(alphabet=st.characters(exclude_characters="\0")))
def test_text_in_pieces_of_four_characters_is_the_text_again(text: str) -> None:
    tokens = lightrag.Tokens()
    pieces = tokens.encode(text)
    assert tokens.decode(pieces) == text
    assert len(pieces) == -(-len(text) // 4)


def test_a_slice_of_pieces_is_a_part_of_the_text() -> None:
    tokens = lightrag.Tokens()
    assert tokens.decode(tokens.encode("Ann sold her boat")[1:3]) == "sold her"


@pytest.mark.parametrize("worker", [langmem, lightrag])
@pytest.mark.parametrize(
    ("date", "time", "told"),
    [
        ("1 May 2023", "2023-05-01T10:00", "Date: 1 May 2023\nAnn: Hi"),
        ("", "2023-05-01", "Date: 2023-05-01\nAnn: Hi"),
        ("", None, "Ann: Hi"),
    ],
)
def test_a_session_is_below_its_date(worker: Any, date: str, time: str | None, told: str) -> None:
    assert worker._stated({"date": date, "time": time, "text": "Ann: Hi"}) == told


@pytest.mark.parametrize(
    ("reply", "rows"),
    [
        ("entity<|#|>Ann<|#|>Person<|#|>She sails.\nrelation<|#|>Ann<|#|>Bob", 2),
        ('("entity"<|#|>Ann)\n- relationship <|#|>Ann', 2),
        ("The entity Ann\n<|COMPLETE|>", 0),
        ("Ann<|#|>entity<|#|>", 0),
    ],
)
def test_rows_are_counted_whether_they_are_complete_or_not(reply: str, rows: int) -> None:
    assert len(lightrag.ROW.findall(reply)) == rows


def test_an_item_has_an_id_and_a_text_by_its_kind() -> None:
    boat = {"description": "It is old."}
    chunk = {"chunk_id": "doc-0-chunk-000", "content": "Ann: Hi"}
    assert lightrag._id_and_text("chunks", chunk) == ("doc-0-chunk-000", "Ann: Hi")
    entity = {"entity_name": "Boat", **boat}
    assert lightrag._id_and_text("entities", entity) == ("entity Boat", "Boat: It is old.")
    relation = {"src_id": "Ann", "tgt_id": "Boat", **boat}
    told = ("relation Ann - Boat", "Ann - Boat: It is old.")
    assert lightrag._id_and_text("relationships", relation) == told
    assert lightrag._pair("Boat", "Ann") == lightrag._pair("Ann", "Boat") == "Ann - Boat"


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Ann: Hi\nBob: Go: now", [("Ann", "Hi"), ("Bob", "Go: now")]),
        ("Ann: I sold\nmy boat.\nBob: When?", [("Ann", "I sold\nmy boat."), ("Bob", "When?")]),
        ("E1 was the R1 of E2.", [("user", "E1 was the R1 of E2.")]),
        ("", [("user", "")]),
    ],
)
def test_a_session_is_told_apart_by_its_speakers(text: str, spoken: list[tuple[str, str]]) -> None:
    assert simplemem._spoken(text) == spoken


@pytest.mark.parametrize(
    ("timestamp", "time"),
    [
        ("2023-05-08T13:56:00Z", "2023-05-08T13:56"),
        ("2023-05-08", "2023-05-08"),
        ("2023-02-30", None),
        ("last Monday", None),
        ("0001-01-01", None),
        (None, None),
    ],
)
def test_a_timestamp_of_a_model_is_read_as_far_as_it_is_one(
    timestamp: str | None, time: str | None
) -> None:
    assert simplemem._iso(timestamp) == time
