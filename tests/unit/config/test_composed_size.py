"""The size of a configuration is counted before any of its references are resolved."""

from typing import Any

import pytest

from remem.config.composed_size import MOST_REFERRING, MOST_VALUES, check_composed_size
from remem.errors import UsageError


def doubled(first: object, twice: Any, keys: int = 27) -> dict[str, Any]:
    """Return a group whose every key refers twice to the one before it."""
    return {"reader": {"a0": first, **{f"a{at}": twice(at - 1) for at in range(1, keys + 1)}}}


DOUBLED = {
    "lists": doubled([1], lambda at: [f"${{reader.a{at}}}", f"${{reader[a{at}]}}"]),
    "texts": doubled("x", lambda at: f"${{reader.a{at}}}${{reader.a{at}}}"),
    "siblings": doubled("x", lambda at: f"${{.a{at}}} ${{.a{at}}}"),
    "one level up": doubled({"k": 1}, lambda at: {"l": f"${{..a{at}}}", "r": f"${{..a{at}}}"}),
    "selected": doubled({"k": 1}, lambda at: [f"${{oc.select:reader.a{at},null}}"] * 2),
}


@pytest.mark.parametrize("tree", DOUBLED.values(), ids=DOUBLED.keys())
def test_a_key_that_becomes_too_large_is_named(tree: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"^reader\.a1\d would have .*, expected at most 10,000"):
        check_composed_size(tree)


def test_a_long_text_is_not_repeated_without_end_and_many_references_are_refused() -> None:
    tree = {"reader": {"a": "x" * 600_000, "b": ["${reader.a}"] * 20}}
    with pytest.raises(UsageError, match=r"reader\.b would have 12,000,220 characters of text"):
        check_composed_size(tree)
    text = "${oc.select:missing" + " " * (MOST_REFERRING // 2) + "}"
    with pytest.raises(UsageError, match="all values with references have 100,040 characters"):
        check_composed_size({"a": text, "b": [text]})


def test_a_key_that_refers_through_another_is_followed() -> None:
    large = {str(at): at for at in range(MOST_VALUES // 2)}
    tree = {"a": {"b": large}, "c": "${a}", "d": {"e": ["${c.b}", "${...c.b}"]}}
    with pytest.raises(UsageError, match=r"^d\.e would have"):
        check_composed_size(tree)


@pytest.mark.parametrize(
    ("tree", "key"),
    [
        ({"a": {"l": "${a}", "r": "${a}"}}, "a"),
        ({"a": "${b}", "b": "${a}"}, "a"),
        ({"a": {"x": "${b.x}"}, "b": {"x": "${a.x}"}}, "a.x"),
    ],
)
def test_a_key_that_refers_to_itself_is_refused(tree: dict[str, Any], key: str) -> None:
    with pytest.raises(UsageError, match=f"^{key} refers to itself"):
        check_composed_size(tree)


@pytest.mark.parametrize("keys", [60, 5_000])
@pytest.mark.parametrize("step", [1, -1])
def test_a_long_chain_of_references_is_refused(keys: int, step: int) -> None:
    chain = {"a0": 1, **{f"a{at}": f"${{a{at - 1}}}" for at in range(1, keys)}}
    with pytest.raises(UsageError, match="nested more than 50 levels deep"):
        check_composed_size(dict(list(chain.items())[::step]))


def test_references_to_nothing_pass() -> None:
    check_composed_size({"a": "${nothing.there}", "b": ["${.7}", "${....x}"], 1: "${a}${oc.env:X}"})
