"""The hypothesis files of LongMemEval, and what its evaluation makes of them: JSON Lines."""

from typing import Any

from remem.apps.referee.imports.fields import as_text, name_of, share, text
from remem.apps.referee.imports.imported import ImportedAnswer, ImportedAnswers
from remem.apps.referee.imports.source_file import SourceFile

LABEL = "autoeval_label"
"""The name of the judge where a file does not state its model."""
ABSTENTION = "_abs"
"""Ending of the id of a question to refuse."""


class LongMemEvalFiles:
    """Reads a hypothesis file of LongMemEval, with or without the labels of its evaluation."""

    name = "longmemeval"
    about = "JSON Lines with 'question_id' and 'hypothesis'"

    def fits(self, document: object) -> bool:
        """Return whether the first row of a file looks like it."""
        first = document[0] if isinstance(document, list) and document else document
        return isinstance(first, dict) and {"question_id", "hypothesis"} <= first.keys()

    def read(self, source: SourceFile) -> tuple[ImportedAnswers, ...]:
        """Return the answers of the file.

        Raises:
            ValueError: A value is missing or of a wrong type.
        """
        if source.is_json:
            document = source.document
            listed = document if isinstance(document, list) else [document]
            rows = [(row, f"answer {at} of {source.path}") for at, row in enumerate(listed)]
        else:
            rows = list(source.lines())
        answers = tuple(_answer(row, where) for row, where in rows)
        judges = [judge for answer in answers for judge in answer.verdicts]
        return (
            ImportedAnswers(
                format=self.name,
                file=source.data,
                system=source.stem,
                corpus="longmemeval",
                answers=answers,
                main=judges[0] if judges else "",
            ),
        )


def _answer(row: Any, where: str) -> ImportedAnswer:
    name = name_of(row, "question_id", where)
    hypothesis = row.get("hypothesis")
    return ImportedAnswer(
        where=where,
        id=name,
        answerable=not name.endswith(ABSTENTION),
        answer=None if hypothesis is None else as_text(hypothesis, f"'hypothesis' of {where}"),
        error="the file states no answer" if hypothesis is None else "",
        verdicts=_label(row, where),
    )


def _label(row: dict[str, Any], where: str) -> dict[str, float]:
    """Return the label of the evaluation: a truth value, or an object with its model."""
    label = row.get(LABEL)
    if label is None:
        return {}
    if not isinstance(label, dict):
        return {LABEL: share(label, f"{LABEL!r} of {where}")}
    judge = text(label, "model", where=where) or LABEL
    return {judge: share(label.get("label"), f"'label' of {where}")}
