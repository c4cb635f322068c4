"""Absurd tables, prices, prompts and long texts are refused, and the error names each file."""

import time
from pathlib import Path

import pytest

from remem.errors import UsageError
from remem.files.secret_values import check_secrets
from remem.llm.budget import read_prices
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import own_library
from remem.tables.table_plan import read_plan

LONG = b"m: " + b"[" * 1_000_000
TABLE = """title: Ours
blocks:
- title: A
  overrides: [dataset=locomo]
  columns: [{heading: F1, score: f1}]
  rows: [{overrides: [method=remem_i]}]
"""


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("title: Ours", "title: [Ours]", "title is .* expected text"),
        ("title: Ours", "title: *a", "is not plain YAML"),
        ("title: Ours", "title: Ours\ntitle: Ours", "is not plain YAML"),
        ("title: Ours", "title: \x02", "is not plain YAML"),
        (TABLE, "1.5", "is not plain YAML"),
        ("[dataset=locomo]", "7", "overrides is 7, expected a list"),
        ("[dataset=locomo]", "[[x]]", "overrides contains .*expected only text"),
        ("[dataset=locomo]", "['=9=9\"']", "is not an override"),
        ("[dataset=locomo]", "['=1+1']", "is not an override: it names no setting"),
        ("title: Ours", f"title: {'a' * 1_000_000}", "has more than 1,000,000 bytes"),
        ("[dataset=locomo]", f"[dataset={'a' * 300}]", ""),
        ("[{overrides: [method=remem_i]}]", "7", "rows is 7, expected a list"),
        ("score: f1", "score: []", r"score is \[\], expected text"),
    ],
)
def test_a_table_that_is_none_is_refused_by_name(
    tmp_path: Path, before: str, after: str, told: str
) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "mine.yaml").write_text(TABLE.replace(before, after), "utf-8")
    if not told:
        assert read_plan("mine", [tmp_path]).row_count == 1
        return
    with pytest.raises(UsageError, match=rf"mine\.yaml.*{told}"):
        read_plan("mine", [tmp_path])


@pytest.mark.parametrize(
    "content", [b"m: \xed\xa0\x80", b"? [a]\n: 1", b"a: &a [*a]", b"1.5", LONG]
)
def test_prices_that_are_no_plain_yaml_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "prices.yaml"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"prices\.yaml"):
        read_prices(str(path))


def test_a_prompt_that_is_no_utf_8_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(b"=== user ===\n\xed\xa0\x80")
    with pytest.raises(ValueError, match=r"mine\.txt is not text in UTF-8"):
        chosen_prompt(own_library(), str(path))


@pytest.mark.parametrize(
    "text",
    [
        "{{ 1 / 0 }}",
        "{{ 'a'() }}",
        "{% for a, b in 'xy' %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    ],
)
def test_a_prompt_that_cannot_be_rendered_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(f"=== user ===\n{text}", "utf-8")
    with pytest.raises(ValueError, match="prompt mine cannot be rendered"):
        chosen_prompt(own_library(), str(path)).render()


def test_keys_are_looked_for_in_long_texts_at_once() -> None:
    for text in ["a" * 200_000, "a://" * 50_000, "a://?" + "?key" * 50_000]:
        begun = time.process_time()
        check_secrets("it", text, {})
        assert time.process_time() - begun < 1
