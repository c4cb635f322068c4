"""The docs pages are up to date: figures, files, make targets, commands, and the menu."""

import csv
import re
import subprocess
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest
import yaml

import remem
from remem.cli.main import modules
from remem.config.conf_files import all_conf_files

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
APP_PAGE = re.compile(r"\bapps/(\w+)/[\w/]+\.md")
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
VERBS = set(modules())

Cells = dict[tuple[str, str], str]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def code(name: str) -> list[str]:
    """Return the lines of fenced code on a page, and the texts between single backticks."""
    fence = r"^ *```\w*\n(.*?)^ *```$"
    fenced = re.findall(fence, page(name), flags=re.MULTILINE | re.DOTALL)
    rest = re.sub(fence, "", page(name), flags=re.MULTILINE | re.DOTALL)
    return [*"\n".join(fenced).splitlines(), *re.findall(r"`([^`\n]+)`", rest)]


def names_a_removed_app(text: str) -> bool:
    """Return whether a text names a page of an app whose folders are removed."""
    return any(not (ROOT / "remem" / "apps" / app).is_dir() for app in APP_PAGE.findall(text))


def blocks(text: str) -> list[Cells]:
    """Return a mapping (row label, heading) -> cell text for each Markdown table."""
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


def test_every_cell_of_the_offline_page_is_that_cell_of_the_tracked_table() -> None:
    text = page("measurements.md")
    table = text.split("<!-- offline table -->")[1].split("<!-- end of offline table -->")[0]
    tracked = (ROOT / "results" / "tables" / "offline" / "offline.md").read_text(encoding="utf-8")
    shown, whole = blocks(table), blocks(tracked)
    assert len(shown) == len(whole) == 2
    with (ROOT / "results" / "tables" / "offline" / "offline.csv").open(encoding="utf-8") as file:
        totals = dict.fromkeys((line["block"], line["total"]) for line in csv.DictReader(file))
    assert re.findall(r"n = (\d+)", table) == [total for _, total in totals]
    for ours, theirs in zip(shown, whole, strict=True):
        assert len(ours) >= 20
        assert ours.items() <= theirs.items()
        assert {label for label, _ in ours} == {label for label, _ in theirs}


def test_every_file_of_the_main_flow_is_there() -> None:
    flow = page("architecture.md").split("| step | place |")[1].split("\n\n")[0]
    for line in flow.splitlines()[1:]:
        folder = ROOT
        for name in re.findall(r"`([\w/.-]+)`", line):
            at = next((base for base in (ROOT, folder) if (base / name).exists()), None)
            assert at is not None, f"{name} in {line}"
            folder = (at / name) if (at / name).is_dir() else (at / name).parent


