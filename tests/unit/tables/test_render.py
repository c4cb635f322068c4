"""A table's files byte for byte, worked out by hand."""

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path

from remem.metrics.columns import ScoreColumn
from remem.results.run_notes import FEW_CLUSTERS_NOTE
from remem.tables.file_formats import as_csv, as_latex
from remem.tables.render import write_files
from remem.tables.table import Block, Cell, Row, Table, Value

COLUMNS = (ScoreColumn("F1", "f1"), ScoreColumn("tokens", "context_tokens"))
SOME = Row(
    "REMem_S",
    (
        Cell(ours=Value(50.0, 25.0, 80.04, 3, 3, percent=True)),
        Cell(ours=Value(1234.4, 1000.0, 1500.6, 3, 3, percent=False), decimals=0),
    ),
    answered=3,
    total=4,
)
ALL = Row(
    "Full-Context",
    (Cell(ours=Value(100.0, 100.0, 100.0, 4, None, percent=True)), None),
    note="ceiling",
    answered=4,
    total=4,
)
TABLE = Table("tiny", "A tiny table", (Block("Chats", COLUMNS, (SOME, ALL), ("Shows: little.",)),))

MARKDOWN = """\
# A tiny table

## Chats

| Method                 | n   | F1                   | tokens            |
|:-----------------------|:----|:---------------------|:------------------|
| REMem_S                | 3/4 | 50.0 [25.0, 80.0]    | 1234 [1000, 1501] |
| Full-Context (ceiling) | 4   | 100.0 [100.0, 100.0] | -                 |

- Shows: little.
- Caution: intervals over fewer than 20 clusters are rough, and rather too narrow.
"""

LATEX = r"""% Chats
\begin{tabular}{lrrr}
\toprule
Method & n & F1 & tokens \\
\midrule
REMem\_S & 3/4 & $50.0_{-25.0}^{+30.0}$ & $1234_{-234}^{+266}$ \\
Full-Context (ceiling) & 4 & $100.0_{-0.0}^{+0.0}$ & - \\
\bottomrule
\end{tabular}
% Shows: little.
% Caution: intervals over fewer than 20 clusters are rough, and rather too narrow.
"""

CSV = """\
block,method,note,llm,prompts,judge_prompt,run,score,category,mean,low,high,n,clusters,p_holm,answered,total
Chats,REMem_S,,none,none,none,,f1,all,50.0000,25.0000,80.0400,3,3,,3,4
Chats,REMem_S,,none,none,none,,context_tokens,all,1234.4000,1000.0000,1500.6000,3,3,,3,4
Chats,Full-Context,ceiling,none,none,none,,f1,all,100.0000,100.0000,100.0000,4,,,4,4
"""


def table_of(title: str, *labels: str, notes: tuple[str, ...] = ()) -> Table:
    """Return a table with one column, in which each row has the value 50 (50 to 50)."""
    cells = (Cell(ours=Value(50.0, 50.0, 50.0, 3, 2, percent=True)),)
    rows = tuple(Row(label, cells, answered=3, total=3) for label in labels)
    return Table("t", "T", (Block(title, COLUMNS[:1], rows, notes),))


def first_cells(latex: str) -> list[str]:
    return [line.split(" &")[0] for line in latex.splitlines() if "50.0" in line]


def test_a_label_of_somebody_else_is_no_formula_of_a_spreadsheet() -> None:
    cells = (Cell(ours=Value(-0.5, 50.0, 50.0, 3, 2, percent=False), decimals=0),)
    row = Row("-cmd|' /C calc'!A0", cells, answered=3, total=3)
    [line] = csv.DictReader(StringIO(as_csv(Table("t", "T", (Block("B", COLUMNS[:1], (row,)),)))))
    assert line["method"] == "'-cmd|' /C calc'!A0"
    assert line["mean"] == "-0.5000"  # a number is a number


def test_an_interval_that_rounds_to_nothing_keeps_one_sign() -> None:
    cell = Cell(ours=Value(50.0, 50.0 + 1e-12, 50.0 - 1e-12, 3, 2, percent=True))
    table = Table("t", "T", (Block("B", COLUMNS[:1], (Row("A", (cell,)),), ()),))
    assert "$50.0_{-0.0}^{+0.0}$" in as_latex(table)


def test_a_latex_row_does_not_begin_with_a_bracket() -> None:
    latex = as_latex(table_of("B", "[date] A_1", "[date] B", "C [d]"))
    assert first_cells(latex) == [r"{[}date] A\_1", "{[}date] B", "C [d]"]


def test_a_label_of_somebody_else_runs_no_command_of_latex() -> None:
    labels = (r"\input{/etc/passwd}", "$x^2~y$ <a|b>", "* starred", "one\\\\\nrow")
    latex = as_latex(table_of("title\n\\input{a}", *labels, notes=("note\r\\input{b}",)))
    assert first_cells(latex) == [
        r"\textbackslash{}input\{/etc/passwd\}",
        r"\$x\textasciicircum{}2\textasciitilde{}y\$ \textless{}a\textbar{}b\textgreater{}",
        "{*} starred",
        r"one\textbackslash{}\textbackslash{} row",
    ]
    assert r"% title \input{a}" in latex.splitlines() and r"% note \input{b}" in latex.splitlines()


def test_the_files_of_a_table_are_as_worked_out_by_hand_and_the_same_each_time(
    tmp_path: Path,
) -> None:
    paths = write_files(TABLE, tmp_path / "tables")
    assert [path.name for path in paths] == ["tiny.md", "tiny.tex", "tiny.csv"]
    assert [path.read_text() for path in paths] == [MARKDOWN, LATEX, CSV]
    assert write_files(TABLE, tmp_path / "tables") == paths
    assert [path.read_text() for path in paths] == [MARKDOWN, LATEX, CSV]
    assert len(list((tmp_path / "tables").iterdir())) == 3


def test_a_table_says_whose_prompts_made_its_cells() -> None:
    asked = replace(SOME, prompts="own", judge_prompt="mem0-judge:0123456789ab")
    rows = (asked, replace(asked, label="B", prompts="own(p)+released:ab"), ALL)
    block = Block("Chats", COLUMNS, rows, ("Shows: little.",))
    assert block.all_notes == (
        "Shows: little.",
        "Prompts of REMem_S: own.",
        "Prompts of B: own(p)+released:ab.",
        "Judge prompt of REMem_S, B: mem0-judge:0123456789ab.",
        FEW_CLUSTERS_NOTE,
    )
    text = as_csv(Table("t", "T", (block,)))
    assert "Chats,REMem_S,,none,own,mem0-judge:0123456789ab,," in text
