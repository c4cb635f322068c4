"""Hooks for mkdocs: add generated content, such as the help of all commands, to the pages."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

MARK = "<!-- every command -->"
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
APPS, BEFORE = "Apps", "Reference"
LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)*apps/[^)#]*)[^)]*\)")
"""A link of a page of the core into the pages of an app."""
EXAMPLE = "Example: "
COMMENT = re.compile(r'(?<=<span class="c1">)[^<]+')
PAGE = re.compile(r"\b([\w/]+)\.md\b")
"""A page that a comment of a command names, from the root of the pages."""
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


def on_page_content(html: str, page: Any, **_: object) -> str:
    """Link the pages that code comments name; allow line breaks after separators in long code."""
    root = "../" * page.url.count("/")

    def linked(name: re.Match[str]) -> str:
        is_page = (DOCS / name[0]).is_file()
        return f'<a href="{root}{name[1]}.html">{name[0]}</a>' if is_page else name[0]

    html = COMMENT.sub(lambda comment: PAGE.sub(linked, comment[0]), html)
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
    """Yield the help of `remem` and of each command as Markdown; every option has an anchor."""
    import typer

    from remem.cli.main import app, modules

    program: Any = typer.main.get_command(app)
    whole = program.make_context("remem", [], resilient_parsing=True, terminal_width=100)
    yield f"### `remem`\n\n```text\n{program.get_help(whole)}\n```\n"
    for verb in modules():
        command, context = program, whole
        for word in verb.split():
            command = command.get_command(context, word)
            context = command.make_context(word, [], parent=context, resilient_parsing=True)
        usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
        yield f"### `remem {verb}`\n\n```text\n{usage}\n```\n"
        yield from map(_paragraph, command.help.split("\n\n"))
        yield from ("<dl>", *_options(command, context), "</dl>\n")


def _paragraph(text: str) -> str:
    """Return a paragraph of a command's help, or its example as a block of code."""
    example = text.removeprefix(EXAMPLE)
    return f"<p>{escape(text)}</p>\n" if example == text else f"```sh\n{example}\n```\n"


def _options(command: Any, context: Any) -> Iterator[str]:
    """Yield the arguments and options of a command as entries of an HTML list."""
    for option in command.get_params(context):
        if option.name != "help":
            anchor = f"{context.command_path}-{option.name}".replace(" ", "-").replace("_", "-")
            names, meaning = map(escape, option.get_help_record(context))
            yield f'<dt id="{anchor}"><a href="#{anchor}"><code>{names}</code></a></dt>'
            yield f"<dd>{meaning}</dd>"
