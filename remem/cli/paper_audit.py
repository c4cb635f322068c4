"""`remem paper-audit`: the numbers that the paper prints, checked against each other."""

from typing import Annotated

import typer

from remem.cli.override_completion import Overrides


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
    from remem.errors import UsageError
    from remem.paper.audit import audit_paper, read_paper
    from remem.paper.audit_report import show as show_paper_audit
    from remem.paper.tables import paper_folder
    from remem.reports.terminal.table_console import table_console
    from remem.tables.paper.comparable import comparable as find_comparable
    from remem.tables.paper.comparable import show_comparable

    paper = read_paper(paper_folder())
    if comparable:
        found = find_comparable(list(paper.tables.values()), overrides or [])
        table_console().print(show_comparable(found))
        return
    if overrides:
        raise UsageError(f"{overrides[0]} needs --comparable: without it, it changes nothing")
    show_paper_audit(audit_paper(paper), paper.claims, table_console())
