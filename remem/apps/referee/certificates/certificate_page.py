"""The page of a certificate, made only from its JSON: the same JSON gives the same page."""

from dataclasses import dataclass

from remem.apps.referee.certificates.certificate import (
    Certificate,
    CertifiedRun,
    CertifiedScore,
    certificate_bytes,
    sum_of,
)
from remem.apps.referee.certificates.certificate_text import (
    checked_facts,
    outcome_text,
    unchecked_facts,
)
from remem.metrics.intervals import DEFINITION
from remem.reports.html.page import render
from remem.results.costs import format_number
from remem.results.run_notes import bracketed, cautions


@dataclass(frozen=True, slots=True)
class CertifiedScoreRow:
    """A score of a run: its heading, its judge, and its text under each convention."""

    heading: str
    judge: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunPart:
    """The part of the page that describes one run."""

    run: CertifiedRun
    outcome: str
    facts: tuple[tuple[str, str], ...]
    conventions: tuple[str, ...]
    rows: tuple[CertifiedScoreRow, ...]
    cautions: tuple[str, ...]


def certificate_page(certificate: Certificate, caution: str = "") -> bytes:
    """Return the page of a certificate, which states the sha256 of its JSON.

    Args:
        certificate: The certificate.
        caution: A warning to show above the facts if some of them rest only on the certificate
            itself; "" for none.
    """
    return render(
        "certificate.html.j2",
        [],
        None,
        styles=["certificate.css"],
        certificate=certificate,
        checked=list(checked_facts(certificate)),
        unchecked=list(unchecked_facts(certificate)),
        caution=caution,
        sha256=sum_of(certificate_bytes(certificate)),
        parts=[_part(run) for run in certificate.runs],
        percentiles=DEFINITION,
        format_number=format_number,
    )


def score_text(score: CertifiedScore) -> str:
    """Return the mean of a score and its interval as text; shares are shown in per cent.

    >>> score = CertifiedScore("f1", "F1", "", "higher", True, 0.5, 0.25, 0.75, 8, None, ())
    >>> score_text(score)
    '50.0 [25.0, 75.0]'
    """
    scale, form = (100, ".1f") if score.share else (1, ".3g")
    return f"{scale * score.mean:{form}} {bracketed(score, form, scale)}"


def _part(run: CertifiedRun) -> RunPart:
    conventions = tuple(way.convention for way in run.scorings)
    keys = dict.fromkeys((score.judge, score.name) for way in run.scorings for score in way.scores)
    scores_by_way = [
        {(score.judge, score.name): score for score in way.scores} for way in run.scorings
    ]
    rows = []
    for judge, name in keys:
        scores = [scored.get((judge, name)) for scored in scores_by_way]
        heading = next(score.heading for score in scores if score is not None)
        cells = tuple("-" if score is None else score_text(score) for score in scores)
        rows.append(CertifiedScoreRow(heading, judge, cells))
    every = [score for way in run.scorings for score in way.scores]
    facts, warnings = tuple(_facts(run)), tuple(cautions(every))
    return RunPart(run, outcome_text(run), facts, conventions, tuple(rows), warnings)


def _facts(run: CertifiedRun) -> list[tuple[str, str]]:
    facts = {
        "dataset": run.dataset,
        "method": run.method,
        "reader": run.reader,
        "planner": run.planner,
        "ablation": "" if run.ablation == "none" else run.ablation,
        "model": run.model or run.llm,
        "embedder": run.embedder,
        "started": run.started,
        "finished": run.finished,
        "answered": f"{run.answered:,} of {run.asked:,} questions asked",
        "commits": ", ".join(run.ran_on.commits),
        "checksum of the code": ", ".join(run.ran_on.code),
        "Python": f"{run.ran_on.python} on {run.ran_on.platform}",
        "fingerprint": run.fingerprint,
        "checksum of the settings": run.settings_sum,
        "index": f"{run.index_seconds:,.1f} s for all histories",
        "saved indexes": "" if run.index_bytes is None else f"{run.index_bytes:,} bytes",
        "peak memory": f"{run.peak_mib:,} MiB" if run.peak_mib else "",
        "sha256 of the records": run.records_sha256,
    }
    return [(name, value) for name, value in facts.items() if value]
