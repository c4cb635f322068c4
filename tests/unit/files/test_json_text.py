import tracemalloc

import pytest

from remem.files import json_text
from remem.files.json_text import check_values, json_elements, json_value, parse_json


def test_broken_json_names_the_file_and_the_line():
    with pytest.raises(ValueError, match=r"x\.json:3 is not JSON"):
        parse_json(b'{"a": 1,\n"b": 2,\n"c": }', "x.json")


def test_text_that_is_not_utf8_names_the_file_and_the_line():
    with pytest.raises(ValueError, match=r"x\.json:2 is not UTF-8"):
        parse_json(b'{"a": 1,\n"b": "caf\xe9"}', "x.json")


def test_a_byte_order_mark_is_no_error():
    assert parse_json(b'\xef\xbb\xbf{"a": 1}', "x.json") == {"a": 1}


def test_text_beyond_ascii_is_read_as_utf8():
    assert parse_json('["caf\u00e9 \U0001f600"]'.encode(), "x.json") == ["caf\u00e9 \U0001f600"]


def test_a_key_that_stands_twice_is_an_error():
    with pytest.raises(ValueError, match=r"x\.json has the key 'session_1' twice"):
        parse_json(b'{"c": {"session_1": [], "session_1": [1]}}', "x.json")


def test_json_that_nests_too_deep_is_an_error():
    with pytest.raises(ValueError, match="is nested too deeply"):
        parse_json(b"[" * 200_000 + b"]" * 200_000, "x.json")


def test_a_key_that_stands_twice_among_many_is_found_at_once() -> None:
    members = ",".join(f'"k{number}":1' for number in range(100_000))
    with pytest.raises(ValueError, match="the key 'k99999' twice"):  # minutes, if it were quadratic
        parse_json(f'{{{members},"k99999":2}}'.encode(), "x.json")


def test_json_with_too_many_values_is_refused_before_it_takes_memory() -> None:
    content = b"[" + b"{}," * json_text.MOST_VALUES + b"{}]"
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"x\.json has more than 5,000,000 JSON values"):
        parse_json(content, "x.json")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(content)


@pytest.mark.parametrize("text", ['"a,b,[{,,,"', r'"a\",,,,,\\"', '["a,,,,", {"b": ",,,,"}, 3]'])
def test_marks_inside_of_texts_are_no_values(text: str) -> None:
    check_values(text.encode(), "x.json", most=4)


def test_one_value_more_than_the_maximum_is_too_many() -> None:
    check_values(b"[1, 2, 3]", "x.json", most=3)
    with pytest.raises(ValueError, match="more than 3 JSON values"):
        check_values(b"[1, [2], 3]", "x.json", most=3)


def test_an_array_that_is_read_by_element_has_a_maximum_of_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_text, "MOST_VALUES_OF_ARRAY", 3)
    assert list(json_elements(b"[1, 2]", "x.json")) == [1, 2]
    with pytest.raises(ValueError, match="more than 3 JSON values"):
        list(json_elements(b"[[1, 2], [3, 4]]", "x.json"))


def test_a_reply_that_nests_too_deep_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="nested more than 100 deep"):
        json_value("[" * 200_000)
