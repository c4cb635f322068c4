"""A table of the paper beside ours as LaTeX, in the paper's layout.

Groups of columns under one heading, the interval as sub- and superscript; below each row of ours
what the paper prints, and the delta with its verdict.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from remem.tables.latex import as_comment, as_row_label, in_latex
from remem.tables.paper.compared import NOT_RUN, ComparedCell, ComparedRow, ComparedTable

MARKS = {"agrees": r"\checkmark", "near": r"\sim", "differs": r"\neq"}
"""Verdicts as signs; the other words are written out."""


def as_latex(table: ComparedTable) -> str:
    """Render as a tabular of booktabs, the notes as comments below."""
    body = [
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        *_headings(table),
        r"\midrule",
        *(line for row in table.rows for line in _paper_row(row)),
    ]
    if table.llm_free:
        body += [
            r"\midrule",
            rf"\multicolumn{{{len(table.columns) + 1}}}{{l}}{{\textit{{LLM-free rows}}}} \\",
            *(_line(row.label, row.cells, _ours) for row in table.llm_free),
        ]
    body += [r"\bottomrule", r"\end{tabular}"]
    notes = map(as_comment, table.all_notes)
    return "\n".join((as_comment(table.title), *body, *notes)) + "\n"


def _headings(table: ComparedTable) -> Iterator[str]:
    groups = [
        (name, len(list(same))) for name, same in groupby(column.group for column in table.columns)
    ]
    if any(name for name, _ in groups):
        spans = (rf"\multicolumn{{{size}}}{{c}}{{{in_latex(name)}}}" for name, size in groups)
        yield " & ".join(("", *spans)) + r" \\"
    yield " & ".join(("Method", *(in_latex(column.metric) for column in table.columns))) + r" \\"


def _paper_row(row: ComparedRow) -> Iterator[str]:
    yield _line(row.label, row.cells, _ours)
    yield _line(r"\quad paper", row.cells, _paper, escaped=True)
    if any(cell is not None and cell.delta is not None for cell in row.cells):
        yield _line(r"\quad delta", row.cells, _delta, escaped=True)


def _line(
    label: str,
    cells: Sequence[ComparedCell | None],
    write: Callable[[ComparedCell], str],
    *,
    escaped: bool = False,
) -> str:
    written = ("--" if cell is None else write(cell) for cell in cells)
    return " & ".join((label if escaped else as_row_label(label), *written)) + r" \\"


def _ours(cell: ComparedCell) -> str:
    ours = cell.ours
    if ours is None:
        return in_latex(cell.instead or NOT_RUN)
    form = f".{cell.decimals}f"
    if not ours.varies or ours.low is None or ours.high is None:
        return f"${ours.mean:{form}}${ours.mark}"
    below, above = ours.mean - ours.low, ours.high - ours.mean
    dagger = r"$^\dagger$" if ours.clusters == 1 else ""
    return f"${ours.mean:{form}}_{{-{below:{form}}}}^{{+{above:{form}}}}${ours.mark}{dagger}"


def _paper(cell: ComparedCell) -> str:
    if not cell.paper:
        return "--"
    value, *ends = map(in_latex, cell.paper.split())
    return f"${value}_{{{ends[0]}}}^{{{ends[1]}}}$" if ends else f"${value}$"


def _delta(cell: ComparedCell) -> str:
    if cell.delta is None:
        return in_latex(cell.verdict)
    mark = MARKS.get(cell.verdict)
    said = f"${mark}$" if mark else f"({in_latex(cell.verdict)})"
    return f"${cell.delta:+.{cell.decimals}f}$ {said}"
