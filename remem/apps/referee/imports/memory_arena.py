"""The result files of memory-arena: one system and one seed each, on LongMemEval.

Each answer has a judge's grade from 0 to 100, and an accuracy that a formula makes from the grade
and four checks.
"""

import re
from collections.abc import Iterator
from typing import Any

from remem.apps.referee.imports.fields import identifier, name_of, number, optional, share
from remem.apps.referee.imports.imported import (
    Flag,
    ImportedAnswer,
    ImportedAnswers,
    Published,
    RankedItem,
)
from remem.apps.referee.imports.source_file import SourceFile
from remem.benchmarks.json_files import checked, field, strings

ACCURACY = "accuracy"
"""The name of the published score, which a formula makes from the judge's grade."""
JUDGE = "judge"
"""The name of the judge where a file does not state its model."""
BEST_GRADE = 100
ABSTAINED = "abstained"
"""What an answer did: neither a check that it passed nor one that it failed."""
TURN = re.compile(r"(?P<session>.+)_turn_(?P<turn>[0-9]{1,6})")
"""The id of a turn, numbered from 0."""


class MemoryArena:
    """Reads a result file of memory-arena."""

    name = "memory-arena"
    about = "an object with 'strategy' and a list 'recall_records'"

    def fits(self, document: object) -> bool:
        """Return whether a JSON document looks like such a file."""
        return isinstance(document, dict) and {"strategy", "recall_records"} <= document.keys()

    def read(self, source: SourceFile) -> tuple[ImportedAnswers, ...]:
        """Return the answers of the file.

        Raises:
            ValueError: A value is missing or of a wrong type.
        """
        document, file = source.document, str(source.path)
        metadata = optional(document, "metadata", dict, file) or {}
        models = optional(metadata, "models", dict, f"'metadata' of {file}") or {}
        judge = identifier(models, "anthropic_judge", where=file) or JUDGE
        records = field(document, "recall_records", list, file)
        corpus = source.stem.partition("_")[0]
        answers = (
            _answer(record, f"recall record {at} of {file}", judge)
            for at, record in enumerate(records)
        )
        return (
            ImportedAnswers(
                format=self.name,
                file=source.data,
                system=name_of(document, "strategy", file),
                repeat=f"seed {identifier(metadata, 'seed', where=file)}"
                if "seed" in metadata
                else "",
                corpus=corpus,
                llm=identifier(models, "anthropic_generate", where=file),
                answers=tuple(answers),
                published=tuple(_published(document, file)),
                main=ACCURACY,
                base=judge,
            ),
        )


def _answer(record: Any, where: str, judge: str) -> ImportedAnswer:
    name = name_of(record, "question_id", where)
    score = field(record, "score", dict, where)
    graded = f"'judge_score' of {where}"
    grade = share(number(score.get("judge_score"), graded), graded, BEST_GRADE)
    failed = record.get("error") is True
    return ImportedAnswer(
        where=where,
        id=name,
        category=identifier(record, "category", where=where),
        answer=None if failed else field(record, "answer", str, where),
        error="the file marks this answer as an error" if failed else "",
        retrieved=_retrieved(record, where),
        verdicts={judge: grade, ACCURACY: share(score.get("accuracy"), f"'accuracy' of {where}")},
        flags=dict(_flags(score, optional(record, "ir", dict, where) or {}, where)),
    )


def _retrieved(record: dict[str, Any], where: str) -> tuple[RankedItem, ...] | None:
    """Return the turns that were retrieved, or else their sessions; None if it is not known.

    Turns count if all ids are of turns, and of just the sessions that are listed.
    """
    if record.get("recall_at_k_measurable") is False:
        return None
    sessions = strings(record, "supporting_session_ids", where)
    turns = [TURN.fullmatch(name) for name in strings(record, "supporting_turn_ids", where)]
    known = [turn for turn in turns if turn]
    listed = list(dict.fromkeys(turn["session"] for turn in known))
    if not turns or len(known) < len(turns) or listed != sessions:
        return tuple(RankedItem(session, sessions=(session,)) for session in sessions)
    return tuple(RankedItem(turn[0], messages=(_message_id(turn),)) for turn in known)


def _message_id(turn: re.Match[str]) -> str:
    """Return the id of a message as LongMemEval's authors number it, from 1."""
    return f"{turn['session']}_{int(turn['turn']) + 1}"


def _flags(
    score: dict[str, Any], measures: dict[str, Any], where: str
) -> Iterator[tuple[str, Flag]]:
    """Yield the checks of an answer, and the measures of its retrieval."""
    for name, value in score.items():
        if isinstance(value, bool) and name != ABSTAINED:
            yield name, value
    for name, value in measures.items():
        if name != "k" and value is not None:
            yield name, number(value, f"{name!r} of {where}")


def _published(document: dict[str, Any], file: str) -> Iterator[Published]:
    yield Published(ACCURACY, _mean(document, file))
    categories = optional(document, "accuracy_by_category", dict, file) or {}
    for category, scores in categories.items():
        where = f"category {category!r} of {file}"
        stated = checked(scores, dict, where)
        yield Published(ACCURACY, _mean(stated, where), category)


def _mean(record: dict[str, Any], where: str) -> float:
    stated = f"'accuracy' of {where}"
    return share(number(record.get("accuracy"), stated), stated)
