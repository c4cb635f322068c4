"""Read files of published answers in any of the known formats."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from remem.apps.referee.imports.agent_memory_benchmark import AgentMemoryBenchmark
from remem.apps.referee.imports.conversation_files import Mem0Files, ZepFiles
from remem.apps.referee.imports.imported import ImportedAnswers
from remem.apps.referee.imports.longmemeval_files import LongMemEvalFiles
from remem.apps.referee.imports.memory_arena import MemoryArena
from remem.apps.referee.imports.plain_rows import PlainRows, rows_of
from remem.apps.referee.imports.source_file import MOST_ANSWERS, SourceFile
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError

LONGEST_SHOWN = 12
MOST_SYSTEMS = 500
"""Maximum number of systems of a file, or of all files of an import: each becomes a run."""


class AnswerFormat(Protocol):
    """A format of published answers; `about` says by what it is recognised."""

    name: str
    about: str

    def fits(self, document: object) -> bool:
        """Return whether a JSON document, or the first row of a file of rows, looks like it."""

    def read(self, source: SourceFile) -> tuple[ImportedAnswers, ...]:
        """Return the answers of each system in a file."""


def formats() -> Mapping[str, AnswerFormat]:
    """Return the formats by name, in the order in which they are tried; the last fits most."""
    benchmarks: Sequence[AnswerFormat] = (MemoryArena(), AgentMemoryBenchmark())
    others: Sequence[AnswerFormat] = (Mem0Files(), ZepFiles(), LongMemEvalFiles(), PlainRows())
    return {format.name: format for format in (*benchmarks, *others)}


def read_answers(path: Path, chosen: str = "") -> tuple[ImportedAnswers, ...]:
    """Return the answers in a file, of each system that it names.

    Args:
        path: The file, which may be gzipped.
        chosen: The name of its format; "" recognises it by its content.

    Raises:
        FileNotFoundError: There is no such file.
        UsageError: The format is unknown.
        ValueError: The file is malformed, has no answers, or answers a question twice.
    """
    source = SourceFile.read(path)
    format = _format_of(chosen) if chosen else _recognised(source)
    systems = format.read(source)
    if len(systems) > MOST_SYSTEMS:
        raise ValueError(
            f"{path} has the answers of {len(systems):,} systems, expected at most "
            f"{MOST_SYSTEMS:,}: each becomes a run; import fewer at once"
        )
    answers = tuple(_with_names(imported, source) for imported in systems)
    count = sum(len(imported.answers) for imported in answers)
    if not count:
        raise ValueError(f"{path} has no answers, expected at least one ({format.name})")
    if count > MOST_ANSWERS:
        raise ValueError(f"{path} has {count:,} answers, at most {MOST_ANSWERS:,} can be imported")
    return answers


def _with_names(imported: ImportedAnswers, source: SourceFile) -> ImportedAnswers:
    """Name the places of answers by the file's name, as tables show them on every machine."""
    path, name = str(source.path), source.path.name
    named = (replace(each, where=each.where.replace(path, name)) for each in imported.answers)
    return replace(imported, answers=tuple(named))


def _format_of(name: str) -> AnswerFormat:
    all_formats = formats()
    if name not in all_formats:
        raise UsageError(
            f"unknown format {name!r}; choose {either(all_formats)}"
            f"{did_you_mean(name, all_formats)}"
        )
    return all_formats[name]


def _recognised(source: SourceFile) -> AnswerFormat:
    document = (
        source.document if source.is_json else next((row for row, _ in rows_of(source)), None)
    )
    fitting = next((format for format in formats().values() if format.fits(document)), None)
    if fitting is None:
        expected = "; ".join(f"{format.name}: {format.about}" for format in formats().values())
        raise ValueError(
            f"{source.path} has {_describe_keys(document)}, which is none of the known formats "
            f"({expected}); --format names one"
        )
    return fitting


def _describe_keys(document: object) -> str:
    """Describe a JSON value, or the first row of a file, by its keys."""
    first = document[0] if isinstance(document, list) and document else document
    what = "a list whose first item is " if isinstance(document, list) and document else ""
    if not isinstance(first, dict):
        return f"{what}{'nothing' if first is None else type(first).__name__}"
    keys = [repr(str(key)[:40]) for key in list(first)[:LONGEST_SHOWN]]
    more = f" and {len(first) - LONGEST_SHOWN} more" if len(first) > LONGEST_SHOWN else ""
    return f"{what}an object with {', '.join(keys) or 'no keys'}{more}"
