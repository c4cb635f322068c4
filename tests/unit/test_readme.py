"""The README says what there is: its figures, its files, its targets and its verbs."""

import re
from pathlib import Path

import pytest
import typer

from remem.cli.main import app
from remem.config.run_config import compose_config

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = README.split("<!-- offline table -->")[1].split("<!-- end of offline table -->")[0]
FLOW = README.split("| step | place |")[1].split("\n\n")[0]

Cells = dict[tuple[str, str], str]


def blocks(text: str) -> list[Cells]:
    """Read Markdown tables: (row label, heading) -> what the cell says."""
    found: list[Cells] = []
    heading: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| Method"):
            heading = cells
            found.append({})
        elif line.startswith("| "):
            found[-1].update(
                {(cells[0], name): cell for name, cell in zip(heading, cells, strict=True)}
            )
    return found


def test_every_cell_of_the_readme_is_that_cell_of_the_tracked_table() -> None:
    tracked = (ROOT / "results" / "tables" / "offline" / "offline.md").read_text(encoding="utf-8")
    shown, whole = blocks(TABLE), blocks(tracked)
    assert len(shown) == len(whole) == 2
    for ours, theirs in zip(shown, whole, strict=True):
        assert len(ours) >= 20
        assert ours.items() <= theirs.items()
        assert {label for label, _ in ours} == {label for label, _ in theirs}


def test_every_file_of_the_main_flow_is_there() -> None:
    for line in FLOW.splitlines()[1:]:
        folder = ROOT
        for name in re.findall(r"`([\w/.-]+)`", line):
            at = next((base for base in (ROOT, folder) if (base / name).exists()), None)
            assert at is not None, f"{name} in {line}"
            folder = (at / name) if (at / name).is_dir() else (at / name).parent


def test_every_target_and_verb_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^[^#\n]*\bmake ([a-z-]+)", README, flags=re.MULTILINE):
        assert f"\n{target}:" in makefile
    verbs = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    for verb in re.findall(r"^remem ([\w-]+)", README, flags=re.MULTILINE):
        assert verb in verbs


@pytest.mark.parametrize("name", ["paper", "reference", "strict"])
def test_the_conventions_are_those_of_the_configuration(name: str) -> None:
    convention = compose_config([f"convention={name}"]).convention
    column = ("paper", "reference", "strict").index(name) + 1
    rows = re.findall(r"^\| `((?:run|score)\.\w+)` (\|.*)$", README, flags=re.MULTILINE)
    assert len(rows) >= 11
    for key, cells in rows:
        said = cells.split("|")[column].strip()
        value = convention
        for part in key.split("."):
            value = value[part]
        if said != "the dataset's released F1":
            assert said == str(value).lower(), key
