"""`remem fetch`, `fetch-prompts`, `audit` and `paper-audit`: files of others, checked."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import dataset_names, one_of, prompt_sources
from remem.reports.terminal.console import safe_console


def fetch(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="datasets; all if none is named",
            callback=one_of("dataset", dataset_names),
            autocompletion=dataset_names,
        ),
    ] = None,
) -> None:
    """Download the data files that are lacking into REMEM_DATA and verify their sums.

    Example: REMEM_DATA=/data/memory remem fetch locomo realtalk
    """
    from remem.benchmarks.files.fetch import choose_sets, fetch_sets
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes

    chosen = choose_sets(read_notes(datasets_folder()), name or [])
    fetch_sets(chosen, data_folder(), safe_console(soft_wrap=True))


def fetch_prompts(
    name: Annotated[
        str,
        typer.Argument(
            help="released or mem0-judge",
            callback=one_of("set of prompts", prompt_sources),
            autocompletion=prompt_sources,
        ),
    ],
    override: Annotated[
        list[str] | None, typer.Option(help="a Hydra override, such as paths.prompts=<folder>")
    ] = None,
) -> None:
    """Download prompts of others, which are not shipped, and verify their sums.

    Example: remem fetch-prompts released
    """
    from remem.benchmarks.files.fetch_prompts import fetch_prompts as fetch_templates

    fetch_templates(name, override or [], safe_console(soft_wrap=True))


def audit(
    json: Annotated[Path | None, typer.Option(help="write the rows to this file too")] = None,
) -> None:
    """Check the data files: their sums, and what the loaders find in them.

    Example: REMEM_DATA=/data/memory remem audit --json audit.json
    """
    from remem.benchmarks.files.audit import VerificationFailedError, audit_all
    from remem.benchmarks.files.audit_report import show, write_json
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes
    from remem.reports.terminal.table_console import table_console

    rows = list(audit_all(read_notes(datasets_folder()), data_folder()))
    show(rows, table_console())
    if json is not None:
        write_json(rows, json)
    failed = sum(row.failed for row in rows)
    if failed:
        raise VerificationFailedError(f"{failed} of {len(rows)} rows of the audit failed")


def paper_audit(
    comparable: Annotated[
        bool,
        typer.Option(
            help="count the numbers that can have a verdict, list the others with why not"
        ),
    ] = False,
    override: Annotated[
        list[str] | None, typer.Option(help="with --comparable: a Hydra override, repeatable")
    ] = None,
) -> None:
    """Check the numbers that the paper prints against each other; a finding is no failure.

    Example: remem paper-audit --comparable --override prompts=released --override judge=mem0
    """
    from remem.config.instantiation import UsageError
    from remem.paper.audit import audit_paper, read_paper
    from remem.paper.audit_report import show as show_paper_audit
    from remem.paper.tables import paper_folder
    from remem.reports.terminal.table_console import table_console
    from remem.tables.paper.comparable import comparable as find_comparable
    from remem.tables.paper.comparable import show_comparable

    paper = read_paper(paper_folder())
    if comparable:
        found = find_comparable(list(paper.tables.values()), override or [])
        table_console().print(show_comparable(found))
        return
    if override:
        raise UsageError("--override changes nothing without --comparable")
    show_paper_audit(audit_paper(paper), paper.claims, table_console())