@pytest.mark.parametrize("name", PAGES)
def test_every_target_and_verb_of_a_page_is_there(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in code(name):
        if names_a_removed_app(line):
            continue
        for target in re.findall(r"(?:^|[ ;])make ([a-z][a-z0-9-]*)", line.split("#")[0]):
            assert re.search(rf"^([a-z0-9-]+ )*{target}( [a-z0-9-]+)*:", makefile, re.M), target
        for words in re.findall(r"(?:^|[/ ;])remem ([a-z][a-z-]+(?: [a-z]+)?)", line.split("#")[0]):
            assert {words, words.partition(" ")[0]} & VERBS, line


def tracked() -> list[Path]:
    """Return the paths of texts that may name commands; the changelog is left out as historical."""
    listed = ("git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    endings = {".md", ".yaml", ".yml", ".py", ".toml", ".j2", ".sh", ".txt", ""}
    paths = [ROOT / name for name in names if not name.startswith("results/tables/")]
    return [path for path in paths if path.suffix in endings and path.name != "CHANGELOG.md"]


@pytest.mark.app("own_log")
@pytest.mark.app("referee")
@pytest.mark.app("rivals")
@pytest.mark.app("small_model")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout")
def test_every_command_and_target_that_any_file_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {*re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split(), "$"}  # type: ignore[index]
    assert len(targets) <= 13
    former = {name.replace(" ", "-") for name in VERBS} | {
        name.rpartition(" ")[2] for name in VERBS
    }
    groups = {name.partition(" ")[0] for name in VERBS if " " in name}
    unknown = []
    for path in filter(Path.is_file, tracked()):
        text = path.read_text(encoding="utf-8")
        named = re.findall(r"(?<!from )\bremem ([a-z][a-z-]+)(?: ([a-z][a-z-]*))?", text)
        for first, second in named:
            if first in groups and second and f"{first} {second}" not in VERBS:
                unknown.append(f"{path.name}: remem {first} {second}")
            elif first in former - VERBS - groups:
                unknown.append(f"{path.name}: remem {first}")
        made = re.findall(r"(?:`|^# |^ *(?:[A-Z_]+=\S+ )*)make ([a-z0-9-]+)", text, re.MULTILINE)
        unknown += [f"{path.name}: make {target}" for target in made if target not in targets]
    assert unknown == []


@pytest.mark.parametrize(
    "path", sorted(all_conf_files()), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_file_of_conf_begins_with_a_command(path: Path) -> None:
    text = path.read_text(encoding="utf-8").removeprefix("# @package _global_\n")
    assert re.match(r"# (?:[A-Z_]+=\S+ )*(?:remem|make) ", text)


def in_menu(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    for inner in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from in_menu(inner)


def test_every_page_has_one_place_in_the_menu(hooks: ModuleType) -> None:
    config = hooks.on_config(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert sorted(in_menu(config["nav"])) == PAGES


def test_a_link_to_a_page_of_a_removed_app_keeps_only_its_words(hooks: ModuleType) -> None:
    gone = "see [the guide](../apps/gone/guide.md#first) and [time](time.md)"
    assert hooks.on_page_markdown(gone) == "see the guide and [time](time.md)"
    here = [f"[a page]({name})" for name in PAGES if name.startswith("apps/")]
    assert [hooks.on_page_markdown(link) for link in here] == here


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_leads_to_a_file_of_the_site(name: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)", page(name)):
        if names_a_removed_app(link):
            continue
        there = (DOCS / name).parent / link
        assert link.startswith("https://") or there.resolve().is_relative_to(DOCS), link
        assert link.startswith("https://") or there.is_file(), link


RELEASED = re.compile(r"released (code|prompts|parser|script)|(prompts=|fetch-prompts )released")
"""What REMem's code or prompts are called; judges and rivals have releases of their own."""


@pytest.mark.parametrize("folder", ["", "docs", "datasets", "examples"])
def test_a_page_on_the_released_code_links_what_that_is(folder: str) -> None:
    pages = [*(ROOT / folder).glob("*.md"), *(ROOT / folder).glob("*/README.md")]
    own = {ROOT / "CHANGELOG.md", DOCS / "conventions.md"}
    for path in sorted({*pages} - own):
        text = path.read_text(encoding="utf-8")
        assert "paper's code" not in text, path
        if RELEASED.search(text):
            assert "conventions.md#what-released-means" in text, path


def test_what_released_means_is_a_heading() -> None:
    assert '\n### What "released" means\n' in page("conventions.md")


def test_every_public_name_of_remem_is_in_the_reference() -> None:
    shown = re.findall(r"^::: remem\.[\w.]+\.(\w+)$", page("reference/python.md"), re.MULTILINE)
    assert set(remem.__all__) <= set(shown)


@pytest.fixture
def hooks() -> ModuleType:
    """The module scripts/docs_hooks.py, which is not in a package."""
    spec = spec_from_file_location("docs_hooks", ROOT / "scripts" / "docs_hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_of_commands_has_the_help_of_every_verb(hooks: ModuleType) -> None:
    text = hooks.on_page_markdown(page("commands.md"), page=None)
    headings = re.findall(r"^### `remem ?([\w -]*)`$", text, re.MULTILINE)
    assert set(headings) == {"", *VERBS}
    assert len(PAGES) <= 27
    assert "remem compare [OPTIONS]" in text
    assert '<dt id="remem-compare-score"><a href="#remem-compare-score"><code>--score' in text
    assert hooks.MARK not in text
    assert hooks.on_page_markdown("another page", page=None) == "another page"


def test_long_code_in_a_line_of_text_may_break_behind_a_sign(hooks: ModuleType) -> None:
    long, short = "convention.run.rule=tolerant", "<code>run.rule</code>"
    broken = "<code>convention.<wbr>run.<wbr>rule=<wbr>tolerant</code>"
    html = hooks.on_page_content(f"<code>{long}</code>{short}{long}", page=Mock(url="a.html"))
    assert html == f"{broken}{short}{long}"


def test_a_page_that_a_comment_names_is_linked(hooks: ModuleType) -> None:
    comment = '<span class="c1"># see {}; no_page.md</span> time.md'
    html = hooks.on_page_content(comment.format("sweeps.md"), page=Mock(url="apps/c/d.html"))
    assert html == comment.format('<a href="../../sweeps.html">sweeps.md</a>')


def test_the_footer_says_the_version_and_the_commit_of_a_checkout(
    hooks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2"', encoding="utf-8")
    monkeypatch.setattr(hooks, "ROOT", tmp_path)
    assert hooks.described() == "remem 1.2"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    assert re.fullmatch(r"remem 1\.2, commit [0-9a-f]{7,}", hooks.described())
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.3"', encoding="utf-8")
    assert re.fullmatch(r"remem 1\.3, commit [0-9a-f]{7,} and changes", hooks.described())


def test_nothing_is_installed_by_a_name_that_is_not_ours() -> None:
    """On package indexes the name remem belongs to somebody else, or can be taken by anybody."""
    by_name = re.compile(r"pipx? install\b[^`\n#&]*[ ']remem(?:[\[\s'`]|$)")
    texts = [
        path
        for folder, kinds in (("docs", "md"), ("examples", "md"), ("examples", "ipynb"))
        for path in (ROOT / folder).rglob(f"*.{kinds}")
    ]
    texts += [ROOT / "README.md", *(ROOT / "remem").rglob("*.py"), *(ROOT / "conf").rglob("*.yaml")]
    assert by_name.search("pip install 'remem[mcp]'") and by_name.search("pip install remem")
    assert [path for path in texts if by_name.search(path.read_text(encoding="utf-8"))] == []
