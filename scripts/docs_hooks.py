"""Hooks for mkdocs: the reference page of commands is made from their --help."""

import os
from collections.abc import Iterator

MARK = "<!-- every command -->"


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace the placeholder on a page by the help of every command."""
    return markdown.replace(MARK, "\n".join(command_help())) if MARK in markdown else markdown


def command_help() -> Iterator[str]:
    """Yield the help of `remem` and of each command as Markdown."""
    import typer
    from typer.testing import CliRunner

    from remem.cli.main import app

    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
    os.environ.update(plain)  # rich reads the width from here, whatever CliRunner is given
    verbs = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for verb in ("", *sorted(verbs)):
        words = [verb, "--help"] if verb else ["--help"]
        done = CliRunner().invoke(app, words, env=plain, prog_name="remem")
        if done.exit_code:
            raise RuntimeError(f"remem {verb} --help failed: {done.output}") from done.exception
        lines = "\n".join(line.rstrip() for line in done.output.strip().splitlines())
        yield f"## `{' '.join(('remem', *words[:-1]))}`\n"
        yield f"```\n{lines}\n```\n"
