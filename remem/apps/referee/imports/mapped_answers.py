"""Read the answers of a file according to a mapping, and report all that is left out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from statistics import fmean
from typing import Any

from remem.apps.referee.imports.fields import (
    as_count,
    as_identifier,
    as_text,
    as_texts,
    as_truth,
    decimals,
    number,
    share,
)
from remem.apps.referee.imports.imported import (
    MOST_DIGITS,
    Flag,
    ImportedAnswer,
    ImportedAnswers,
    Published,
    RankedItem,
)
from remem.apps.referee.imports.mapping import (
    OF_ANSWER,
    Parts,
    Row,
    holds,
    keys_of,
    rows_in,
    scaled,
    value_at,
)
from remem.apps.referee.imports.source_file import SourceFile
from remem.apps.referee.imports.source_rows import rows_of
from remem.benchmarks.json_files import checked
from remem.config.fingerprint import digest
from remem.config.suggestions import did_you_mean, either

JUDGE = "judge"
"""The name of the judge where a file does not state its model."""
MOST_CALLS = 20
"""Maximum number of calls of a judge about one answer: each becomes a judge."""
MOST_DEPTH = 4
"""How deep values in a row, and rows in a document, are looked for."""
NO_ANSWER = "the file states no answer"
MARKED = "the file marks this answer as an error"
REPEATED = "the file has the same row a second time"
NOT_LISTED = "they are in a list that this format does not read"


@dataclass(frozen=True, kw_only=True, eq=False)
class AnswerFormat:
    """A format of published answers.

    Attributes:
        name: The name.
        parts: The key of each part of an answer.
        known_by: Keys by which a row is recognised; "a|b" means a or b.
        document_key: A key by which the document around the rows is recognised.
        complete: A function that adds to an answer what `parts` cannot express.
        is_strict: Whether a row is invalid if it has an unknown key whose value is not a number, or
            has neither an answer nor an error.
        is_told: Whether a user wrote `parts`; if so, a part that no row has is an error.
    """

    name: str
    parts: Parts
    known_by: tuple[str, ...] = ()
    document_key: str = ""
    complete: Callable[[ImportedAnswer, dict[str, Any]], ImportedAnswer] | None = None
    is_strict: bool = False
    is_told: bool = False

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(keys_of(self.parts, *OF_ANSWER))

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the keys that a file of this format must have."""
        rows = self.parts.get("rows", "").removesuffix("*").removesuffix(".")
        return tuple(filter(None, (self.document_key, rows, *self.known_by)))

    def fits(self, document: object) -> bool:
        """Return whether a JSON document, or the first row of a file, fits this format."""
        rows = rows_in(document, self.parts.get("rows", ""), "it")
        try:
            first = next((row for row, _, _ in rows), None)
        except ValueError:
            return False
        is_known = all(holds(first, key) for key in self.known_by)
        is_empty = first is None and bool(self.document_key)
        return (is_known or is_empty) and (
            not self.document_key or holds(document, self.document_key)
        )

    def read(self, source: SourceFile) -> tuple[ImportedAnswers, ...]:
        """Return the answers of each system that the file names.

        Raises:
            ValueError: A value is missing or of a wrong type.
        """
        heading = source.document if self.parts.get("rows") else {}
        runs: dict[tuple[str, ...], list[ImportedAnswer]] = {}
        records, unread = [], set()
        for record, where, group in rows_of(source, self.parts):
            row = Row(checked(record, dict, where), where, self.parts, group, heading)
            of_run = ("system", "repeat", "dataset", "llm")
            named = tuple(as_identifier(*row.find(part, in_heading=True)) for part in of_run)
            answer, not_read = self._answer(row)
            runs.setdefault(named, []).append(answer)
            records.append(row.record)
            unread |= not_read
        if self.is_told and records:
            self._check_found([heading, *records], source)
        left_out = tuple(_left_out(heading, self.parts, records))
        imported: list[ImportedAnswers] = []
        for (system, repeat, corpus, llm), answers in runs.items():
            judges = self._judges(answers)
            main = judges[-1] if self.parts.get("formula") else judges[0]
            run = ImportedAnswers(
                format=self.name,
                file=source.data,
                mapping=digest(dict(self.parts)) if self.is_told else "",
                system=system or source.stem.partition("_results")[0] or source.stem,
                repeat="" if repeat == system else repeat,
                corpus=corpus,
                llm=llm,
                answers=tuple(answers),
                published=tuple(_published(heading, self.parts, main, str(source.path))),
                main=main,
                base=judges[0] if main != judges[0] else "",
                left_out=() if imported else left_out,
                unread=tuple(sorted(unread)),
            )
            imported.append(run)
        return tuple(imported)

    def _check_found(self, records: Sequence[dict[str, Any]], source: SourceFile) -> None:
        for part in self.parts:
            keys = [key for key in keys_of(self.parts, part) if part in OF_ANSWER and key != "*"]
            if keys and not any(holds(record, key) for record in records for key in keys):
                raise ValueError(
                    f"no row of {source.path} has the key {either(map(repr, keys))} that the "
                    f"mapping names for {part!r}; the first row has "
                    f"{', '.join(map(repr, records[1]))}"
                )
        if "mean" in self.parts and not any(
            _published(records[0], self.parts, "", str(source.path))
        ):
            raise ValueError(
                f"{source.path} has no number at {self.parts['mean']!r}, the key of 'mean' in the "
                f"mapping; the keys outside of the rows are "
                f"{', '.join(map(repr, records[0])) or 'none'}"
            )

    def _judges(self, answers: Sequence[ImportedAnswer]) -> list[str]:
        """Return the names of the verdicts on some answers, the judge's first; [""] if none."""
        others = [_last(path) for path in _verdict_paths(self.parts)[1:]]
        stated = dict.fromkeys(judge for answer in answers for judge in answer.verdicts)
        first = [judge for judge in stated if judge not in others][:1]
        return [*first, *(other for other in others if other in stated)] or [""]

    def _answer(self, row: Row) -> tuple[ImportedAnswer, set[str]]:
        """Return the answer of a row, and the keys that are not read."""
        name, question = as_identifier(*row.find("id")), as_text(*row.find("question"))
        if not name and not question:
            raise ValueError(row.lacks("id", "question"))
        stated, place = row.find("answer")
        reason, at = row.find("error")
        error = MARKED if reason is True else as_text(reason or None, at)
        if stated is None and not error and self.is_strict:
            raise ValueError(row.lacks("answer", "error"))
        error = error or (NO_ANSWER if stated is None else "")
        flags, unread = self._rest(row)
        retrieved, listed_at = row.find("retrieved")
        items = (RankedItem(item, messages=(item,)) for item in as_texts(retrieved, listed_at))
        answer = ImportedAnswer(
            where=row.where,
            id=name,
            history=as_identifier(*row.find("history")),
            question=question,
            golds=as_texts(*row.find("gold")),
            category=as_identifier(*row.find("category")),
            answerable=_answerable(row),
            answer=None if error else as_text(stated, place),
            error=error,
            evidence=as_texts(*row.find("evidence")),
            retrieved=None if retrieved is None else tuple(items),
            context="\n".join(as_texts(*row.find("context"))) or None,
            prompt=as_text(*row.find("prompt")),
            context_tokens=as_count(*row.find("context_tokens")),
            reasoning=as_text(*row.find("reasoning")),
            today=as_text(*row.find("today")),
            is_cut=as_truth(*row.find("cut")),
            verdicts=dict(_verdicts(row)),
            flags=flags,
        )
        return (self.complete(answer, row.record) if self.complete else answer), unread

    def _rest(self, row: Row) -> tuple[Mapping[str, Flag], set[str]]:
        """Return the numbers and truth values under unknown keys, and the other unknown keys.

        Raises:
            ValueError: A strict format has other unknown keys, or a number is not finite.
        """
        flags: dict[str, Flag] = {}
        unread = set()
        leaves = _leaves(row.record, self._known)
        for path, value in sorted(leaves, key=lambda leaf: leaf[0].count(".")):
            if isinstance(value, bool | int | float):
                last = path.rpartition(".")[2]
                stated = f"{path[:60]!r} of {row.where}"
                measure = value if isinstance(value, bool) else number(value, stated)
                flags[path if last in flags else last] = measure
            elif self.is_strict:
                expected = sorted(self._known)
                raise ValueError(
                    f"{row.where} has the unknown column {path[:60]!r}, and its value is not a "
                    f"number; expected {', '.join(expected)}{did_you_mean(path, expected)}"
                )
            else:
                unread.add(path)
        return flags, unread


