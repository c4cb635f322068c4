"""Every number of the paper's LaTeX source is in results/paper as printed, and no other.

REMEM_PAPER is the path of remem.tex. The LaTeX is read here, without any code of remem.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from remem.paper.claims import read_claims
from remem.paper.layout import PaperTable, paper_folder, read_tables

PAPER = os.environ.get("REMEM_PAPER")
needs_paper = pytest.mark.skipif(PAPER is None, reason="REMEM_PAPER is not the path of remem.tex")

TABLES = read_tables(paper_folder())
CLAIMS = read_claims(paper_folder())

NUMBER = re.compile(r"\$?\d[\d,]*(?:\.\d+)?M?(?: -\d+(?:\.\d+)? \+\d+(?:\.\d+)?)?|[TF]")
ABSENT = {"-", "--", "N/A"}
UNWRAPPED = {"textbf": 1, "mathbf": 1, "underline": 1, "textit": 1, "multicolumn": 3, "makecell": 1}
METRICS = {"f1": "F1", "bleu_1": "BLEU-1", "llm_j": "LLM-J", "em": "EM"}
PROSE_NUMBER = re.compile(
    r"\$(?:\\approx)?([+-]?\d[\d,.]*)(?:\\(%))?\$(k\b)?|(?<![\w$.])(\d[\d.,]*)\\(%)"
)


@dataclass(frozen=True)
class LatexTable:
    """A tabular: the cells above its first row of numbers, and the rows of numbers."""

    label: str
    number: int
    header: list[str]
    rows: list[tuple[str, list[str]]]


def arguments(text: str, at: int, count: int) -> tuple[list[str], int]:
    """Read `count` arguments `{...}` from a position on; return them and where the last ends."""
    found: list[str] = []
    while len(found) < count:
        begin = text.index("{", at)
        depth, at = 0, begin
        while True:
            depth += {"{": 1, "}": -1}.get(text[at], 0) if text[at - 1] != "\\" else 0
            at += 1
            if depth == 0:
                break
        found.append(text[begin + 1 : at - 1])
    return found, at


def unwrapped(text: str) -> str:
    """Replace the LaTeX commands in a cell by the text that they print."""
    while match := re.search(r"\\(ci|textbf|mathbf|underline|textit|multicolumn|makecell)\b", text):
        count = 3 if match[1] == "ci" else UNWRAPPED[match[1]]
        found, end = arguments(text, match.end(), count)
        shown = " ".join(found) if match[1] == "ci" else found[-1]
        text = text[: match.start()] + shown + text[end:]
    return text


def plain(cell: str) -> str:
    """Return the text that a cell prints; of an answer with a verdict, only the verdict."""
    text = unwrapped(cell).replace(r"\ours", "REMem").replace("{,}", ",")
    text = re.sub(r"(?<!\\)\$", "", text).replace(r"\ ", "")
    text = re.sub(r"\\([#%_$])", r"\1", text).replace("{", "").replace("}", "")
    text = " ".join(text.split())
    verdict = re.search(r"\(([TF])\)$", text)
    return verdict[1] if verdict else text


def split_outside_braces(text: str, separator: str) -> list[str]:
    """Split a text at each separator that is not inside braces."""
    parts, depth = [""], 0
    for token in re.findall(r"\\\\|\\.|.", text, flags=re.DOTALL):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if token == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def latex_rows(body: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield the rows of a tabular; each with True if it continues the row above."""
    body = re.sub(
        r"\\(?:top|mid|bottom)rule|\\cmidrule\(\w+\)\{[^}]*\}|\\rowcolor\{[^}]*\}", "", body
    )
    for line in split_outside_braces(body, r"\\"):
        cells = split_outside_braces(line, "&")
        yield cells[0].strip().startswith(r"\ \ "), [plain(cell) for cell in cells]


def read_tabular(label: str, number: int, body: str) -> LatexTable:
    header: list[str] = []
    rows: list[tuple[str, list[str]]] = []
    above = ""
    for goes_on, (first, *others) in latex_rows(body):
        cells = ["-" if cell in ABSENT else cell for cell in others]
        numbers = [cell for cell in cells if NUMBER.fullmatch(cell) or cell == "-"]
        if not any(cell != "-" for cell in numbers):
            header.extend([first, *others] if not rows else [])
            continue
        name = re.sub(r"^(Q\d+):.*", r"\1", first)
        above = above if goes_on else name
        rows.append((f"{above} {name}" if goes_on else name, numbers))
    return LatexTable(label, number, header, rows)


