"""Reading results/paper: what a cell measures, and errors that name the file and the row."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from paper_audit import read_paper
from paper_checks.check import all_cells

from remem.config.conf_files import conf_folder
from remem.config.run_config import compose_config, run_config
from remem.paper.layout import PaperTable, paper_folder, read_tables

WriteTable = Callable[..., PaperTable]

SCORES = "key: avg, title: Avg, dataset: tot, category: all, n: 2800, metrics: {em: exact}"
PART = "key: BA, title: BA, dataset: tot, category: before_after, n: 350, metrics: {em: exact}"


def test_a_cell_says_what_it_measures_and_of_how_many_questions(table: WriteTable) -> None:
    made = table(
        "tot",
        [SCORES, PART],
        ["label | memory | variant | avg | BA", "REMem-I | remem_i | | 93.1 -1.1 +0.9 | 97.4"],
    )
    cell = made.cells["REMem-I", "BA"]
    assert (cell.number.printed, cell.n, cell.made_with) == ("97.4", 350, "exact")
    measured = cell.measured
    assert (measured.memory, measured.dataset, measured.category, measured.metric) == (
        "remem_i",
        "tot",
        "before_after",
        "em",
    )


def test_a_sample_has_its_share_of_each_category(table: WriteTable) -> None:
    rows = ["label | avg | BA", "HippoRAG 2 | 66.9 | 60.0", "REMem-I | 93.1 | 97.4"]
    made = table("tot", [SCORES, PART], rows, "samples: {HippoRAG 2: 160}")
    of = {place: cell.n for place, cell in made.cells.items()}
    assert of["HippoRAG 2", "avg"] == 160
    assert of["HippoRAG 2", "BA"] == 20
    assert of["REMem-I", "BA"] == 350


def test_where_the_paper_prints_nothing_there_is_no_cell(table: WriteTable) -> None:
    made = table("tot", [SCORES], ["label | avg", "Mem0 | -", "Graphiti | 1.0"])
    assert made.rows == ("Mem0", "Graphiti")
    assert set(made.cells) == {("Graphiti", "avg")}


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (["label | other", "A | 1.0"], "the first row is"),
        (["label | avg", "A | 1.0 | 2.0"], "tot.yaml, row 'A': 3 parts, expected 2"),
        (["label | avg", "A | 4,x"], "tot.yaml, row 'A', avg: '4,x' is not a number"),
        (["label | avg", "A | 1.0", "A | 2.0"], "tot.yaml, row 'A' occurs twice"),
    ],
)
def test_malformed_rows_are_named(table: WriteTable, rows: list[str], complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        table("tot", [SCORES], rows)


@pytest.mark.parametrize(
    ("group", "complaint"),
    [
        ("key: avg, title: Avg, metrics: {em: exact}, colour: red", "colour"),
        ("key: avg, title: Avg", "metrics"),
        ("key: avg, title: Avg, n: many, metrics: {em: exact}", "valid integer"),
        ("key: [", "not valid YAML"),
    ],
)
def test_a_malformed_header_is_named(table: WriteTable, group: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        table("tot", [group], ["label | avg", "A | 1.0"])


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no tables"):
        read_tables(tmp_path)


def test_a_number_made_with_what_nobody_describes_is_refused(
    table: WriteTable, tmp_path: Path
) -> None:
    table("tot", [SCORES], ["label | avg", "A | 1.0"])
    (tmp_path / "made_with.yaml").write_text("other: {score: {}, evidence: none}\n")
    with pytest.raises(ValueError, match="made with 'exact'"):
        read_paper(tmp_path)


def test_a_heading_that_prints_a_count_has_that_many_questions() -> None:
    counted = 0
    for table in read_tables(paper_folder()).values():
        for group in table.header.groups:
            if match := re.search(r"\(([\d,]+)\)", group.title):
                counted += 1
                assert group.n == int(match[1].replace(",", "")), (table.name, group.title)
    assert counted == 20


def test_rows_are_named_as_the_configuration_names_their_parts() -> None:
    cells = list(all_cells(read_tables(paper_folder())))

    def names(group: str) -> set[str]:
        return {path.stem for path in (conf_folder() / group).glob("*.yaml")}

    assert {cell.measured.ablation for cell in cells} <= names("ablation") | {""}
    assert {cell.measured.reader for cell in cells} <= names("reader") | {""}
    systems = names("method") | {"remem", "mem0", "graphiti", "hipporag2", ""}
    assert {cell.measured.memory for cell in cells} <= systems
    datasets = names("dataset") | {"musique+two_wiki"}
    assert {cell.measured.dataset for cell in cells} <= datasets


def test_what_a_number_was_made_with_is_a_score_convention() -> None:
    convention = run_config(compose_config([])).score_convention()
    for made_with in read_paper(paper_folder()).made_with.values():
        dataclasses.replace(convention, **made_with.score)
        assert made_with.evidence
