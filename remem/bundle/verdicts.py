"""Read and restore the verdicts of judges on a run, without the texts that they judged."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from pydantic import TypeAdapter

from remem.bundle.layout import Verdict
from remem.metrics.refusal import RefusalGold
from remem.results.verdicts import JudgedCase, Judgment, cases_of, open_judgments, verdicts_by_case
from remem.types import Record, Usage


def read_verdicts(
    path: Path, records: Sequence[Record], refusal_gold: RefusalGold
) -> tuple[Verdict, ...]:
    """Return a judge's successful verdicts on the answers in the records, from the judge's file.

    Verdicts on other answers are left out.
    """
    repeats = 1 + max((case.repeat for case in verdicts_by_case(path)), default=0)
    every = _judgments(path)
    said = {judgment.case: judgment for judgment in every if judgment.status == "ok"}
    took: defaultdict[JudgedCase, Usage] = defaultdict(Usage)
    for judgment in every:
        took[judgment.case] += judgment.usage  # failed attempts were paid for too
    return tuple(
        Verdict(
            query_id=case.query_id,
            repeat=case.repeat,
            case=_case_sum(case),
            correct=said[case].correct,
            usage=took[case],
            judge_prompt=said[case].judge_prompt,
        )
        for case in cases_of(records, refusal_gold, repeats)
        if case in said
    )


def verdict_shares(verdicts: Iterable[Verdict]) -> Mapping[str, float]:
    """Return the share of "correct" among the verdicts on each question, by question id."""
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for verdict in verdicts:
        shares[verdict.query_id].append(verdict.correct)
    return {query_id: fmean(found) for query_id, found in shares.items()}


def restore_verdicts(
    path: Path, verdicts: Sequence[Verdict], records: Sequence[Record], refusal_gold: RefusalGold
) -> str:
    """Write the file of a judge for replayed records.

    Returns:
        The first verdict that belongs to no answer, in which case nothing is written; "" if each
        verdict belongs to an answer.
    """
    repeats = 1 + max((verdict.repeat for verdict in verdicts), default=0)
    shown = {_case_sum(case): case for case in cases_of(records, refusal_gold, repeats)}
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


def _judgments(path: Path) -> list[Judgment]:
    """Return the judgments in a judge's file, which `judged` has validated."""
    adapter = TypeAdapter(Judgment)
    with path.open("rb") as file:
        return [adapter.validate_json(line) for line in file if line.endswith(b"\n")]


def _case_sum(case: JudgedCase) -> str:
    return hashlib.sha256(TypeAdapter(JudgedCase).dump_json(case)).hexdigest()
