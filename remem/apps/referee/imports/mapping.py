"""Mappings from the parts of an answer to keys of a file, from a format or a user's YAML file.

Each part is mapped to a key, or to one of these forms: "a|b" is a or else b, "a.b" is b inside a,
"{a}-{b}" is a text with both values, "=text" is the text itself, "a:" is what follows the last
colon in a, and "*" is the key of the list that has the row.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from remem.apps.referee.imports.fields import as_text
from remem.apps.referee.imports.known_questions import CORPORA, dataset_choices
from remem.benchmarks.json_files import checked
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.files.yaml_text import read_plain_yaml

Parts = Mapping[str, str]
"""The name of each part of an answer in a file.

- rows: where the list of rows is: "" for the file itself, "a.*" for each list in a.
- verdict: "a, b" are two, the first of them the judge's; "a/100" is on a scale from 0 to 100.
  Several calls of a judge are a list or an object.
- judge: the name of the judge of the first verdict; without it, the key of the verdict.
- formula: a verdict that a formula makes from the first one, and that counts.
- mean: the published means of the verdict that counts; "a.*.b" is b of each category in a.
- unanswerable: the condition under which a question is to be refused, such as "category=5".
- set_aside: keys that do not measure the answer, or that a format reads by itself.
"""
OF_ANSWER = (
    *("id", "question", "gold", "answer", "error", "category", "history", "answerable"),
    *("unanswerable", "evidence", "retrieved", "context", "context_tokens", "prompt", "reasoning"),
    *("today", "cut", "verdict", "judge", "formula", "system", "repeat", "dataset", "llm"),
    "set_aside",
)
PARTS = (*OF_ANSWER, "rows", "mean")
SCALED = re.compile(r"(.+)/([1-9]\d{0,5})")
IN_TEMPLATE = re.compile(r"\{([^{}]+)\}")
MISSING = object()


def read_mapping(path: Path) -> Parts:
    """Read the parts of a mapping from a YAML file.

    Raises:
        UsageError: A part is unknown or not a text, or a required part is missing.
        ValueError: The file is not YAML.
    """
    content = read_plain_yaml(path)
    for part, key in content.items() if isinstance(content, dict) else [("", None)]:
        if part not in PARTS or not isinstance(key, str):
            raise UsageError(
                f"{path} has {str(part)[:60]!r}: {str(key)[:60]!r}, expected <part>: <name of a "
                f"key>, where <part> is one of {', '.join(PARTS)}{did_you_mean(str(part), PARTS)}"
            )
    if "answer" not in content or not {"id", "question"} & content.keys():
        raise UsageError(f"{path} must name a key for 'answer', and one for 'id' or 'question'")
    _check_dataset(path, content.get("dataset", ""))
    return dict(content)


def _check_dataset(path: Path, dataset: str) -> None:
    """Raise UsageError if the mapping names an unknown data set."""
    known = sorted({*CORPORA, *dataset_choices()})
    if dataset.startswith("=") and dataset[1:].lower() not in known:
        near = did_you_mean(dataset[1:], known)
        raise UsageError(f"{path} names the data set {dataset[1:60]!r}, which is unknown{near}")


def keys_of(parts: Parts, *named: str) -> tuple[str, ...]:
    """Return the keys that the named parts refer to, without scales, templates and conditions."""
    paths = (path for part in named for path in re.split(r"\||, ", parts.get(part, "")))
    keys = (
        IN_TEMPLATE.findall(path) or [scaled(path)[0].partition("=")[0].rstrip(":")]
        for path in paths
    )
    return tuple(dict.fromkeys(key for of_path in keys for key in of_path if key))


def scaled(path: str) -> tuple[str, int]:
    """Split a path into its key and the best value on its scale, 1 by default.

    >>> scaled("score/100"), scaled("score")
    (('score', 100), ('score', 1))
    """
    scale = SCALED.fullmatch(path)
    return (scale[1], int(scale[2])) if scale else (path, 1)


def value_at(record: object, path: str, missing: object = None) -> Any:
    """Return the value under a path; `missing` if there is none.

    >>> value_at({"a": {"b": 1}}, "a.b")
    1
    """
    if not isinstance(record, dict) or path in record:
        return record[path] if isinstance(record, dict) else missing
    head, _, rest = path.partition(".")
    return value_at(record[head], rest, missing) if rest and head in record else missing


def holds(record: object, path: str) -> bool:
    """Return whether a record has a key, or one of several keys separated by "|"."""
    return any(value_at(record, key, MISSING) is not MISSING for key in path.split("|"))


def rows_in(value: Any, path: str, where: str, group: str = "") -> Iterator[tuple[Any, str, str]]:
    """Yield each row with its place and the key of its list; a single object is one row.

    Raises:
        ValueError: There is no list at the path.
    """
    if not path:
        listed = value if isinstance(value, list) else [value]
        yield from ((row, f"row {at} of {where}", group) for at, row in enumerate(listed))
        return
    head, _, rest = path.partition(".")
    document = checked(value, dict, where)
    if head != "*" and head not in document:
        raise ValueError(
            f"{where} has no key {head!r}, which must hold {'an object' if rest else 'a list'}"
        )
    for key in document if head == "*" else (head,):
        place = f"{key[:60]!r} of {where}"
        inner = document[key] if rest else checked(document[key], list, place)
        yield from rows_in(inner, rest, place, key if head == "*" else group)


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its place and the key of its list; `heading` is the rest of the document."""

    record: dict[str, Any]
    where: str
    parts: Parts
    group: str = ""
    heading: dict[str, Any] = field(default_factory=dict)

    def find(self, part: str, *, in_heading: bool = False) -> tuple[Any, str]:
        """Return the value and the place of a part; `in_heading` says to try the heading too."""
        return self.at(self.parts.get(part, ""), in_heading=in_heading)

    def at(self, paths: str, *, in_heading: bool = False) -> tuple[Any, str]:
        """Return the first non-empty value under one of the keys `paths`, and its place."""
        empty: tuple[Any, str] = (None, "")
        for path in paths.split("|") if paths else ():
            for record in (self.record, self.heading) if in_heading else (self.record,):
                value = self._value(record, path)
                if value is not None and value != "":
                    return value, f"{path!r} of {self.where}"
                empty = empty if value is None else ("", f"{path!r} of {self.where}")
        return empty

    def lacks(self, *parts: str) -> str:
        """Return the error message for a row that has none of these parts."""
        return f"{self.where} has no {either(keys_of(self.parts, *parts))}, expected one of them"

    def _value(self, row: dict[str, Any], path: str) -> Any:
        if path in row:  # as most are: a file may have 200,000 rows
            return row[path]
        if path.startswith("=") or path == "*":
            return path[1:] or self.group
        if "{" in path and (keys := IN_TEMPLATE.findall(path)):
            texts = {key: as_text(value_at(row, key), f"{key!r} of {self.where}") for key in keys}
            return IN_TEMPLATE.sub(lambda key: texts[key[1]], path) if all(texts.values()) else None
        if path.endswith(":") and isinstance(named := value_at(row, path[:-1]), str):
            return named.rpartition(":")[2]
        return value_at(row, path)