def latex_tables(text: str) -> dict[str, LatexTable]:
    found = {}
    blocks = re.findall(r"\\begin\{(table|longtable)\}(.*?)\\end\{\1\}", text, flags=re.DOTALL)
    for number, (_, block) in enumerate(blocks, start=1):
        label = re.search(r"\\label\{([^}]*)\}", block)
        assert label is not None
        for body in re.findall(r"\\begin\{tabular\}(.*?)\\end\{tabular\}", block, flags=re.DOTALL):
            _, end = arguments(body, 0, 1)
            assert label[1] not in found
            found[label[1]] = read_tabular(label[1], number, body[end:])
    return found


@pytest.fixture(scope="module")
def source() -> str:
    text = Path(str(PAPER)).read_text(encoding="utf-8")
    return text[text.index(r"\begin{document}") :]


@pytest.fixture(scope="module")
def latex(source: str) -> dict[str, LatexTable]:
    return latex_tables(source)


def printed(table: PaperTable, row: str) -> list[str]:
    """Return the cells of a row as the LaTeX reader would."""
    found = []
    for column in table.columns:
        cell = table.cells.get((row, column.heading))
        if cell is None:
            found.append("-")
        elif cell.number.minus is None:
            found.append(cell.number.printed)
        else:
            number = cell.number
            found.append(f"{number.printed} -{number.minus} +{number.plus}")
    return found


@needs_paper
@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_a_table_is_printed_so_in_the_paper(
    name: str, latex: dict[str, LatexTable]
) -> None:
    ours, theirs = TABLES[name], latex[TABLES[name].header.label]
    assert [(row, printed(ours, row)) for row in ours.rows] == theirs.rows
    assert ours.header.number == theirs.number


@needs_paper
@pytest.mark.parametrize("name", TABLES)
def test_the_headings_of_a_table_are_those_of_the_paper(
    name: str, latex: dict[str, LatexTable]
) -> None:
    ours, theirs = TABLES[name], latex[TABLES[name].header.label]
    titles = [group.title for group in ours.header.groups if group.title]
    assert [cell for cell in theirs.header if cell in titles] == titles
    metrics = [METRICS[column.metric] for column in ours.columns if column.metric in METRICS]
    shown = [cell for cell in theirs.header if cell in METRICS.values()]
    assert shown in (metrics, [])


@needs_paper
def test_the_paper_prints_as_many_numbers_in_tables_as_there_are_here(
    source: str, latex: dict[str, LatexTable]
) -> None:
    assert len(latex) == source.count(r"\begin{tabular}")
    printed_there = [c for t in latex.values() for _, cells in t.rows for c in cells if c != "-"]
    assert len(printed_there) == sum(len(table.cells) for table in TABLES.values()) == 855
    without = {label for label, table in latex.items() if not table.rows}
    assert without == {"tab:tools"}


@needs_paper
def test_every_number_of_the_prose_is_claimed_as_often_as_it_is_printed(source: str) -> None:
    prose = source
    for environment in ("tabular", "longtable", "algorithmic"):
        whole = rf"\\begin\{{{environment}\}}.*?\\end\{{{environment}\}}"
        prose = re.sub(whole, "", prose, flags=re.DOTALL)
    found: Counter[str] = Counter()
    for number, percent, thousand, bare, bare_percent in PROSE_NUMBER.findall(prose):
        found[(number or bare) + (percent or bare_percent or thousand)] += 1
    claimed: Counter[str] = Counter()
    for claim in (*CLAIMS.results, *CLAIMS.settings):
        if claim.printed is not None and not getattr(claim, "spelled", ""):
            claimed[claim.printed] += claim.times
    assert claimed == found


@needs_paper
def test_the_words_of_a_claim_without_a_numeral_are_in_the_paper(source: str) -> None:
    for claim in CLAIMS.results:
        assert claim.spelled in source, claim.id
        assert claim.spelled or claim.printed is not None


def test_a_cell_of_latex_is_read_as_it_prints() -> None:
    assert plain(r" $\ci{\mathbf{42.4}}{-1.6}{+1.6}$ ") == "42.4 -1.6 +1.6"
    assert plain(r"\ \ $\underline{6.3}$") == "6.3"
    assert plain(r"\multicolumn{3}{c|}{Avg ($1{,}986$)}") == "Avg (1,986)"
    assert plain(r"$\$\ \ 0.75$") == "$0.75"
    assert plain(r"Susie (F)") == "F"


def test_a_tabular_is_read_row_by_row() -> None:
    body = r"& A & B \\ \midrule X & $1.0$ & -- \\ \ \ \ \ w/ Y & $2.0$ & text \\ \bottomrule"
    table = read_tabular("tab:x", 1, body)
    assert table.header == ["", "A", "B"]
    assert table.rows == [("X", ["1.0", "-"]), ("X w/ Y", ["2.0"])]
