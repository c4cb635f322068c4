"""Hooks for mkdocs: add generated content, such as the help of all commands, to the pages."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARK = "<!-- every command -->"
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
APPS, BEFORE = "Apps", "Reference"
LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)*apps/[^)#]*)[^)]*\)")
"""A link of a page of the core into the pages of an app."""
CODE = re.compile(r"(?<=<code>)[^<]{20,}")
"""Code in a line of text that may be too long for what is left of the line."""


def on_config(config: Any) -> Any:
    """Add the pages of the apps, the version, and a link to REMEM_REPOSITORY if it is set."""
    config["copyright"] = described()
    if address := os.environ.get("REMEM_REPOSITORY"):
        config.repo_url, config.repo_name = address, "Repository"
        config.edit_uri = "edit/main/docs/"
    pages = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.glob("apps/*/*.md"))]
    if pages:
        at = next(at for at, part in enumerate(config["nav"]) if BEFORE in part)
        config["nav"].insert(at, {APPS: pages})
    return config


def on_page_markdown(markdown: str, **_: object) -> str:
    """Add the help of all commands, and drop links to removed apps."""
    if MARK in markdown:
        markdown = markdown.replace(MARK, "\n".join(command_help()))
    return LINK.sub(_unlinked, markdown)


def on_page_content(html: str, **_: object) -> str:
    """Allow line breaks in long code names, but only after a separator."""
    return CODE.sub(lambda code: re.sub(r"(?<=[._=/,])(?=\w)", "<wbr>", code[0]), html)


def _unlinked(link: re.Match[str]) -> str:
    """Return a link to a page of an app, or only the link's text if that page is removed."""
    text, page = link.groups()
    return link[0] if (DOCS / page.replace("../", "")).is_file() else text


def described() -> str:
    """Return the version of remem and, in a git checkout, the commit."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = f"remem {project['version']}"
    if not (ROOT / ".git").exists():
        return said
    asked = ["git", "describe", "--always", "--exclude=*", "--dirty= and changes"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return f"{said}, commit {commit.strip()}"


def command_help() -> Iterator[str]:
    """Yield the help of `remem` and of each command as Markdown."""
    from typer.testing import CliRunner

    from remem.cli.main import app, modules

    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
    os.environ.update(plain)  # rich reads the width from here, whatever CliRunner is given
    for verb in ("", *modules()):
        words = [*verb.split(), "--help"]
        done = CliRunner().invoke(app, words, env=plain, prog_name="remem")
        if done.exit_code:
            raise RuntimeError(f"remem {verb} --help failed: {done.output}") from done.exception
        lines = "\n".join(line.rstrip() for line in done.output.strip().splitlines())
        yield f"### `{' '.join(('remem', *words[:-1]))}`\n"
        yield f"```text\n{lines}\n```\n"
