"""`remem paper-audit`: the numbers that the paper prints, checked against each other."""

from typing import Annotated

import typer


def paper_audit(
    comparable: Annotated[
        bool,
        typer.Option(
            help="count the numbers that we can compare with, and say why the others cannot be"
        ),
    ] = False,
    override: Annotated[
        list[str] | None, typer.Option(help="with --comparable: a Hydra override; repeatable")
    ] = None,
) -> None:
    """Check the numbers that the paper prints against each other.

    A finding is not a failure: the exit code is 0.

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
        raise UsageError("--override needs --comparable: without it, it changes nothing")
    show_paper_audit(audit_paper(paper), paper.claims, table_console())
