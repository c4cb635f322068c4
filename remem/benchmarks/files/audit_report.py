"""The audit as a terminal table and as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from remem.benchmarks.files.audit import RULES, AuditRow
from remem.files.whole_file import write_whole

SUM_STYLES = {"pinned": "green", "differs": "bold red", "incomplete": "bold red", "absent": "dim"}


def show(rows: Sequence[AuditRow], console: Console) -> None:
    """Print the table, then a line for each problem, remark and kind of flaw."""
    console.print(as_table(rows))
    for row in rows:
        for said in (*row.problems, *row.remarks, *_flaws(row)):
            line = f"{row.dataset}/{row.file}: {said}"
            console.print(line, soft_wrap=True, markup=False, highlight=False)


def as_table(rows: Sequence[AuditRow]) -> Table:
    """Return the rows of an audit as a table."""
    table = Table()
    table.add_column("file", overflow="fold")
    table.add_column("sum", no_wrap=True)
    for heading in ("histories", "messages\n/ chunks", "questions"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("questions per category", overflow="fold")
    table.add_column("unresolved\n(" + " /\n".join(RULES) + ")", justify="right", no_wrap=True)
    table.add_column("repeated\nmessages /\nquestions", justify="right", no_wrap=True)
    table.add_column("no\ngold", justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*_cells(row), style="red" if row.failed else None)
    return table


def write_json(rows: Sequence[AuditRow], path: Path) -> None:
    """Write the rows as JSON; equal data gives equal bytes."""
    content = [asdict(row) | {"failed": row.failed} for row in rows]
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, f"{text}\n".encode())


def _cells(row: AuditRow) -> list[str]:
    style = SUM_STYLES.get(row.verdict, "yellow")
    cells = [f"{row.dataset}/\n{row.file}", f"[{style}]{row.verdict}[/]"]
    found = row.measured
    if found is None:
        return [*cells, *["-"] * 7]
    return [
        *cells,
        str(found.histories),
        str(found.messages),
        str(found.questions),
        _per_category(found.categories),
        " / ".join(str(found.unresolved_evidence[rule]) for rule in RULES),
        f"{found.repeated_messages} / {found.repeated_questions}",
        str(found.missing_golds),
    ]


def _flaws(row: AuditRow) -> list[str]:
    found = row.measured.flaws if row.measured else {}
    return [f"{flaw}: {count}" for flaw, count in found.items()]


def _per_category(categories: Mapping[str, int]) -> str:
    return ", ".join(f"{category}: {count}" for category, count in categories.items())
