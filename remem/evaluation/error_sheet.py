"""Write and read the sheet on which a person labels the kinds of errors of wrong answers.

The paper's section Error Analysis labels 100 wrong answers each of LoCoMo and Complex-TR. The kinds
are the paper's, plus "other" for the rest.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.table import Table as RichTable

from remem.evaluation.cut_texts import cut
from remem.evaluation.flips import RIGHT, evidence_found
from remem.evaluation.sample_sheet import read_lines, write_lines
from remem.evaluation.scored_run import ScoredRun
from remem.metrics.proportion import Share, share
from remem.metrics.refusal import RefusalGold, gold_answers
from remem.paper.claims import Claims
from remem.types import Record, StepRecord

COLUMNS = (
    *("query_id", "category", "question", "gold", "answer"),
    *("evidence_found", "evidence_missed", "steps", "label"),
)
LOOKED_AT = 100
"""The number of errors that the paper labelled per dataset: its percentages are counts."""
OTHER = "other"
CHAT: Mapping[str, str] = {
    "selection_or_grounding": "locomo_grounding",
    "time_or_number": "locomo_time",
    "abstention_despite_evidence": "locomo_abstentions",
    OTHER: "",
}
"""The kinds of errors on LoCoMo, each with the id of the paper's claim about its share."""
STATEMENTS: Mapping[str, str] = {
    "time_window": "complex_tr_window",
    "incomplete_or_inconsistent_list": "complex_tr_lists",
    "direction": "complex_tr_direction",
    "abstention_despite_facts": "complex_tr_abstentions",
    OTHER: "",
}
"""The kinds of errors on Complex-TR, each with the id of the paper's claim about its share."""


@dataclass(frozen=True, slots=True)
class ErrorShare:
    """A kind of error with its share of the labelled answers, and the paper's share if any."""

    label: str
    share: Share
    paper: Share | None


def taxonomy(style: str) -> Mapping[str, str]:
    """Return the kinds of errors for a style of datasets: "chat", or else statements."""
    return CHAT if style == "chat" else STATEMENTS


def answered_wrongly(run: ScoredRun) -> list[Record]:
    """Return the records whose answers are wrong by the judge, or else by the first score."""
    scores = {query: scored.value(run.main_score) for query, scored in run.scores.items()}
    known = {query: score for query, score in scores.items() if score is not None}
    return [record for record in run.records if known.get(record.query_id, RIGHT) < RIGHT]


def write_error_sheet(path: Path, records: Sequence[Record], refusal_gold: RefusalGold) -> None:
    """Write a CSV sheet of answers with an empty column `label`.

    Raises:
        FileExistsError: The file exists, and may contain labels.
    """
    write_lines(path, COLUMNS, (_line(record, refusal_gold) for record in records))


def read_error_labels(
    path: Path, records: Sequence[Record], allowed: Collection[str]
) -> dict[str, str]:
    """Return the labelled kinds of errors by query id; lines without a label are left out.

    Raises:
        ValueError: There are no labels, or a label is not allowed or not for an answer of this run.
    """
    labels: dict[str, str] = {}
    for where, query, label in read_lines(path, records):
        if label not in allowed:
            raise ValueError(
                f"{where}: the label of {query} is {label!r}, expected {', '.join(allowed)}"
            )
        labels[query] = label
    if not labels:
        raise ValueError(f"{path} has no labels: fill its column label with {', '.join(allowed)}")
    return labels


def shares_by_kind(
    labels: Mapping[str, str], allowed: Mapping[str, str], claims: Claims
) -> tuple[ErrorShare, ...]:
    """Return the share of every kind of error, with the paper's share.

    Args:
        labels: The labels of a person, by query id.
        allowed: The kinds of errors, each with the id of the paper's claim.
        claims: The numbers in the paper's prose.
    """
    counts = Counter(labels.values())
    return tuple(
        ErrorShare(label, share(counts[label], len(labels)), _of_paper(claims, claim))
        for label, claim in allowed.items()
    )


def show_shares(found: Sequence[ErrorShare]) -> RichTable:
    """Return a table of the counts, our shares and the paper's shares, with intervals."""
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for heading in ("kind of error", "n", "share", "paper"):
        table.add_column(heading, justify="left" if heading == "kind of error" else "right")
    for error_share in found:
        paper = "-" if error_share.paper is None else _percent(error_share.paper)
        table.add_row(
            error_share.label,
            f"{error_share.share.count}/{error_share.share.n}",
            _percent(error_share.share),
            paper,
        )
    return table


def _percent(share: Share) -> str:
    return f"{100 * share.mean:.1f}% [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def _of_paper(claims: Claims, claim: str) -> Share | None:
    return share(int(claims.by_id(claim).number().value), LOOKED_AT) if claim else None


def _line(record: Record, refusal_gold: RefusalGold) -> tuple[str, ...]:
    given, gold = evidence_found(record), record.gold.evidence
    return (
        *(record.query_id, record.gold.category, record.question),
        *(" / ".join(gold_answers(record.gold, refusal_gold)), record.answer),
        " ".join(message for message in gold if message in given),
        " ".join(message for message in gold if message not in given),
        "\n".join(map(_told, record.steps)),
        "",
    )


def _told(step: StepRecord) -> str:
    arguments = ", ".join(f"{name}={value}" for name, value in step.arguments.items())
    return f"{step.tool}({arguments}): {cut(step.message)}"
