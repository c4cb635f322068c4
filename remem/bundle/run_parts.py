"""Read and validate a run in a bundle, and recompute its means from the scores of its questions."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from remem.bundle.layout import JUDGE, PackedVerdict, RecordSum, RunNotes, run_entry, scores_entry
from remem.bundle.reading import Bundle
from remem.bundle.sums import score_difference, scores_document
from remem.config.run_config import RunConfig
from remem.errors import SettingsError, VerificationFailedError
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.metrics.refusal import RefusalGold
from remem.results.verdicts import (
    JudgedCase,
    Judgment,
    cases_of,
    mean_by_query,
    open_judgments,
    read_judgments,
    repeats_of,
)
from remem.types import Record, Usage


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
    verdicts: Mapping[str, Sequence[PackedVerdict]]
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
            f"{bundle.path}: run {number} has the file of verdicts {odd[0]!r}, expected a name "
            f"such as judgments.llm-0123456789ab.jsonl"
        )
    config = bundle.value(entry("config.json"), dict[str, Any])
    with malformed_config(f"{bundle.path}: run {number}"):
        run = RunConfig(config, config)
        packed = bundle.value(entry("scores.json"), PackedScores).overall
        absent = [name for name in run.scores if name not in packed]
        if absent:
            raise VerificationFailedError(
                f"{bundle.path}: the scores of run {number} lack {', '.join(absent)}"
            )
        convention = _with_scores(run.score_convention(), packed.keys())
    text = entry("records.text.jsonl")
    return RunParts(
        number=number,
        config=config,
        convention=convention,
        notes=notes,
        records=list(bundle.lines(entry("records.jsonl"), RecordSum)),
        verdicts={name: list(bundle.lines(entry(name), PackedVerdict)) for name in notes.judges},
        texts=list(bundle.lines(text, Record)) if bundle.has(text) else None,
    )


def _with_scores(convention: ScoreConvention, packed: Set[str]) -> ScoreConvention:
    """Return the convention with only the scores that were packed.

    A later version of remem may compute scores that an earlier bundle does not contain.
    """
    return replace(
        convention, scores=tuple(score for score in convention.scores if score.name in packed)
    )


def check_scores(bundle: Bundle, run: RunParts, questions: Sequence[QuestionScores]) -> bytes:
    """Recompute the scores of a run and compare them with the packed scores, for each judge.

    Returns:
        The content of scores.json, computed without any judge's verdicts.

    Raises:
        VerificationFailedError: A score differs; the message names the first score that does.
    """
    answered = [record.query_id for record in run.records if record.status == "ok"]
    if answered != [question.query_id for question in questions]:
        raise VerificationFailedError(
            f"{run.name}: the questions with scores are not the same as the questions with answers"
        )
    categories = [record.category for record in run.records]
    plain = b""
    for judge in ("", *run.notes.judges):
        shares = verdict_shares(run.verdicts[judge]) if judge else None
        try:
            now = scores_document(questions, categories, run.convention, shares)
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
    """Turn an error about a malformed configuration into one whose message begins with `what`.

    Raises:
        VerificationFailedError: The code in the `with` block found the configuration malformed.
    """
    try:
        yield
    except (SettingsError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise VerificationFailedError(
            f"{what} has a configuration that this version of remem does not know: {error!r}"
        ) from error


def read_verdicts(
    path: Path, records: Sequence[Record], refusal_gold: RefusalGold
) -> tuple[PackedVerdict, ...]:
    """Read a judge's file; return the successful verdicts on the answers in `records`.

    Verdicts on other answers are left out.
    """
    every = list(read_judgments(path))
    judgments = {judgment.case: judgment for judgment in every if judgment.status == "ok"}
    took: defaultdict[JudgedCase, Usage] = defaultdict(Usage)
    for judgment in every:
        took[judgment.case] += judgment.usage  # failed attempts were paid for too
    return tuple(
        PackedVerdict(
            query_id=case.query_id,
            repeat=case.repeat,
            case=_case_sum(case),
            correct=judgments[case].correct,
            usage=took[case],
            judge_prompt=judgments[case].judge_prompt,
        )
        for case in cases_of(records, refusal_gold, repeats_of(judgments))
        if case in judgments
    )


def verdict_shares(verdicts: Iterable[PackedVerdict]) -> Mapping[str, float]:
    """Return the share of "correct" among the verdicts on each question, by question id."""
    return mean_by_query((verdict.query_id, verdict.correct) for verdict in verdicts)


def restore_verdicts(
    path: Path,
    verdicts: Sequence[PackedVerdict],
    records: Sequence[Record],
    refusal_gold: RefusalGold,
) -> str:
    """Write a judge's file for replayed records, if each verdict belongs to one of their answers.

    Returns:
        The first verdict that belongs to no answer; "" if the file was written.
    """
    cases = cases_of(records, refusal_gold, repeats_of(verdicts))
    shown = {_case_sum(case): case for case in cases}
    for verdict in verdicts:
        if verdict.case not in shown:
            return f"the verdict on {verdict.query_id} belongs to another answer, question or gold"
    with open_judgments(path) as log:
        for verdict in verdicts:
            case = shown[verdict.case]
            log.append(
                Judgment(case, "ok", verdict.correct, "", verdict.usage, verdict.judge_prompt)
            )
    return ""


def _case_sum(case: JudgedCase) -> str:
    return hashlib.sha256(TypeAdapter(JudgedCase).dump_json(case)).hexdigest()