def _leaves(
    record: dict[str, Any], known: frozenset[str], before: str = "", depth: int = 1
) -> Iterator[tuple[str, Any]]:
    """Yield the unknown keys of a row with their values, except empty ones."""
    for key, value in record.items():
        path = f"{before}{key}"
        if path in known or value in (None, "", []):
            continue
        if isinstance(value, dict) and depth < MOST_DEPTH:
            yield from _leaves(value, known, f"{path}.", depth + 1)
        else:
            yield path, value


def _answerable(row: Row) -> bool | None:
    """Return whether the history answers a question; None if the row does not say."""
    key, _, pattern = row.parts.get("unanswerable", "").partition("=")
    value, where = row.at(key)
    if value is None:
        return as_truth(*row.find("answerable"))
    shown = str(value) if isinstance(value, bool) else as_text(value, where)
    return not fnmatchcase(shown.lower(), pattern.lower())


def _verdict_paths(parts: Parts) -> list[str]:
    both = (parts.get("verdict", ""), parts.get("formula", ""))
    return ", ".join(filter(None, both)).split(", ")


def _verdicts(row: Row) -> Iterator[tuple[str, float]]:
    """Yield the verdicts by name; for several calls of a judge, first the mean, then each call."""
    for at, path in enumerate(_verdict_paths(row.parts)):
        key, best = scaled(path)
        value, where = row.at(key)
        if value is None:
            continue
        name = _last(path)
        if at == 0 and "judge" in row.parts:
            name = as_identifier(*row.find("judge", in_heading=True)) or JUDGE
        if not isinstance(value, dict | list):
            yield name, share(value, where, best)
            continue
        calls = dict(value if isinstance(value, dict) else enumerate(value, start=1))
        if not 0 < len(calls) <= MOST_CALLS:
            raise ValueError(f"{where} has {len(calls):,} verdicts, expected 1 to {MOST_CALLS}")
        shares = {
            f"{name}, {str(call)[:60]}": share(given, f"{str(call)[:60]!r} of {where}", best)
            for call, given in calls.items()
        }
        yield name, fmean(shares.values())
        yield from shares.items()


