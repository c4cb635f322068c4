"""Score a run with the known label errors of its dataset corrected, or left out.

The user provides the errors as a file in the form of the public LoCoMo audit (`errors.json` of
dial481/locomo-audit, see datasets/locomo/README.md).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from remem.benchmarks.json_fields import field, strings
from remem.benchmarks.json_files import parse_json
from remem.metrics.convention import ScoreConvention
from remem.metrics.proportion import Share, share
from remem.metrics.refusal import gold_answers
from remem.results.rescore import Scoring
from remem.types import Record, Retrieved

ANSWER_STANDS = "WRONG_CITATION"
"""The kind of error in which only the evidence is wrong, not the answer."""


@dataclass(frozen=True, slots=True)
class LabelError:
    """One entry of the audit; `index` is the position of the question in its conversation."""

    id: str
    index: int
    question: str
    gold: str
    kind: str
    answer: str
    evidence: tuple[str, ...]

    @property
    def answer_is_wrong(self) -> bool:
        """Whether the gold answer is wrong, so that a right answer is scored as wrong."""
        return self.kind != ANSWER_STANDS


@dataclass(frozen=True, slots=True)
class Overlaid:
    """The records of a run with corrected labels, and upper bounds for perfect answers.

    `corrected` has the corrected golds, and `without` leaves out the questions with a wrong gold
    answer. `ceiling` has perfect answers and retrieval, scored with the original labels. `accepted`
    is the share of perfect answers that a judge with the original labels accepts, over the
    answerable questions. `elsewhere` are the ids of errors on questions that the run does not have.
    """

    corrected: tuple[Record, ...]
    without: tuple[Record, ...]
    ceiling: tuple[Record, ...]
    accepted: Share
    elsewhere: tuple[str, ...]


def read_overlay(path: Path) -> tuple[LabelError, ...]:
    """Read the label errors in an audit file.

    Raises:
        ValueError: The file is malformed.
    """
    content = parse_json(path.read_bytes(), str(path))
    if not isinstance(content, list):
        raise ValueError(f"{path} is a {type(content).__name__}, expected a list of label errors")
    return tuple(_label_error(entry, f"{path}: entry {at}") for at, entry in enumerate(content))


def overlay(
    records: Sequence[Record], errors: Sequence[LabelError], convention: ScoreConvention
) -> Overlaid:
    """Apply the corrections of an audit to the records of a run.

    Raises:
        ValueError: No error matches a question of the run, or an error matches several.
    """
    found = _matched(records, errors)
    if not found:
        raise ValueError(
            f"none of the {len(errors)} label errors belongs to a question of this run"
        )
    wrong = {query for query, error in found.items() if error.answer_is_wrong}
    corrected = tuple(_corrected(record, found.get(record.query_id)) for record in records)
    answered = [record for record in records if record.status == "ok"]
    answerable = [record.query_id for record in answered if record.gold.answerable]
    stand = sum(query not in wrong for query in answerable)
    ids = {error.id for error in found.values()}
    return Overlaid(
        corrected=corrected,
        without=tuple(record for record in records if record.query_id not in wrong),
        ceiling=tuple(
            _perfect(record, right, convention)
            for record, right in zip(records, corrected, strict=True)
        ),
        accepted=share(stand, len(answerable)),
        elsewhere=tuple(error.id for error in errors if error.id not in ids),
    )


def overlaid_ways(
    records: Sequence[Record], overlaid: Overlaid, convention: ScoreConvention
) -> tuple[list[Scoring], Scoring]:
    """Return the ways to score the answers of the run, and separately the ceiling."""
    return [
        Scoring("raw labels", records, convention),
        Scoring("corrected", overlaid.corrected, convention),
        Scoring("without errors", overlaid.without, convention),
    ], Scoring("ceiling, raw labels", overlaid.ceiling, convention)


def told_overlay(overlaid: Overlaid) -> tuple[str, ...]:
    """Return lines of text on the ceiling of a judge, and on errors that match no question."""
    accepted = overlaid.accepted
    lines = [
        f"ceiling of a judge that follows the labels: {100 * accepted.mean:.1f} over the "
        f"{accepted.n} answerable questions, as {accepted.n - accepted.count} have a wrong gold"
    ]
    if overlaid.elsewhere:
        lines.append(
            f"{len(overlaid.elsewhere)} label errors belong to no question of this run; the first "
            f"is {overlaid.elsewhere[0]}"
        )
    return tuple(lines)


def _label_error(entry: object, where: str) -> LabelError:
    name = field(entry, "question_id", str, where)
    position = name.rpartition("_qa")[2]
    if not position.isdecimal():
        raise ValueError(f"{where} has the question_id {name!r}, expected one such as locomo_0_qa1")
    return LabelError(
        id=name,
        index=int(position),
        question=field(entry, "question", str, where).strip(),
        gold=field(entry, "golden_answer", str, where),
        kind=field(entry, "error_type", str, where),
        answer=field(entry, "correct_answer", str, where),
        evidence=tuple(strings(entry, "correct_evidence", where)),
    )


def _matched(records: Sequence[Record], errors: Sequence[LabelError]) -> dict[str, LabelError]:
    """Return the errors by query id, matched by position, text and gold, since their ids differ.

    Raises:
        ValueError: An error matches several questions.
    """
    places: defaultdict[tuple[int, str, tuple[str, ...]], list[str]] = defaultdict(list)
    for record in records:
        key = (record.index, record.question.strip(), record.gold.answers)
        places[key].append(record.query_id)
    found: dict[str, LabelError] = {}
    for error in errors:
        queries = places.get((error.index, error.question, (error.gold,)), [])
        if len(queries) > 1:
            raise ValueError(
                f"label error {error.id} matches both {' and '.join(queries)}; it must match one "
                f"question"
            )
        found.update(dict.fromkeys(queries, error))
    return found


def _corrected(record: Record, error: LabelError | None) -> Record:
    if error is None:
        return record
    answers = (error.answer,) if error.answer_is_wrong else record.gold.answers
    evidence = error.evidence or record.gold.evidence
    return replace(record, gold=replace(record.gold, answers=answers, evidence=evidence))


def _perfect(record: Record, corrected: Record, convention: ScoreConvention) -> Record:
    right = corrected.gold
    return replace(
        record,
        answer=gold_answers(right, convention.refusal_gold)[0],
        retrieved=tuple(Retrieved(message_id, (message_id,)) for message_id in right.evidence),
        ranked=True,
    )
