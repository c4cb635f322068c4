"""Check the numbers that the paper prints against each other: `python scripts/paper_audit.py`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paper_checks.check import Check, all_cells
from paper_checks.claims import (
    claims_follow,
    dataset_counts,
    refusal_counts,
    refused_adversarial,
    repeated_counts,
    repeated_numbers,
)
from paper_checks.headline import headline_gains, judge_against_person
from paper_checks.sums import (
    column_averages,
    decimals_of_means,
    degrees,
    group_counts,
    interval_widths,
    row_averages,
    token_sums,
    triples_of_statements,
    whole_questions,
)
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from remem.paper.claims import Claims, read_claims
from remem.paper.layout import MadeWith, PaperTable, paper_folder, read_tables, read_yaml
from remem.reports.terminal.console import table_console

OF_TABLES = (
    column_averages,
    row_averages,
    group_counts,
    dataset_counts,
    repeated_numbers,
    repeated_counts,
    whole_questions,
    interval_widths,
    refusal_counts,
    refused_adversarial,
    token_sums,
    triples_of_statements,
    degrees,
    decimals_of_means,
)
OF_PROSE = (claims_follow, headline_gains, judge_against_person)


@dataclass(frozen=True, slots=True)
class Paper:
    """The paper's numbers: its tables, the claims in its prose, and how each number was made."""

    tables: Mapping[str, PaperTable]
    claims: Claims
    made_with: Mapping[str, MadeWith]


def read_paper(folder: Path) -> Paper:
    """Read all of results/paper.

    Raises:
        ValueError: A file is malformed, or made_with.yaml lacks the convention of a number.
    """
    tables = read_tables(folder)
    made_with = read_yaml(folder / "made_with.yaml", dict[str, MadeWith])
    for cell in all_cells(tables):
        if cell.made_with not in made_with:
            raise ValueError(
                f"{cell.table}.yaml, {cell.column}: made with {cell.made_with!r}, "
                f"expected one of made_with.yaml: {', '.join(made_with)}"
            )
    return Paper(tables, read_claims(folder), made_with)


def audit_paper(paper: Paper) -> tuple[Check, ...]:
    """Return the results of all consistency checks of the paper."""
    of_tables = [check for find in OF_TABLES for check in find(paper.tables)]
    of_prose = [check for find in OF_PROSE for check in find(paper.tables, paper.claims)]
    return (*of_tables, *of_prose)


HEADLINE = "headline gain"


def show(checks: Sequence[Check], claims: Claims, console: Console) -> None:
    """Print the findings, the headline gains, the claims next to measured values, and a summary."""
    findings = [check for check in checks if not check.holds]
    console.print(_findings([check for check in findings if check.kind != HEADLINE]))
    console.print(_headlines([check for check in checks if check.kind == HEADLINE]))
    console.print(_measured(claims))
    console.print(_kinds(checks))
    console.print(f"{len(checks)} checks, {len(findings)} findings", highlight=False)


def _findings(checks: Sequence[Check]) -> Table:
    table = _table(
        "What does not add up", "check", "where", "printed", "what follows", "+-", "note"
    )
    for check in checks:
        cells = (check.place, check.printed, check.follows, check.tolerance, check.note)
        table.add_row(check.kind, *map(Text, cells))
    return table


def _headlines(checks: Sequence[Check]) -> Table:
    table = _table("The headline gains", "gain", "printed", "can it be had", "from the tables")
    for check in checks:
        answer = "yes" if check.holds else "no"
        sentence = Text(f"{check.follows}\n({check.note})")
        table.add_row(Text(check.place), check.printed, answer, sentence)
    return table


def _measured(claims: Claims) -> Table:
    table = _table("Said in the prose, and measured", "claim", "printed", "measured", "of what")
    for claim in claims.results:
        if claim.measured is not None:
            value = claim.measured.value or "not yet"
            sentence = Text(f"{claim.place}: {claim.about}")
            table.add_row(sentence, claim.printed or "(in words)", value, Text(claim.measured.of))
    return table


def _kinds(checks: Sequence[Check]) -> Table:
    table = _table("All checks", "check", "made", "findings")
    made = Counter(check.kind for check in checks)
    findings = Counter(check.kind for check in checks if not check.holds)
    for kind, count in made.items():
        table.add_row(kind, str(count), str(findings[kind]))
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


if __name__ == "__main__":
    numbers = read_paper(paper_folder())
    show(audit_paper(numbers), numbers.claims, table_console())
