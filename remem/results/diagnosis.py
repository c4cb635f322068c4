"""Find exactly one cause for each wrong answer, with interventions.

The stages of a question are checked in order: the gold answer, the index, recall, the budget, the
reader, the score. The first stage that failed is the cause. Two interventions show what the records
do not: the memory is queried with the words of a message, to see whether the message is stored, and
the reader is given the gold evidence, to see whether its answer is right.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from remem.memory.lost_evidence import LostBy
from remem.metrics.intervals import Share, share
from remem.metrics.question_scores import QuestionScores
from remem.results.outcomes import RIGHT
from remem.results.run import Run
from remem.run.imported_answers import is_imported
from remem.types import Record, Retrieved

Cause = Literal[
    "gold in doubt",
    "answered although unanswerable",
    "evidence not known",
    "not stored",
    "stored, not recalled",
    "not recalled",
    "recalled, cut by the budget",
    "metric against judge",
    "refused although answerable",
    "in the prompt, not used",
    "not readable",
    "in the prompt",
]
"""The causes, in the order of the stages. "not recalled" and "in the prompt" are for questions
without the needed intervention."""

CAUSES: tuple[Cause, ...] = get_args(Cause)

OF_MEMORY: tuple[Cause, ...] = (
    "not stored",
    "stored, not recalled",
    "not recalled",
    "recalled, cut by the budget",
)
"""The causes that a memory can change."""
OF_READER: tuple[Cause, ...] = (
    "answered although unanswerable",
    "refused although answerable",
    "in the prompt, not used",
    "not readable",
    "in the prompt",
)
"""The causes that a reader can change."""

ADVICE: Mapping[Cause, str] = {
    "gold in doubt": "The dataset has a known error here: correct it (remem score --labels)",
    "answered although unanswerable": "The reader does not refuse: change its prompt or threshold",
    "evidence not known": "The dataset names no evidence, so the cause is unknown",
    "not stored": "The index loses messages: look at the extraction",
    "stored, not recalled": "The search misses stored messages: look at the ranking and at top_k",
    "not recalled": "The search or the index loses messages; which of the two is not known",
    "recalled, cut by the budget": "Messages rank too low for the budget: look at the ranking",
    "metric against judge": "The metric and the judge disagree: compare both before you "
    "change anything",
    "refused although answerable": "The reader refuses too often: change its prompt or threshold",
    "in the prompt, not used": "The reader is distracted: give it less evidence, or rank better",
    "not readable": "The reader fails on the gold evidence too: change the reader or the model",
    "in the prompt": "Whether the reader can use the gold evidence is not known",
}
"""What to check first for each cause."""

IsStored = Callable[[Record, Set[str]], bool | None]
"""Returns whether the memory of a record's history stores these messages; None if unknown."""
FindsStep = Callable[[Record, Set[str]], LostBy | None]
"""Returns the step at which an agent lost stored messages; None if unknown."""


@dataclass(frozen=True, slots=True)
class Interventions:
    """The results of the two interventions, and the ids of questions with doubtful gold answers.

    `with_gold` states by query id whether the reader is right if it is given the gold evidence.
    `note` is the reason why no intervention was made; empty otherwise.
    """

    is_stored: IsStored
    with_gold: Mapping[str, bool]
    doubtful: Set[str] = frozenset()
    lost_by: FindsStep = lambda *_: None
    note: str = ""


def wrong_records(run: Run) -> list[Record]:
    """Return the records whose answer the main score rejects; failed questions are left out."""
    return [
        record
        for record in run.records
        if record.query_id in run.scores and _is_wrong(run.scores[record.query_id], run.main_score)
    ]


UNTRIED = Interventions(lambda *_: None, {})


def needs_reader(run: Run, record: Record) -> bool:
    """Return whether the cause depends on what the reader answers if given the gold evidence."""
    return cause_of(run, record, UNTRIED) == "in the prompt"


def causes_if_wrong(run: Run) -> dict[str, Cause]:
    """Return the cause that each answer would have if it were wrong, without interventions."""
    return _causes(run, [r for r in run.records if r.query_id in run.scores], UNTRIED)


def _causes(run: Run, records: Iterable[Record], interventions: Interventions) -> dict[str, Cause]:
    """Return the cause of each wrong answer by query id.

    For imported answers without retrieved items, "not recalled" becomes "evidence not known".
    """
    causes = {record.query_id: cause_of(run, record, interventions) for record in records}
    if not is_imported(run.config) or any(record.retrieved for record in run.records):
        return causes
    return {
        query_id: "evidence not known" if cause == "not recalled" else cause
        for query_id, cause in causes.items()
    }


