"""The scores that a table can show, and the column of one."""

from dataclasses import dataclass

PERCENT_SCORES = (
    "f1",
    "bleu1",
    "em",
    "tot_em",
    "set_match",
    "set_accuracy",
    "answer_f1",
    "first_item_em",
    "first_item_f1",
    "recall_at_10",
    "hit_at_10",
    "mrr_at_10",
    "ndcg_at_10",
    "session_recall",
    "recall_per_1000_tokens",
    "llm_judge",
)


PLAIN_SCORES = ("context_tokens",)


REFUSAL_SCORES = ("refusal_precision", "refusal_recall", "refusal_f1")


SHOWN_SCORES = (*PERCENT_SCORES, *PLAIN_SCORES, *REFUSAL_SCORES)


@dataclass(frozen=True, slots=True)
class Column:
    """One score, over all questions or over one category."""

    heading: str
    score: str
    category: str | None = None

    def __post_init__(self) -> None:
        if self.score not in SHOWN_SCORES:
            known = ", ".join(SHOWN_SCORES)
            raise ValueError(
                f"column {self.heading!r}: no score {self.score!r}; use one of {known}"
            )
        if self.category is not None and self.score in REFUSAL_SCORES:
            raise ValueError(f"column {self.heading!r}: refusal is scored over all questions")
