"""Run all consistency checks of the paper's numbers, without data or models."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.paper.averages import column_averages, group_counts, row_averages
from remem.paper.check import Check, all_cells
from remem.paper.claims import Claims, claims_follow, read_claims
from remem.paper.headline import headline_gains
from remem.paper.human import judge_against_person
from remem.paper.layout import PaperTable
from remem.paper.refusals import refusal_counts, refused_adversarial
from remem.paper.repeats import dataset_counts, repeated_counts, repeated_numbers
from remem.paper.shares import interval_widths, whole_questions
from remem.paper.sums import decimals_of_means, degrees, token_sums, triples_of_statements
from remem.paper.tables import read_tables, read_yaml

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeWith:
    """The score convention that best explains a kind of number, and the evidence for it."""

    score: Mapping[str, Any]
    evidence: str


@dataclass(frozen=True, slots=True)
class Paper:
    """The paper's numbers: its tables, the claims of its prose, and how numbers were made."""

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
