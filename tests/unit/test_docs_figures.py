"""Every figure on a page comes from a tracked file, and is the same there.

Figures are decimal numbers, percentages, integers from 10, and amounts of time and memory.

A table whose figures come from a CSV file of `results/` stands under a comment that names the file
and, for each column after the first, the score:

    <!-- figures: results/measured/real-offline.csv LoCoMo:answerable_f1 LoCoMo:recall_at_10 -->

A score is written as `[word of the block's title:]score[@category][#tokens]`, where the tokens are
a budget of evidence, or "area". `docs/figures.yaml` names the source of each other figure. Code
needs no source, nor do integers below 10 without a unit, numbers in words that are no amount,
versions, dates, and the numbers of tables, HTTP statuses and ports.
"""

import ast
import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from remem.results.conventions import score_sets

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
)
TABLE = re.compile(r"<!-- figures: (\S+) ([^>]+) -->\n\n?((?:\|.*\n?)+)")
NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?"
CELL = re.compile(rf"({NUMBER})(\*?)(?: \[({NUMBER}), ({NUMBER})\])?")
OTHERWISE_CHECKED = (
    r"<!-- figures: [^\n]*-->\n\n?(?:\|[^\n]*\n?)+",  # below
    # by their own tests
    r"<!-- (estimates: \w+|bench|offline table) -->.*?<!-- end of [\w ]+ -->",
    r"^Effect: .*?$\n$",  # by test_docs_conventions.py
    r"^ *```.*?^ *```$",  # by test_docs_commands.py, test_docs_outputs.py, test_readme.py
    r"^\|(?:[^\n]*\|)? [12]\d{3}[./\d-]* \|[^\n]*$",  # rows of dates, by test_docs_time.py
    r"`[^`\n]*`",  # settings and values
    r"\]\([^)]*\)",  # the addresses of links
)
COMMANDS = re.compile(r"^ *```(?:sh|console)\n.*?^ *```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"(?<=\s)#.*")
"""What a block of commands says about them; the commands are checked by test_docs_commands.py."""
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
NOT_MEASURED = re.compile(
    r"(?<![\w.,+])(?:\d+\.\d+\.[\d.]+"
    r"|(?:Python|NC|release|CUDA|ISO) \d[\d.]*(?:,?\s(?:(?:and|to|or)\s)?3\.\d+)*"
    r"|95% (?:confidence )?intervals?|\(95%\)|(?:times|0 to|above|below) 100\b(?!,\d)"
    r"|\d{4}-\d\d(?:-\d\d)?|(?<![\d,])(?:19\d|20[0-3])\d(?![\d,]*\d)|\d{4} BC"
    rf"|\d{{1,2}} (?:{MONTHS})|(?:tables?|Tables?|status) \d[\d,\s]*(?:(?:and|or) \d+)?"
    r"|(?<=^\| )[45]\d\d (?=\||with))",
    re.MULTILINE,
)
"""Versions, licences, the level of the intervals, the scale, dates, tables and status codes."""
FIGURE = re.compile(
    r"(?<![\w.,/-])[+-]?\d[\d,]*\.\d+(?![\w.]*\d)|(?<![\w.,])\d[\d,]*(?:\.\d+)?%"
    r"|(?<![\w.,/-])(?:\.\d+(?!\w)|\d+(?:[KMx]|th|ms)\b)"
)
"""A decimal number, a percentage, or a number with a letter, such as 100K or 95th."""
COUNT = re.compile(r"(?<![\w.,:/@#'])(?<![A-Za-z]-)(?:\d{2,}|\d{1,3}(?:,\d{3})+)(?![\w%]|[.,:/]\w)")
"""An integer from 10 that is no part of a name, a date or an address."""
UNIT = r"(?:seconds?|minutes?|hours?|(?:[KMG]i?|giga|mega)(?:B|bytes?)|dollars?)\b"
WORDS = "two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty"
ABOUT = r"(?:half|quarters? of|about|under|within) (?:an?|one)"
AMOUNT = re.compile(
    rf"(?<![\w.,])\d+ ?{UNIT}|\b(?:{WORDS}|{ABOUT}|half a) {UNIT}|\ba {UNIT} or two"
)
"""An amount of time or memory, also in words, as in "half an hour"."""


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


Line = dict[str, str]


@cache
def lines(source: str) -> tuple[Line, ...]:
    with (ROOT / source).open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def label(line: Line) -> str:
    return f"{line['method']} ({line['note']})" if line.get("note") else line["method"]


def parts(selector: str) -> tuple[str, str, str, str]:
    """Return the word, score, category and tokens of a selector; empty texts for missing ones."""
    word, _, rest = selector.rpartition(":")
    score, _, tokens = rest.partition("#")
    score, _, category = score.partition("@")
    return word, score, category, tokens


def chosen(source: str, row: str, selector: str) -> Line | None:
    """Return the line of a CSV file that a row and a selector name, or None."""
    word, score, category, tokens = parts(selector)
    matching = [
        line
        for line in lines(source)
        if label(line) == row
        and word in line["block"]
        and (line["score"], line["category"]) == (score, category or "all")
        and line.get("tokens", "") == tokens
    ]
    assert len(matching) < 2, f"{row}, {selector}: more than one line of {source}"
    return matching[0] if matching else None


def rounded(text: str, like: str) -> str:
    """Return a number with the decimals of another."""
    return f"{float(text):.{len(like.partition('.')[2])}f}"


def plain(cell: str) -> str:
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell.replace("**", "")).strip()


