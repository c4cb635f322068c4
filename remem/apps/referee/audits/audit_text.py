"""The tables and notes of an audit as text: numbers and ids, but no text of a data set."""

from collections import Counter
from collections.abc import Mapping, Sequence

from remem.apps.referee.audits.audited import Audit, AuditedSystem, ComparedSystems
from remem.apps.referee.audits.explained import CheckedMean
from remem.apps.referee.audits.length import LengthEffect
from remem.apps.referee.imports.aggregates import RESAMPLES
from remem.apps.referee.imports.checked_runs import Finding
from remem.apps.referee.text_tables import TextTable
from remem.metrics.intervals import Interval
from remem.results.run_notes import bracketed

MISSING = "-"
MOST_IDS = 20
"""The maximum number of ids that are shown for a finding; --json has all of them."""


def audit_tables(audit: Audit) -> list[TextTable]:
    """Return the tables of an audit, without empty ones."""
    tables = (
        _published(audit.systems),
        _same_scores(audit.systems),
        _means([mean for system in audit.systems for mean in system.means]),
        _compared(audit.compared),
        _pairs(audit.compared),
        _lengths(audit.lengths),
        _left_out(audit.systems),
        _findings(audit.findings),
    )
    return [table for table in tables if table.rows]


def audit_notes(audit: Audit) -> list[str]:
    """Return the notes that explain the tables to a reader."""
    means = [mean for system in audit.systems for mean in system.means]
    outcomes = Counter(mean.outcome for mean in means)
    answers = sum(system.answers for system in audit.systems)
    rows = sum(system.rows for system in audit.systems)
    return [
        f"Systems: {len(audit.systems)}. Rows: {rows:,}. Answers with a gold answer: {answers:,}.",
        f"Published means: {len(means)}. They follow from the verdicts to the last digit: "
        f"{outcomes['follows']}. They follow if counted in another way: "
        f"{outcomes['counted otherwise']}. Open, because they depend on answers or verdicts that "
        f"are not in the files: {outcomes['open']}. They do not follow: "
        f"{outcomes['does not follow']}.",
        f"Intervals are over questions. Pairs of systems are tested by a paired bootstrap over the "
        f"questions that both answered ({RESAMPLES:,} draws), or a t test if its p is larger, "
        f"with Holm's correction within each row of the table of comparisons.",
    ]


def _published(systems: Sequence[AuditedSystem]) -> TextTable:
    return TextTable(
        'What was published, in per cent [95%]; "not answered" counts questions about the same '
        "histories",
        (
            *("system, source", "data", "judge", "answers", "published", "its verdicts"),
            *("our conventions", "not answered"),
        ),
        tuple(
            (
                f"{system.system}, {system.source}",
                system.dataset,
                system.judge or MISSING,
                f"{system.answers:,}" + f" of {system.rows:,}" * (system.rows > system.answers),
                _overall(system.means),
                _judged(system),
                _interval(system.ours, 2),
                _lacking(system.lacking),
            )
            for system in systems
        ),
        names=3,
    )


def _judged(system: AuditedSystem) -> str:
    """Return the mean of the verdicts, with their number if some answers have none."""
    n = 0 if system.published is None else system.published.n
    of_some = f", {n:,} verdicts" if 0 < n < system.answers else ""
    return _interval(system.published, 2) + of_some


def _lacking(lacking: Mapping[str, int]) -> str:
    """Return how many questions have no answer, and their category if there is only one."""
    of_category = f" of category {next(iter(lacking))}" if len(lacking) == 1 else ""
    return f"{sum(lacking.values()):,}{of_category}" if lacking else MISSING


def _overall(means: Sequence[CheckedMean]) -> str:
    """Return the published mean over all categories, or the smallest and the largest one."""
    values = sorted(mean.published for mean in means if mean.category is None)
    shown = dict.fromkeys(f"{round(100 * value, 9):.2f}" for value in values[:1] + values[-1:])
    return " to ".join(shown) or MISSING


def _same_scores(systems: Sequence[AuditedSystem]) -> TextTable:
    return TextTable(
        "The same scores for all answers, in per cent [95%]",
        (
            *("system, source", "data", "published", "judge=rules", "F1"),
            *("words, median", "context tokens, median"),
        ),
        tuple(
            (
                f"{system.system}, {system.source}",
                system.dataset,
                _interval(system.ours),
                _interval(system.rules),
                _interval(system.f1),
                f"{system.words:g}",
                MISSING
                if system.tokens is None
                else f"{'~' * system.is_estimated}{system.tokens:,.0f}",
            )
            for system in sorted(systems, key=_by_rules)
        ),
        names=2,
    )


