"""Compute all scores of an answered question according to a convention."""

from collections.abc import Mapping
from dataclasses import dataclass

from remem.files.adapters import adapter
from remem.files.unspaced_scripts import spaced
from remem.metrics import bleu, complex_tr, retrieval
from remem.metrics.choices import released_choice, strict_choice
from remem.metrics.convention import ScoreConvention
from remem.metrics.locomo_f1 import comma_cut_f1, locomo_f1, mem0_bleu1, mem0_f1
from remem.metrics.qa import character_tokens, exact_match, token_f1, tot_exact_match
from remem.metrics.refusal import gold_answers, is_refusal, is_unanswerable
from remem.types import NOT_STATED, Record

REFUSALS = ("refused", "unanswerable")
NAMED = ("query_id", "category", "cluster", *REFUSALS)


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """All scores of one answered question.

    A score that does not exist for the question is None. Examples are a retrieval score if there is
    no gold evidence, a judge's score if no judge was asked, and LoCoMo's F1 in a category that
    LoCoMo does not have.
    """

    query_id: str
    category: str
    cluster: str
    refused: bool
    unanswerable: bool
    scores: Mapping[str, float | None]

    def value(self, name: str) -> float | None:
        """Return the score with this name; "refused" and "unanswerable" are 1 or 0."""
        return float(getattr(self, name)) if name in REFUSALS else self.scores[name]


def question_scores(
    record: Record, convention: ScoreConvention, llm_judge: float | None = None
) -> QuestionScores:
    """Score one answered question; if it has no group, it is its own cluster.

    Raises:
        ValueError: The question failed or has no gold answer.
    """
    gold = record.gold
    if record.status != "ok":
        raise ValueError(f"question {record.query_id} failed, and only answers can be scored")
    if not gold.answers:
        raise ValueError(f"question {record.query_id} has no gold answer, expected at least one")
    return QuestionScores(
        query_id=record.query_id,
        category=gold.category,
        cluster=gold.group or f"{record.history_id}/{record.query_id}",
        refused=is_refusal(record.answer, convention.refusal_detection),
        unanswerable=is_unanswerable(gold, convention.refusal_gold),
        scores={score.name: score.of(record, convention, llm_judge) for score in convention.scores},
    )


def score_row(question: QuestionScores) -> dict[str, object]:
    """Return the scores of a question in the form of a line of questions.jsonl."""
    named = {name: getattr(question, name) for name in NAMED}
    return {**named, **question.scores}


def read_score_row(row: Mapping[str, object]) -> QuestionScores:
    """Return the scores of a question, given the output of `score_row`.

    Raises:
        ValueError: The line is malformed.
    """
    scores = {name: value for name, value in row.items() if name not in NAMED}
    named = {name: row[name] for name in NAMED if name in row}
    return adapter(QuestionScores).validate_python({**named, "scores": scores})


K = 10


def f1(record: Record, convention: ScoreConvention) -> float | None:
    """Return the F1 by the convention's rule; None if LoCoMo's rule does not cover the category."""
    golds, category = gold_answers(record.gold, convention.refusal_gold), record.gold.category
    match convention.f1:
        case "hipporag2":
            return token_f1(record.answer, golds)
        case "locomo_official":
            return locomo_f1(record.answer, golds, category, convention.refusal_detection)
        case "released_comma_cut":
            return comma_cut_f1(record.answer, golds, category, convention.refusal_detection)
        case "mem0":
            return mem0_f1(record.answer, golds)
        case "characters":
            return token_f1(record.answer, golds, character_tokens)


def answerable_f1(record: Record, convention: ScoreConvention) -> float | None:
    """Return the F1 if the question is answerable, else None."""
    return f1(record, convention) if record.gold.answerable else None


def bleu1(record: Record, convention: ScoreConvention) -> float:
    """Return BLEU-1 by the convention's rule."""
    golds = gold_answers(record.gold, convention.refusal_gold)
    match convention.bleu:
        case "evaluate":
            return bleu.bleu1(record.answer, golds)
        case "mem0":
            return mem0_bleu1(record.answer, golds)
        case "characters":
            return bleu.bleu1(spaced(record.answer), [*map(spaced, golds)])


def em(record: Record, convention: ScoreConvention) -> float:
    """Return 1 for an exact match, else 0; the convention may compare lists in any order."""
    gold = record.gold
    if len(gold.items) > 1 and convention.multi_answer_gold == "set":
        return complex_tr.unordered_exact_match(record.answer, gold.items, gold.separator)
    golds = gold_answers(gold, convention.refusal_gold)
    if convention.f1 == "characters":
        return exact_match(record.answer, golds, character_tokens)
    return exact_match(record.answer, golds)


