"""What is read from a tool's result, and which error tells that something is missing."""

from dataclasses import replace

import pytest

from remem.apps.rivals.mcp_results import ResultPaths, ToolResult, at_path
from remem.apps.rivals.program import FoundItem, ProgramError
from remem.time_scope import TimePoint

PLAIN = ResultPaths("", "", "", "", "", "", "")
PATHS = ResultPaths("made", "key", "results", "note.text", "key", "when", "")


def result(*texts: str, structured: object = None) -> ToolResult:
    return ToolResult(texts, structured)


def test_without_a_path_each_text_is_an_item_and_each_answer_stands_for_one() -> None:
    found = PLAIN.items_of(result("I sold my boat", " \n", "Rex is a dog"))
    assert found == (FoundItem("I sold my boat"), FoundItem("Rex is a dog"))
    assert PLAIN.stored(result("ok")).items == 1


def test_a_text_that_says_that_nothing_was_found_is_no_item() -> None:
    paths = replace(PLAIN, nothing_found="No memories")
    assert paths.items_of(result("No memories found.")) == ()
    assert paths.items_of(result("Her No memories song")) == (FoundItem("Her No memories song"),)


FOUND = '{"results": [{"key": 7, "note": {"text": "Rex"}, "when": "2023-05-08"}]}'


def test_items_are_read_at_their_paths_from_text_or_structured_content() -> None:
    item = FoundItem("Rex", "7", TimePoint(2023, 5, 8))
    assert PATHS.items_of(result(FOUND)) == (item,)
    structured = {"results": [{"key": 7, "note": {"text": "Rex"}, "when": "2023-05-08"}]}
    assert PATHS.items_of(result("not JSON", structured=structured)) == (item,)


def test_several_blocks_of_json_are_a_list() -> None:
    paths = replace(PLAIN, found_list=".", found_text="text")
    assert paths.items_of(result('{"text": "a"}', '{"text": "b"}')) == (
        FoundItem("a"),
        FoundItem("b"),
    )


def test_a_list_of_texts_is_one_text() -> None:
    paths = replace(PLAIN, found_list="entities", found_text="observations")
    found = paths.items_of(result('{"entities": [{"observations": ["a", "b"]}]}'))
    assert found == (FoundItem("a\nb"),)


def test_a_date_that_cannot_be_read_is_no_date() -> None:
    (item,) = PATHS.items_of(result('{"results": [{"note": {"text": "Rex"}, "when": "soon"}]}'))
    assert item.time is None


def test_stored_items_are_counted_and_their_ids_known() -> None:
    stored = PATHS.stored(result('{"made": [{"key": "a"}, {"key": "b"}]}'))
    assert (stored.items, stored.ids) == (2, ("a", "b"))
    assert PATHS.stored(result('{"made": []}')).items == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Loading...", "expected JSON, found 'Loading...'; .* leave method.build.found_list empty"),
        ('{"items": []}', "there is no list at method.build.found_list=results .*: {.items.: "),
        ('{"results": "x"}', "there is no list at method.build.found_list=results"),
        ('{"results": [{"note": "x"}]}', "there is no text at method.build.found_text=note.text"),
        ('{"results": [{"note": {"text": true}}]}', "there is no text at"),
        (f'{{"results": [{"1, " * 10_000}1]}}', "has 10,001 items, expected at most 10,000"),
        (
            f'{{"results": [{{"key": "{"x" * 1001}", "note": {{"text": "a"}}}}]}}',
            "the id at key has 1,001 characters, expected at most 1,000",
        ),
    ],
)
def test_a_result_of_another_form_is_an_error_and_not_an_empty_answer(text: str, told: str) -> None:
    with pytest.raises(ProgramError, match=told):
        PATHS.items_of(result(text))


def test_a_path_is_keys_and_positions() -> None:
    value = {"a": [{"b": 1}, {"b": 2}]}
    assert at_path(value, "a.1.b") == 2
    assert at_path(value, ".") == value
    assert [at_path(value, path) for path in ("a.2.b", "a.b", "x", "a.0.b.c", "a.-1")] == [None] * 5
