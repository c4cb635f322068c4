"""Show the paper's worked examples next to our answers, with the renderers of the other tables.

Their cells are texts, not numbers, so they have no LaTeX and a CSV line for each answer. The files
contain questions and answers of the data sets: they belong to the reader, as the data do.
"""

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter
from rich.console import Group, RenderableType
from rich.text import Text

from remem.files.csv_text import csv_text
from remem.files.plain_text import printable
from remem.tables.render import empty_table, fenced, listed, markdown_table, write_texts
from remem.tables.table import NOT_RUN

LLM_FREE = "LLM-free"
HEADINGS = ("system", "the paper's answer", "judged", "our answer", "EM", "F1", "LLM-J")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAnswer:
    """What one system answered; an LLM-free one is no system of the paper.

    `ours` is None where there is no answer, and `reason` then says why. Scores are shares.
    """

    system: str
    llm: str
    paper: str = ""
    judged: str = ""
    ours: str | None = None
    em: float | None = None
    f1: float | None = None
    llm_judge: float | None = None
    reason: str = ""
    differences: tuple[str, ...] = ()
    run: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """One example; without its data the question and the gold are empty, and the id may be too."""

    key: str
    place: str
    about: str
    dataset: str
    id: str
    question: str
    gold: str
    notes: tuple[str, ...]
    answers: tuple[CaseAnswer, ...]


@dataclass(frozen=True, slots=True)
class CaseTable:
    """All examples, and what holds for all of them."""

    name: str
    title: str
    cases: tuple[ShownCase, ...]
    notes: tuple[str, ...]

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Return the notes, and once for each system what makes it another than the paper's."""
        said = dict.fromkeys(
            f"{answer.system} on {case.dataset} is not comparable with the paper's: "
            f"{'; '.join(answer.differences)}."
            for case in self.cases
            for answer in case.answers
            if answer.differences
        )
        return (*self.notes, *said)


def for_terminal(table: CaseTable) -> RenderableType:
    """Render a small table for each example."""
    parts: list[RenderableType] = [Text(table.title, style="bold")]
    for case in table.cases:
        shown = empty_table()
        for heading in HEADINGS:
            shown.add_column(heading, overflow="fold")
        for answer in case.answers:
            shown.add_row(*(Text(printable(text)) for text in _written(answer)))
        parts += [
            Text(""),
            Text(_heading(case), style="bold"),
            *(Text(printable(fact)) for fact in _facts(case)),
            shown,
        ]
    return Group(*parts, Text(""), *map(Text, table.all_notes))


def write_files(table: CaseTable, folder: Path) -> tuple[Path, ...]:
    """Write `<name>.md`, `.csv` and `.json` and return their paths."""
    contents = {"md": as_markdown(table), "csv": as_csv(table), "json": as_json(table)}
    return write_texts(table.name, contents, folder)


def as_markdown(table: CaseTable) -> str:
    """Render as Markdown: a heading, what is known and a table for each example; the commands."""
    parts = [f"# {table.title}\n"]
    for case in table.cases:
        rows = [[in_markdown(text) for text in _written(answer)] for answer in case.answers]
        facts = listed([in_markdown(fact) for fact in _facts(case)])
        shown = (f"## {_heading(case)}", *facts, markdown_table(HEADINGS, rows))
        parts.append("\n\n".join(shown) + "\n")
    parts += (f"{notes}\n" for notes in listed([in_markdown(note) for note in table.all_notes]))
    commands = dict.fromkeys(answer.command for case in table.cases for answer in case.answers)
    return "\n".join((*parts, fenced(filter(None, commands))))


def as_csv(table: CaseTable) -> str:
    """Render every answer as a line."""
    return csv_text(_lines(table))


def as_json(table: CaseTable) -> str:
    """Render all that is known."""
    return TypeAdapter(CaseTable).dump_json(table, indent=2).decode() + "\n"


def _heading(case: ShownCase) -> str:
    return f"{case.key}: {case.about} ({case.place})"


def _facts(case: ShownCase) -> Iterator[str]:
    yield f"{case.dataset}, question {case.id or 'of an id not known yet'}"
    if case.question:
        yield f"question: {case.question}"
        yield f"gold: {case.gold}"
    yield from case.notes


def _written(answer: CaseAnswer) -> tuple[str, ...]:
    """Write an answer as the cells of HEADINGS."""
    of_paper = answer.paper, {"T": "right", "F": "wrong"}.get(answer.judged, "")
    if answer.ours is None:
        return (_system(answer), *of_paper, f"({answer.reason})", "", "", "")
    return (
        _system(answer),
        *of_paper,
        answer.ours or "(empty)",
        _verdict(answer.em),
        "-" if answer.f1 is None else f"{answer.f1:.2f}",
        _verdict(answer.llm_judge),
    )


def _system(answer: CaseAnswer) -> str:
    if answer.llm == "none":
        return f"{answer.system} ({LLM_FREE})"
    return answer.system if answer.ours is None else f"{answer.system} ({answer.llm})"


def _verdict(share: float | None) -> str:
    """Say right or wrong; a judge asked repeatedly may be of two minds."""
    if share is None:
        return "-"
    return {0.0: "wrong", 1.0: "right"}.get(share, f"right in {share:.0%}")


def in_markdown(text: str) -> str:
    r"""Write a text as one cell: no line ends, no bars, no HTML.

    >>> in_markdown("a |\n<b>")
    'a \\| &lt;b&gt;'
    """
    return html.escape(" ".join(text.split()), quote=False).replace("|", r"\|")


def _lines(table: CaseTable) -> Iterator[dict[str, object]]:
    for case in table.cases:
        for answer in case.answers:
            yield {
                "case": case.key,
                "dataset": case.dataset,
                "id": case.id,
                "question": case.question,
                "gold": case.gold,
                "block": LLM_FREE if answer.llm == "none" else "paper",
                "system": answer.system,
                "llm": answer.llm,
                "paper": answer.paper,
                "judged": answer.judged,
                "ours": NOT_RUN if answer.ours is None else answer.ours,
                "em": "" if answer.em is None else f"{answer.em:.4f}",
                "f1": "" if answer.f1 is None else f"{answer.f1:.4f}",
                "llm_judge": "" if answer.llm_judge is None else f"{answer.llm_judge:.4f}",
                "reason": answer.reason,
                "differences": "; ".join(answer.differences),
                "run": answer.run,
                "command": answer.command,
            }
