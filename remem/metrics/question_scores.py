"""From one record to the scores of its question, under a convention."""

from collections.abc import Sequence
from dataclasses import dataclass

from remem.metrics import complex_tr, retrieval
from remem.metrics.bleu import bleu1
from remem.metrics.convention import ScoreConvention
from remem.metrics.locomo_f1 import comma_cut_f1, locomo_f1
from remem.metrics.mem0_scores import mem0_bleu1, mem0_f1
from remem.metrics.qa import exact_match, token_f1
from remem.metrics.refusal import gold_answers, is_refusal, is_unanswerable
from remem.metrics.tot import tot_exact_match
from remem.types import Gold, Record


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """All scores of one answered question; which of them a table shows is the table's choice.

    `f1` is None where LoCoMo's rules are asked for and the category is none of LoCoMo's. Without
    gold evidence all retrieval scores are None; `session_recall` too if the ids name no session,
    `recall_per_1000_tokens` too if the reader was given nothing. `llm_judge` is the share of a
    judge's verdicts that were "correct", None where no judge was asked.
    """

    query_id: str
    category: str
    cluster: str
    refused: bool
    unanswerable: bool
    f1: float | None
    bleu1: float
    em: float
    tot_em: float
    set_match: float
    set_accuracy: float
    answer_f1: float
    first_item_em: float
    first_item_f1: float
    recall_at_10: float | None
    hit_at_10: float | None
    mrr_at_10: float | None
    ndcg_at_10: float | None
    session_recall: float | None
    recall_per_1000_tokens: float | None
    context_tokens: int
    llm_judge: float | None


def question_scores(
    record: Record, convention: ScoreConvention, llm_judge: float | None = None
) -> QuestionScores:
    """Score one answered question. A question without a group is a cluster of its own."""
    gold, answer = record.gold, record.answer
    if record.status != "ok":
        raise ValueError(f"question {record.query_id} failed, and only answers can be scored")
    if not gold.answers:
        raise ValueError(f"question {record.query_id} has no gold answer, expected at least one")
    golds = gold_answers(gold, convention.refusal_gold)
    parts = gold.items or golds
    ranked_gold = gold.evidence if record.ranked else ()  # no k first items without a ranking
    found = [item.source for item in record.retrieved]
    return QuestionScores(
        query_id=record.query_id,
        category=gold.category,
        cluster=gold.group or f"{record.history_id}/{record.query_id}",
        refused=is_refusal(answer, convention.refusal_detection),
        unanswerable=is_unanswerable(gold, convention.refusal_gold),
        f1=_f1(answer, golds, gold.category, convention),
        bleu1=mem0_bleu1(answer, golds) if convention.bleu == "mem0" else bleu1(answer, golds),
        em=_em(answer, golds, gold, convention),
        tot_em=max(tot_exact_match(answer, label) for label in golds),
        set_match=complex_tr.set_match(answer, parts, gold.separator),
        set_accuracy=complex_tr.set_accuracy(answer, parts),
        answer_f1=complex_tr.answer_f1(answer, parts),
        first_item_em=complex_tr.first_item_em(answer, parts),
        first_item_f1=complex_tr.first_item_f1(answer, parts),
        recall_at_10=retrieval.evidence_recall(found, ranked_gold, 10),
        hit_at_10=retrieval.hit(found, ranked_gold, 10),
        mrr_at_10=retrieval.reciprocal_rank(found, ranked_gold, 10),
        ndcg_at_10=retrieval.ndcg(found, ranked_gold, 10),
        session_recall=retrieval.session_recall(found, gold.evidence, retrieval.numbered_session),
        recall_per_1000_tokens=retrieval.recall_per_1000_tokens(
            found, gold.evidence, record.context_tokens
        ),
        context_tokens=record.context_tokens,
        llm_judge=llm_judge,
    )


def _f1(
    answer: str, golds: Sequence[str], category: str, convention: ScoreConvention
) -> float | None:
    match convention.f1:
        case "hipporag2":
            return token_f1(answer, golds)
        case "locomo_official":
            return locomo_f1(answer, golds, category, convention.refusal_detection)
        case "released_comma_cut":
            return comma_cut_f1(answer, golds, category, convention.refusal_detection)
        case "mem0":
            return mem0_f1(answer, golds)


def _em(answer: str, golds: Sequence[str], gold: Gold, convention: ScoreConvention) -> float:
    """Compare lists as sets if asked; F1 and BLEU-1 do not see the order of words anyway."""
    if len(gold.items) > 1 and convention.multi_answer_gold == "set":
        return complex_tr.unordered_exact_match(answer, gold.items, gold.separator)
    return exact_match(answer, golds)
