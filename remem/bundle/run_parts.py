"""Read and validate a run in a bundle, and recompute its means from the scores of its questions."""

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from remem.bundle.layout import JUDGE, RecordSum, RunNotes, Verdict, run_entry, scores_entry
from remem.bundle.reading import Bundle
from remem.bundle.sums import score_difference, scores_document
from remem.bundle.verdicts import verdict_shares
from remem.config.run_config import RunConfig
from remem.errors import SettingsError, VerificationFailedError
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.types import Record


@dataclass(frozen=True, slots=True)
class PackedScores:
    """The means of scores.json over all questions, by the name of the score."""

    overall: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunParts:
    """The validated parts of a run in a bundle.

    `number` counts from 1. `texts` are the records with their texts; None if they are not packed.
    """

    number: int
    config: Mapping[str, Any]
    convention: ScoreConvention
    notes: RunNotes
    records: Sequence[RecordSum]
    verdicts: Mapping[str, Sequence[Verdict]]
    texts: Sequence[Record] | None

    @property
    def name(self) -> str:
        """The name of the run in messages."""
        return f"run {self.number} ({self.notes.label})"


def read_run_parts(bundle: Bundle, number: int) -> RunParts:
    """Read the run of a bundle with this number, counted from 1.

    Raises:
        VerificationFailedError: A part of the run is malformed.
    """

    def entry(name: str) -> str:
        return run_entry(number, name)

    notes: RunNotes = bundle.value(entry("run.json"), RunNotes)
    odd = [name for name in notes.judges if not JUDGE.fullmatch(name)]
    if odd:
        raise VerificationFailedError(
            f"{bundle.path}: run {number} names the judge's file {odd[0]!r}, expected a name such "
            f"as judgments.llm-0123456789ab.jsonl"
        )
    config = bundle.value(entry("config.json"), dict[str, Any])
    with malformed_config(f"{bundle.path}: run {number}"):
        run = RunConfig(config, config)
        packed = bundle.value(entry("scores.json"), PackedScores).overall
        absent = [name for name in run.scores if name not in packed]
        if absent:
            raise VerificationFailedError(
                f"{bundle.path}: run {number} has no {', '.join(absent)} in its scores"
            )
        convention = _with_scores(run.score_convention(), packed.keys())
    text = entry("records.text.jsonl")
    return RunParts(
        number=number,
        config=config,
        convention=convention,
        notes=notes,
        records=list(bundle.lines(entry("records.jsonl"), RecordSum)),
        verdicts={name: list(bundle.lines(entry(name), Verdict)) for name in notes.judges},
        texts=list(bundle.lines(text, Record)) if bundle.has(text) else None,
    )


def _with_scores(convention: ScoreConvention, packed: Set[str]) -> ScoreConvention:
    """Return the convention with only the scores that were packed.

    A later version may have further scores, which an earlier bundle cannot have.
    """
    return replace(
        convention, scores=tuple(score for score in convention.scores if score.name in packed)
    )


def check_scores(bundle: Bundle, run: RunParts, questions: Sequence[QuestionScores]) -> bytes:
    """Recompute the scores of a run and compare them with the packed scores, for each judge.

    Returns:
        The content of scores.json without verdicts.

    Raises:
        VerificationFailedError: A score differs; the message names the first score that does.
    """
    answered = [record.query_id for record in run.records if record.status == "ok"]
    if answered != [question.query_id for question in questions]:
        raise VerificationFailedError(
            f"{run.name}: the scored questions are not the questions that its records answer"
        )
    asked = [record.category for record in run.records]
    plain = b""
    for judge in ("", *run.notes.judges):
        said = verdict_shares(run.verdicts[judge]) if judge else None
        try:
            now = scores_document(questions, asked, run.convention, said)
        except ValueError as error:  # infinite ones, or too few
            raise VerificationFailedError(
                f"{run.name}: its mean scores cannot be computed: {error}"
            ) from error
        difference = score_difference(bundle.document(scores_entry(run.number, judge)), now)
        if difference:
            raise VerificationFailedError(f"{run.name}: {judge or 'scores'}: {difference}")
        plain = plain or now
    return plain


@contextmanager
def malformed_config(what: str) -> Iterator[None]:
    """Turn the errors of a malformed configuration into an error that names its place.

    Raises:
        VerificationFailedError: The code in the `with` block found the configuration malformed.
    """
    try:
        yield
    except (SettingsError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise VerificationFailedError(
            f"{what} has a configuration that this version of remem does not know: {error!r}"
        ) from error