def tot_em(record: Record, convention: ScoreConvention) -> float:
    """Return 1 for an exact match by the rules of Test of Time, else 0."""
    golds = gold_answers(record.gold, convention.refusal_gold)
    return max(tot_exact_match(record.answer, label) for label in golds)


def set_match(record: Record, convention: ScoreConvention) -> float:
    """Return 1 if the answer names exactly the items of the gold, in any order, else 0."""
    return complex_tr.set_match(record.answer, _items(record, convention), record.gold.separator)


def set_accuracy(record: Record, convention: ScoreConvention) -> float:
    """Return the set accuracy of Complex-TR."""
    return complex_tr.set_accuracy(record.answer, _items(record, convention))


def answer_f1(record: Record, convention: ScoreConvention) -> float:
    """Return the answer F1 of Complex-TR."""
    return complex_tr.answer_f1(record.answer, _items(record, convention))


def first_item_em(record: Record, convention: ScoreConvention) -> float:
    """Return 1 if the first item of the answer exactly matches a gold item, else 0."""
    return complex_tr.first_item_em(record.answer, _items(record, convention))


def first_item_f1(record: Record, convention: ScoreConvention) -> float:
    """Return the token F1 between the first item of the answer and the best gold item."""
    return complex_tr.first_item_f1(record.answer, _items(record, convention))


def choice_accuracy(record: Record, convention: ScoreConvention) -> float | None:
    """Return 1 if the answer names the gold option, as PersonaMem's authors read it, else 0."""
    return released_choice(record.answer, record.gold.answers)


def choice_accuracy_strict(record: Record, convention: ScoreConvention) -> float | None:
    """Return 1 if the answer names exactly one option, and that option is right, else 0."""
    return strict_choice(record.answer, record.gold.answers)


def recall_at(record: Record, convention: ScoreConvention, *, k: int) -> float | None:
    """Return the share of the gold messages that are sources of the first `k` items."""
    return retrieval.evidence_recall(_retrieved_sources(record), _ranked_gold(record), k)


def message_recall_at_10(record: Record, convention: ScoreConvention) -> float | None:
    """Return the share of the gold messages that are among the first ten distinct sources."""
    return retrieval.message_recall(_retrieved_sources(record), _ranked_gold(record), K)


def hit_at_10(record: Record, convention: ScoreConvention) -> float | None:
    """Return 1 if one of the first ten items comes from a gold message, else 0."""
    return retrieval.hit(_retrieved_sources(record), _ranked_gold(record), K)


def mrr_at_10(record: Record, convention: ScoreConvention) -> float | None:
    """Return 1 / rank of the first item from a gold message; 0 if its rank is above ten."""
    return retrieval.reciprocal_rank(_retrieved_sources(record), _ranked_gold(record), K)


def ndcg_at_10(record: Record, convention: ScoreConvention) -> float | None:
    """Return the normalised discounted cumulative gain of the first ten items."""
    return retrieval.ndcg(_retrieved_sources(record), _ranked_gold(record), K)


def session_recall(record: Record, convention: ScoreConvention) -> float | None:
    """Return the share of the gold sessions that were found; None if ids do not name sessions."""
    return retrieval.session_recall(
        _retrieved_sources(record), _known_gold(record), retrieval.numbered_session
    )


def recall_per_1000_tokens(record: Record, convention: ScoreConvention) -> float | None:
    """Return evidence recall per 1000 tokens of the reader's context; None for an empty context."""
    return retrieval.recall_per_1000_tokens(
        _retrieved_sources(record), _known_gold(record), record.context_tokens
    )


def context_tokens(record: Record, convention: ScoreConvention) -> float | None:
    """Return the number of tokens of the reader's context; None if an imported run omits it."""
    is_stated = record.context_tokens or record.prompts != NOT_STATED
    return record.context_tokens if is_stated else None


def evidence_recall(record: Record, convention: ScoreConvention) -> float | None:
    """Return the share of the gold messages that are sources of any item, ranked or not."""
    return retrieval.evidence_recall(_retrieved_sources(record), _known_gold(record))


def _items(record: Record, convention: ScoreConvention) -> tuple[str, ...]:
    answers = gold_answers(record.gold, convention.refusal_gold)
    return (record.gold.items or answers) if record.gold.answerable else answers


def _retrieved_sources(record: Record) -> list[tuple[str, ...]]:
    return [item.source for item in record.retrieved]


def _ranked_gold(record: Record) -> tuple[str, ...]:
    """Return the gold evidence if the retrieved items are ranked, else nothing."""
    return _known_gold(record) if record.ranked else ()


def _known_gold(record: Record) -> tuple[str, ...]:
    """Return the gold evidence if it is known which messages were retrieved, else nothing."""
    gold = record.gold.evidence
    return gold if gold and retrieval.states_messages(_retrieved_sources(record)) else ()