def _by_rules(system: AuditedSystem) -> tuple[str, float]:
    return system.dataset, -(0.0 if system.rules is None else system.rules.mean)


def _means(means: Sequence[CheckedMean]) -> TextTable:
    """Return the published means that do not follow from the verdicts."""
    return TextTable(
        "Published means that do not follow from their verdicts",
        ("system", "judge", "category", "outcome", "how", "published", "its verdicts", "n"),
        tuple(
            (
                mean.system,
                mean.judge,
                mean.category or "all",
                mean.outcome,
                mean.reason + (f" (see {_ids(mean.ids)})" if mean.ids else ""),
                f"{100 * mean.published:.{max(0, min(mean.digits, 6) - 2)}f}",
                MISSING if mean.recomputed is None else f"{100 * mean.recomputed:.4f}",
                f"{mean.n:,}",
            )
            for mean in means
            if mean.outcome != "follows"
        ),
        names=5,
    )


def _pairs(compared: Sequence[ComparedSystems]) -> TextTable:
    return TextTable(
        "Systems that differ by more than chance, in points [95%]",
        ("data", "judge", "better", "worse", "difference", "p, Holm", "questions"),
        tuple(
            (
                each.dataset,
                _judge(each),
                *((pair.first, pair.second) if gap.mean > 0 else (pair.second, pair.first)),
                _difference(gap),
                f"{pair.p_holm:.4f}",
                f"{gap.n:,}",
            )
            for each in compared
            for pair in each.pairs
            if pair.told_apart
            for gap in (pair.difference,)
        ),
        names=4,
    )


def _difference(gap: Interval) -> str:
    """Return the size of a difference with its interval, the better system first."""
    sign = 1 if gap.mean > 0 else -1
    ends = sorted(sign * end for end in (gap.low, gap.high) if end is not None)
    shown = f" [{', '.join(f'{100 * end:.1f}' for end in ends)}]" if ends else ""
    return f"{100 * abs(gap.mean):.1f}{shown}"


def _compared(compared: Sequence[ComparedSystems]) -> TextTable:
    return TextTable(
        "Comparisons of systems",
        ("data", "judge", "pairs", "differ by more than chance"),
        tuple(
            (
                each.dataset,
                _judge(each),
                str(len(each.pairs)),
                str(sum(pair.told_apart for pair in each.pairs)),
            )
            for each in compared
        ),
        names=2,
    )


def _judge(compared: ComparedSystems) -> str:
    return f"{compared.judge} of {compared.source}" if compared.source else "judge=rules"


def _lengths(lengths: Sequence[LengthEffect]) -> TextTable:
    return TextTable(
        "How often the longer of two answers to a question is the accepted one; 50 means no effect",
        ("source", "data", "judge", "longer accepted", "pairs", "questions"),
        tuple(
            (
                each.source,
                each.dataset,
                each.judge,
                _interval(each.longer_accepted),
                f"{each.pairs:,}",
                f"{each.longer_accepted.n:,}",
            )
            for each in lengths
        ),
        names=3,
    )


def _interval(interval: Interval | None, digits: int = 1) -> str:
    if interval is None:
        return MISSING
    mean = f"{round(100 * interval.mean, 9):.{digits}f}"
    return f"{mean} {bracketed(interval, '.1f', 100)}".strip()


def _left_out(systems: Sequence[AuditedSystem]) -> TextTable:
    return TextTable(
        "Rows that are left out",
        ("system, source", "why", "first place", "rows"),
        tuple(
            (f"{each.system}, {each.source}", remark.what, remark.first, f"{remark.count:,}")
            for each in systems
            for remark in each.left_out
        ),
        names=3,
    )


def _findings(findings: Sequence[Finding]) -> TextTable:
    return TextTable(
        "What the checks found",
        ("check", "what", "questions"),
        tuple((each.check, each.text, _ids(each.ids)) for each in findings),
        names=3,
    )


def _ids(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return ", ".join(ids[:MOST_IDS]) + more
