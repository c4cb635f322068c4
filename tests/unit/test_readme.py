"""The README is up to date: its figures, links, make targets and commands."""

import csv
import re
from pathlib import Path

import typer
from typer.testing import CliRunner

import remem
from remem.cli.main import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def printed_rows(block: str) -> dict[str, list[str]]:
    """Return the rows of a printed table by label; two or more spaces separate the cells."""
    split = [re.split(r"\s{2,}", line.strip()) for line in block.splitlines()]
    return {label: cells for label, *cells in split if cells}


def block_with(text: str) -> str:
    (found,) = [block for _, block in FENCE.findall(README) if text in block]
    return found


def test_every_cell_of_the_readmes_table_is_that_cell_of_the_tracked_table() -> None:
    path = ROOT / "results" / "tables" / "offline" / "offline.csv"
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["block"].startswith("Generated dia")]
    tracked = {
        (f"{line['method']} ({line['note']})" if line["note"] else line["method"], line["score"]): (
            f"{float(line['mean']):.1f}"
            + "*" * (line["p_holm"] != "" and float(line["p_holm"]) < 0.05)
        )
        for line in lines
    }
    block = block_with("Always refuse")
    assert block.splitlines()[0].endswith(f"(n = {lines[0]['total']})")
    rows = printed_rows(block)
    assert rows.pop("Method") == ["F1", "recall@10", "refusal F1"]
    shown = {label: cells for label, cells in rows.items() if len(cells) == 3}
    assert len(shown) == 5
    for label, cells in shown.items():
        assert cells == [tracked[label, name] for name in ("f1", "recall_at_10", "refusal_f1")]


def test_the_readme_is_short() -> None:
    assert len(FENCE.sub("", README).split()) <= 700


def test_the_first_link_is_how_to_reproduce_a_table_of_the_paper() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links[0] == "docs/reproduce.md"


def test_every_file_that_the_readme_links_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert len(links) >= 10
    for link in links:
        of_app = re.match(r"docs/(apps/\w+)/", link)
        removed = of_app is not None and not (ROOT / "remem" / of_app[1]).is_dir()
        assert link.startswith("https://") or (ROOT / link).exists() or removed, link


def test_every_target_and_verb_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"(?:`|^\$ |> )make ([a-z-]+)", README, flags=re.MULTILINE)
    assert {"reproduce-table", "test", "docs", "dist"} <= set(targets)
    for target in targets:
        assert f"\n{target}:" in makefile
    verbs = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    for verb in re.findall(r"`remem ([a-z-]+)", README):
        assert verb in verbs


def test_readme_site_package_and_help_say_the_same_of_what_remem_is() -> None:
    sentence = "remem measures the memory of language agents."
    for page in ("README.md", "docs/index.md", "pyproject.toml", "mkdocs.yml"):
        assert sentence in (ROOT / page).read_text(encoding="utf-8"), page
    assert sentence in CliRunner().invoke(app, ["--help"]).output
    assert (remem.__doc__ or "").startswith(sentence)
