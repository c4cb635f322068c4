"""`remem log chat`: questions about your own log, one after the other."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from remem.apps.own_log.ask import ALL_BRANCHES, DAY_FIRST
from remem.cli.arguments import Overrides
from remem.reports.terminal.console import say

PROMPT = "> "


def chat(
    log: Annotated[Path, typer.Argument(help="a log in any format that remem log ask reads")],
    overrides: Overrides = None,
    day_first: Annotated[
        bool | None, typer.Option("--day-first/--month-first", help=DAY_FIRST)
    ] = None,
    all_branches: Annotated[bool, typer.Option("--all-branches", help=ALL_BRANCHES)] = False,
    evidence: Annotated[
        bool,
        typer.Option("--evidence", help="show the evidence that was found, and how it was found"),
    ] = False,
) -> None:
    """Ask questions about a log, one after another; Ctrl-D quits.

    The log is read and indexed once, and none of it is kept. A question such as "and when?"
    uses the one before it. To keep a memory, use remem log ask.

    Example: remem log chat diary.txt
    """
    from tempfile import TemporaryDirectory

    from remem.apps.own_log.log_answer import is_follow_up
    from remem.apps.own_log.log_memory import NAME, open_memory
    from remem.apps.own_log.log_output import show_answer, show_log
    from remem.apps.own_log.logs.reading import read_log
    from remem.errors import ModelUnavailableError, UsageError

    if (log / NAME).is_file():
        raise UsageError(
            f'{log} is a memory, expected a log: ask it with remem log ask {log} "<question>"'
        )
    log_messages = read_log(log, day_first=day_first, all_branches=all_branches)
    show_log(log_messages)
    with (
        TemporaryDirectory(prefix="remem-chat-") as folder,
        open_memory(Path(folder), overrides or [], make=True) as opened,
    ):
        opened.add(log_messages.messages)
        former = ""
        for question in _questions():
            try:
                show_answer(opened.ask(question, former), evidence=evidence)
            except ModelUnavailableError as error:
                say(f"remem: {error}", err=True)
            former = f"{former} {question}" if is_follow_up(question) else question


def _questions() -> Iterator[str]:
    """Yield the questions that the user types, or the lines of piped input."""
    if not sys.stdin.isatty():
        yield from filter(None, (line.strip() for line in sys.stdin))
        return
    with suppress(ImportError):  # Windows has none
        import readline  # noqa: F401  gives input() a history and arrow keys
    while True:
        try:
            question = input(PROMPT).strip()
        except EOFError:
            say("")
            return
        if question:
            yield question