def shown_cells(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield source, row, selector and cell of a page's tables."""
    for source, selectors, table in TABLE.findall(page(name)):
        texts = [line.strip().strip("|").split("|") for line in table.splitlines()[2:]]
        rows, *columns = zip(*([plain(cell) for cell in cells] for cells in texts), strict=True)
        for selector, column in zip(selectors.split(), columns, strict=True):
            for row, cell in zip(rows, column, strict=True):
                yield source, row, selector, cell


def differs(source: str, row: str, selector: str, cell: str) -> str:
    """Return what is wrong with a cell, or an empty text."""
    line = chosen(source, row, selector)
    if line is None or not line["mean"]:
        return "" if cell == "-" else f"{row}, {selector}: {source} has no such figure"
    matched = CELL.fullmatch(cell)
    assert matched is not None, f"{row}, {selector}: {cell} is not a score"
    mean, star, low, high = matched.groups()
    expected = [rounded(line["mean"], mean)]
    stated = [mean.replace(",", "")]
    if low is not None:
        expected += [rounded(line["low"], low), rounded(line["high"], high)]
        stated += [low, high]
    expected.append("*" if float(line["p_holm"] or 1) < 0.05 else "")
    stated.append(star)
    return "" if stated == expected else f"{row}, {selector}: {stated}, not {expected}"


def whole_words(text: str, heading: str) -> bool:
    return re.search(rf"(?<![\w,.]){re.escape(text)}(?!\w|[,.]\d)", heading) is not None


CONVENTION = score_sets(["paper"], "hipporag2")["paper"]
WITH_TABLES = [name for name in PAGES if TABLE.search(page(name))]


@pytest.mark.parametrize("name", WITH_TABLES)
def test_a_heading_names_the_score_of_its_column(name: str) -> None:
    for _, selectors, table in TABLE.findall(page(name)):
        headings = [plain(cell) for cell in table.splitlines()[0].strip("|").split("|")][1:]
        for selector, heading in zip(selectors.split(), headings, strict=True):
            _, score, category, tokens = parts(selector)
            name_of_score = CONVENTION.heading(score).partition(" (")[0]
            of_category = bool(category) and heading.replace(" ", "_") in category
            assert whole_words(name_of_score, heading) or of_category, selector
            assert not tokens or whole_words(tokens, heading), selector
            of_data = re.match(r"(?:LoCoMo|REALTALK)\b", heading)
            assert of_data is None or of_data[0] in selector, selector


@pytest.mark.parametrize("name", WITH_TABLES)
def test_every_cell_of_a_table_is_that_of_its_file(name: str) -> None:
    cells = list(shown_cells(name))
    assert cells
    assert [found for found in (differs(*cell) for cell in cells) if found] == []


MEASURED = ("mean", "low", "high", "n", "clusters")
"""The columns of a CSV file that are no names, whose digits would match by chance."""


@cache
def sources() -> tuple[dict[str, str], ...]:
    return tuple(yaml.safe_load((ROOT / "docs" / "figures.yaml").read_text(encoding="utf-8")))


def name_of(node: ast.AST) -> str:
    """Return the name of a function, or of the value that a line assigns, or an empty text."""
    if isinstance(node, ast.FunctionDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def source_text(source: str) -> str:
    """Return a file, a function or constant of a Python file, or else the lines with a text.

    Of a CSV file, the text is a label or a score.
    """
    path, _, part = source.partition("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    if not part:
        return text
    if path.endswith(".csv"):
        return "\n".join(
            " ".join(line[column] for column in MEASURED)
            for line in lines(path)
            if part in (label(line), line["score"])
        )
    if not path.endswith(".py"):
        return "\n".join(line for line in text.splitlines() if part in line)
    nodes = [node for node in ast.walk(ast.parse(text)) if name_of(node) == part]
    if not nodes:
        return "\n".join(line for line in text.splitlines() if part in line)
    (node,) = nodes
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def names_a_removed_app(path: str) -> bool:
    app = re.search(r"\bapps/(\w+)/", path)
    return app is not None and not (ROOT / "remem" / "apps" / app[1]).is_dir()


def whole(text: str) -> re.Pattern[str]:
    """Return a pattern for a text whose first and last numbers do not go on to either side."""
    before = r"(?<![\w,.+\u2212-])(?<!\d )" if re.match(r"[+-]?\d", text) else ""
    behind = r"(?!\w|[.,]\d|%)" if text[-1].isdigit() else ""
    return re.compile(before + re.escape(text) + behind)


def numbers(text: str) -> list[str]:
    return [number.replace(",", "").lstrip("+") for number in re.findall(NUMBER, text)]


@pytest.mark.parametrize("entry", sources(), ids=lambda entry: f"{entry['page']}: {entry['text']}")
def test_every_other_figure_is_in_the_source_that_is_named_for_it(entry: dict[str, str]) -> None:
    assert set(entry) == {"page", "text", "source"}
    if names_a_removed_app(entry["page"]) or names_a_removed_app(entry["source"]):
        pytest.skip("its app is removed")
    assert len(whole(entry["text"]).findall(page(entry["page"]))) == 1
    given = numbers(source_text(entry["source"]).replace("_", ""))
    stated = numbers(entry["text"])
    assert stated
    for number in stated:
        same = {number, str(float(number) / 100)}
        assert any(other in same or rounded(other, number) == number for other in given), number


@pytest.mark.parametrize("name", PAGES)
def test_a_page_states_no_figure_without_a_source(name: str) -> None:
    text = page(name)
    for entry in sources():
        if entry["page"] == name:
            text = whole(entry["text"]).sub(" ", text)
    text = COMMANDS.sub(lambda block: "\n".join(COMMENT.findall(block[0])), text)
    for pattern in OTHERWISE_CHECKED:
        text = re.sub(pattern, " ", text, flags=re.MULTILINE | re.DOTALL)
    text = NOT_MEASURED.sub(" ", text)
    assert [match[0] for kind in (FIGURE, COUNT, AMOUNT) for match in kind.finditer(text)] == []