def cause_of(run: Run, record: Record, interventions: Interventions) -> Cause:
    """Return the cause of a wrong answer."""
    scores = run.scores[record.query_id]
    if record.query_id in interventions.doubtful:
        return "gold in doubt"
    if scores.unanswerable:
        return "answered although unanswerable"
    if scores.value("evidence_recall") is None:
        return "evidence not known"
    if missing := _missing(record):
        return _cause_of_missing(record, missing, interventions.is_stored)
    if _other_score_is_right(run, scores):
        return "metric against judge"
    if scores.refused:
        return "refused although answerable"
    match interventions.with_gold.get(record.query_id):
        case True:
            return "in the prompt, not used"
        case False:
            return "not readable"
    return "in the prompt"


def _cause_of_missing(record: Record, missing: Set[str], is_stored: IsStored) -> Cause:
    not_recalled = missing - _sources(record.cut)
    if not not_recalled:
        return "recalled, cut by the budget"
    match is_stored(record, not_recalled):
        case True:
            return "stored, not recalled"
        case False:
            return "not stored"
    return "not recalled"


def _missing(record: Record) -> Set[str]:
    return set(record.gold.evidence) - _sources(record.retrieved)


def _sources(items: Iterable[Retrieved]) -> set[str]:
    return {message_id for item in items for message_id in item.source}


def _is_wrong(scores: QuestionScores, name: str) -> bool:
    value = scores.value(name)
    return value is not None and value < RIGHT


def _other_score_is_right(run: Run, scores: QuestionScores) -> bool:
    """Return whether the judge accepts what the metric rejects, or F1 is 1 where a judge does."""
    if run.main_score == "llm_judge":
        return scores.value("f1") == 1.0
    verdict = scores.value("llm_judge")
    return verdict is not None and verdict >= RIGHT


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause of each wrong answer of a run by query id.

    `answered` has the ids of all questions with an answer, and `score` names the score that decides
    which answers are wrong.
    """

    label: str
    score: str
    answered: Set[str]
    causes: Mapping[str, Cause]
    categories: Mapping[str, str]
    """The category of each wrong answer by query id."""
    notes: tuple[str, ...] = ()
    lost_by: Mapping[str, LostBy] = field(default_factory=dict)
    """The step at which REMem lost stored messages, by query id."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of wrong answers of each cause that occurs, in the order of the stages."""
        return {cause: of_all.count for cause, of_all in self.shares().items()}

    def shares(self, category: str | None = None) -> dict[Cause, Share]:
        """Return the share of each cause among the wrong answers, in one category or in all."""
        counts = Counter(
            cause
            for query_id, cause in self.causes.items()
            if category in (None, self.categories[query_id])
        )
        return {cause: share(counts[cause], counts.total()) for cause in CAUSES if counts[cause]}


def diagnosis(run: Run, wrong: Sequence[Record], interventions: Interventions) -> Diagnosis:
    """Return the cause of each wrong answer of a run."""
    causes = _causes(run, wrong, interventions)
    notes = [interventions.note] if interventions.note else []
    if errors := len(run.records) - len(run.scores):
        notes.insert(0, f"{errors:,} questions failed; they have no cause.")
    pending = list(causes.values()).count("in the prompt")
    if pending and not interventions.note:
        notes.append(
            f"{pending} answers had all evidence in the prompt. A run with method=oracle_message "
            "and the same reader and model shows whether the reader can use it (remem estimate "
            "shows the cost); its replies are then found in the call store."
        )
    return Diagnosis(
        run.config.label,
        run.main_heading,
        run.scores.keys(),
        causes,
        {record.query_id: record.gold.category for record in wrong},
        tuple(notes),
        {
            record.query_id: step
            for record in wrong
            if causes[record.query_id] == "stored, not recalled"
            and (step := interventions.lost_by(record, _missing(record))) is not None
        },
    )


def recorded_diagnosis(run: Run, label: str = "") -> Diagnosis:
    """Return the causes of a run's wrong answers from its records, without any intervention."""
    records_alone = diagnosis(run, wrong_records(run), UNTRIED)
    return replace(records_alone, label=label or records_alone.label)


MOST_NAMED = 3
"""The maximum number of causes that a comparison of two runs names."""


def compared_causes(diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
    """Yield, for each run but the first, which causes are more or less frequent than in the first.

    Only questions that both runs answered count.
    """
    for other in diagnoses[1:]:
        first = diagnoses[0]
        if not first.answered & other.answered:
            yield f"{other.label} and {first.label} have no answered questions in common."
            continue
        counts, before = (_common_counts(*pair) for pair in ((other, first), (first, other)))
        changes = {cause: counts[cause] - before[cause] for cause in CAUSES}
        largest = sorted(
            (cause for cause in CAUSES if changes[cause]), key=lambda of: -abs(changes[of])
        )
        named = (f"{changes[cause]:+d} {cause}" for cause in largest[:MOST_NAMED])
        yield (
            f"Wrong answers, {other.label} against {first.label}: "
            f"{', '.join(named) or 'the same causes'}."
        )


def _common_counts(diagnosis: Diagnosis, other: Diagnosis) -> Counter[Cause]:
    """Return how often each cause occurs on the questions that the other run also answered."""
    return Counter(cause for of, cause in diagnosis.causes.items() if of in other.answered)
