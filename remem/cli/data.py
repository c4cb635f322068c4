"""Data files, other people's prompts and the paper's numbers: fetch them, and audit them."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.arguments import Overrides
from remem.cli.names import dataset_names, one_of, prompt_sources
from remem.errors import UsageError, VerificationFailedError
from remem.reports.terminal.console import safe_console


def fetch(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="datasets; all by default",
            callback=one_of("dataset", dataset_names),
            autocompletion=dataset_names,
        ),
    ] = None,
) -> None:
    """Download missing data files into REMEM_DATA and verify their checksums.

    Example: REMEM_DATA=/data/memory remem fetch locomo realtalk
    """
    from remem.benchmarks.files.fetch import choose_sets, fetch_sets
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes

    sets = choose_sets(read_notes(datasets_folder()), name or [])
    fetch_sets(sets, data_folder(), safe_console(soft_wrap=True))


def fetch_prompts(
    name: Annotated[
        str,
        typer.Argument(
            help="released, personamem, or the name of a judge, such as mem0-judge",
            callback=one_of("set of prompts", prompt_sources),
            autocompletion=prompt_sources,
        ),
    ],
    overrides: Overrides = None,
) -> None:
    """Download prompts that are not shipped, and verify their checksums.

    Example: remem fetch-prompts released
    """
    from remem.benchmarks.files.fetched_prompts import fetch_prompts as fetch_templates

    fetch_templates(name, overrides or [], safe_console(soft_wrap=True))


def audit(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="datasets, as personamem or dataset=personamem; all by default",
            autocompletion=dataset_names,
        ),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="also write the rows to this JSON file")] = None,
) -> None:
    """Check the data files: their checksums, what loaders find, and known flaws.

    Example: REMEM_DATA=/data/memory remem audit locomo realtalk --json audit.json
    """
    from remem.benchmarks.files.audit import audit_all, show, write_json
    from remem.benchmarks.files.fetch import choose_sets
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes
    from remem.reports.terminal.console import table_console

    names = [word.removeprefix("dataset=") for word in name or []]
    sets = choose_sets(read_notes(datasets_folder()), names)
    rows = list(audit_all(sets, data_folder()))
    show(rows, table_console())
    if json is not None:
        write_json(rows, json)
    failed = sum(row.failed for row in rows)
    if failed:
        raise VerificationFailedError(f"{failed} of {len(rows)} rows of the audit failed")


def paper_audit(
    overrides: Overrides = None,
    comparable: Annotated[
        bool,
        typer.Option(
            help="count the numbers that we can compare with, and say why the others cannot be"
        ),
    ] = False,
) -> None:
    """Check the numbers that the paper prints against each other.

    A finding is not a failure: the exit code is 0.

    Example: remem paper-audit --comparable prompts=released judge=mem0
    """
    from remem.paper.audit import audit_paper, read_paper
    from remem.paper.audit import show as show_paper_audit
    from remem.paper.layout import paper_folder
    from remem.reports.terminal.console import table_console
    from remem.tables.paper.comparable import comparable as find_comparable
    from remem.tables.paper.comparable import show_comparable

    paper = read_paper(paper_folder())
    if comparable:
        numbers = find_comparable(list(paper.tables.values()), overrides or [])
        table_console().print(show_comparable(numbers))
        return
    if overrides:
        raise UsageError(f"{overrides[0]} needs --comparable: without it, it changes nothing")
    show_paper_audit(audit_paper(paper), paper.claims, table_console())
