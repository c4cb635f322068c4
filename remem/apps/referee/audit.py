"""`remem referee audit`: score published answers again, and check what was published."""

from pathlib import Path
from typing import Annotated

import typer

from remem.apps.referee.answer_files import DataSet, Format, Mapping, Words, read_named
from remem.cli.arguments import Json, say_json
from remem.reports.terminal.console import say


def audit(
    words: Words,
    format: Format = "",
    *,
    dataset: DataSet = "",
    mapping: Mapping = None,
    stated: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SYSTEM=MEAN",
            help="the mean in per cent that a system's authors report, such as zep=75.14; "
            "repeatable",
        ),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="write the result as an HTML page")] = None,
    json: Json = False,
) -> None:
    """Score published answers again, and check what was published.

    Every published mean is computed again from the verdicts and, if it does not follow from them,
    explained or refuted. All answers are also scored by the same rules, and systems are compared
    over the questions that they share. No run is written.

    Example: remem referee audit answers/*.json --html audit.html
    """
    from remem.apps.referee.audits.audit_text import audit_notes, audit_tables
    from remem.apps.referee.audits.audited import audit_systems
    from remem.apps.referee.audits.stated import parse_stated
    from remem.apps.referee.text_tables import show_text_table, write_tables_page
    from remem.reports.terminal.console import table_console

    claims = parse_stated(stated or ())
    matched, overrides = read_named("referee audit", words, format, dataset, mapping)
    audited = audit_systems(matched, claims, overrides)
    tables, notes = audit_tables(audited), audit_notes(audited)
    if html is not None:
        write_tables_page(html, "Published answers, scored again", tables, notes)
    if json:
        say_json("referee audit", audit=audited, page=html)
        return
    for table in tables:
        table_console().print(show_text_table(table))
    for note in notes:
        say(note)
    if html is not None:
        say(f"Written: {html}")