def _last(path: str) -> str:
    """Return the name of a verdict: the last part of its key.

    >>> _last("score.accuracy/100")
    'accuracy'
    """
    return scaled(path)[0].rpartition("|")[2].rpartition(".")[2]


def _published(heading: dict[str, Any], parts: Parts, judge: str, file: str) -> Iterator[Published]:
    """Yield the published means, all with the largest number of decimals among them.

    JSON drops zeros at the end of a number: 0.8 may be 0.800 if another mean of the file is 0.751.
    """
    stated = list(_stated_means(heading, parts, file))
    digits = min(MOST_DIGITS, max((decimals for _, _, decimals in stated), default=0))
    for category, mean, _ in stated:
        yield Published(judge, mean, category, digits)


def _stated_means(
    heading: dict[str, Any], parts: Parts, file: str
) -> Iterator[tuple[str | None, float, int]]:
    """Yield the category of each mean, the mean as a share, and its number of decimals."""
    for path in filter(None, parts.get("mean", "").split(", ")):
        key, best = scaled(path)
        before, of_categories, after = key.partition(".*.")
        means: dict[str | None, Any] = {None: value_at(heading, key)}
        if of_categories:
            each = checked(value_at(heading, before) or {}, dict, f"{before!r} of {file}")
            means = {category: value_at(stated, after) for category, stated in each.items()}
        for category, value in means.items():
            where = f"{key.replace('*', str(category)[:60])!r} of {file}"
            if value is not None:
                yield category, share(number(value, where), where, best), decimals(value, best)


def _left_out(
    heading: dict[str, Any], parts: Parts, records: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, str]]:
    """Yield the place of each answer outside of the rows, with the reason why it is not read."""
    read = {id(record) for record in records}
    others = [other for other in _listed(heading) if id(other[0]) not in read]
    others = [other for other in others if holds(other[0], parts["answer"])]
    known = set(map(repr, records if others else ()))
    for record, where in others:
        yield where, REPEATED if repr(record) in known else NOT_LISTED


def _listed(value: object, where: str = "", depth: int = 0) -> Iterator[tuple[Any, str]]:
    """Yield the items of the lists in a document, with their places."""
    if isinstance(value, list):
        yield from ((item, f"row {at} of {where}") for at, item in enumerate(value))
    elif isinstance(value, dict) and depth <= MOST_DEPTH:
        for key, inner in value.items():
            yield from _listed(inner, f"{where}.{key[:60]}".strip("."), depth + 1)
