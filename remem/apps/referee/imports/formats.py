"""Read files of published answers in any of the known formats."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from remem.apps.referee.imports.imported import ImportedAnswers
from remem.apps.referee.imports.known_formats import FORMATS, ROWS
from remem.apps.referee.imports.mapped_answers import AnswerFormat
from remem.apps.referee.imports.mapping import Parts
from remem.apps.referee.imports.source_file import MOST_ANSWERS, SourceFile
from remem.apps.referee.imports.source_rows import rows_of
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError

DEPTH_SHOWN, MOST_KEYS = 3, 1_000
"""How deep and how many keys of an unknown file are looked at."""
MOST_SHOWN = 20
OTHERWISE = (
    "to read it in another way, name a format with --format, or give "
    "--mapping a YAML file that says what each key means"
)
MOST_SYSTEMS = 500
"""Maximum number of systems of a file, or of all files of an import: each becomes a run."""


def read_answers(path: Path, chosen: str | Parts = "") -> tuple[ImportedAnswers, ...]:
    """Return the answers in a file, separately for each system that the file names.

    Args:
        path: The file, which may be gzipped.
        chosen: The name of its format, or a mapping; "" to recognise the format by the content.

    Raises:
        FileNotFoundError: There is no such file.
        UsageError: The format is unknown.
        ValueError: The file is malformed, has no answers, or answers a question twice.
    """
    source = SourceFile.read(path)
    format = _format_of(chosen) if chosen else _recognised(source)
    try:
        systems = format.read(source)
    except ValueError as error:
        if chosen:
            raise
        raise ValueError(
            f"{error}; the file was read as {format.name}, which fits it best; {OTHERWISE}"
        ) from error
    if len(systems) > MOST_SYSTEMS:
        raise ValueError(
            f"{path} has the answers of {len(systems):,} systems, expected at most "
            f"{MOST_SYSTEMS:,}, since each becomes a run; import fewer systems at once"
        )
    answers = tuple(_with_names(imported, source) for imported in systems)
    count = sum(len(imported.answers) for imported in answers)
    if not count:
        raise ValueError(
            f"{path} has no answers (it was read as {format.name}), expected at least one"
        )
    if count > MOST_ANSWERS:
        raise ValueError(f"{path} has {count:,} answers, expected at most {MOST_ANSWERS:,}")
    return answers


def _with_names(imported: ImportedAnswers, source: SourceFile) -> ImportedAnswers:
    """Replace the path in the places of answers by the file's name, the same on every machine."""
    path, name = str(source.path), source.path.name
    named = (replace(each, where=each.where.replace(path, name)) for each in imported.answers)
    return replace(imported, answers=tuple(named))


def _format_of(name: str | Parts) -> AnswerFormat:
    if not isinstance(name, str):
        return AnswerFormat(name="mapping", parts=name, is_told=True)
    known = {format.name: format for format in FORMATS}
    if name not in known:
        raise UsageError(
            f"unknown format {name!r}; choose {either(known)}{did_you_mean(name, known)}"
        )
    return known[name]


def _recognised(source: SourceFile) -> AnswerFormat:
    document = (
        source.document
        if source.is_json
        else next((row for row, _, _ in rows_of(source, ROWS.parts)), None)
    )
    fitting = next((format for format in FORMATS if format.fits(document)), None)
    if fitting is None:
        if not document:
            raise ValueError(f"{source.path} has no rows, expected answers")
        keys = list(islice(_keys(document), MOST_KEYS))
        shown = f"the keys {', '.join(map(repr, keys[:MOST_SHOWN]))}" if keys else "no keys"
        more = f" and {len(keys) - MOST_SHOWN} more" if len(keys) > MOST_SHOWN else ""
        raise ValueError(
            f"{source.path} has {shown}{more}, which match none of the known formats "
            f"({', '.join(format.name for format in FORMATS)}){_nearest(document)}; {OTHERWISE}"
        )
    return fitting


def _nearest(document: object) -> str:
    """Describe the format that fits a document best, and which of its keys are missing."""
    present = {part for path in islice(_keys(document), MOST_KEYS) for part in path.split(".")}
    lacking = {
        format: [key for key in format.needs if present.isdisjoint(key.split("|"))]
        for format in FORMATS
    }
    nearest = min(FORMATS, key=lambda format: len(lacking[format]) / len(format.needs))
    if len(lacking[nearest]) == len(nearest.needs):
        return ""
    return (
        f"; the nearest is {nearest.name}, which needs {', '.join(map(repr, nearest.needs))}, but "
        f"this file lacks "
        f"{', '.join(map(repr, lacking[nearest])) or 'a place that has all of them'}"
    )


def _keys(value: object, path: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the paths of the keys in a document; of each list, look only at the first item."""
    if isinstance(value, list):
        yield from _keys(value[0] if value else None, path, depth)
    elif isinstance(value, dict) and depth < DEPTH_SHOWN:
        named = [(f"{path}.{str(key)[:40]}".strip("."), each) for key, each in value.items()]
        yield from (name for name, _ in named)
        for name, each in named:
            yield from _keys(each, name, depth + 1)
