"""`remem log ask`: ask a memory of your own logs; each answer names its source."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.arguments import Json, Overrides, say_json
from remem.config.config_dir import GRANTED, TRUST
from remem.config.override_text import is_override

DAY_FIRST = (
    "in dates such as 04/02/2024 the day (or month) comes first; by default the file decides"
)
ALL_BRANCHES = "also read the answers of a conversation that were later replaced"


def ask(  # noqa: PLR0917  each is an option of the command line
    memory: Annotated[Path, typer.Argument(help="folder of the memory")],
    question: Annotated[
        str, typer.Argument(help="what to ask; leave it out to only add logs")
    ] = "",
    overrides: Overrides = None,
    add: Annotated[
        list[Path] | None,
        typer.Option(
            help="add a log: WhatsApp, Telegram, Slack, Discord, Messenger, ChatGPT, Claude, "
            "Markdown, JSON or text; repeatable"
        ),
    ] = None,
    day_first: Annotated[
        bool | None, typer.Option("--day-first/--month-first", help=DAY_FIRST)
    ] = None,
    all_branches: Annotated[bool, typer.Option("--all-branches", help=ALL_BRANCHES)] = False,
    evidence: Annotated[
        bool,
        typer.Option("--evidence", help="show the evidence that was found, and how it was found"),
    ] = False,
    trust_config: Annotated[
        Path | None,
        typer.Option(
            help=f"to trust a memory that you made yourself, give its folder again; this {GRANTED}"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Ask a memory of your own logs; --add creates it or adds new messages.

    The answer is a sentence of the log with its date and its line; with llm=<a model> it is the
    model's sentence.

    Example: remem log ask memory "When did Ann move to Oslo?" --add diary.txt
    """
    from remem.apps.own_log.log_memory import open_memory
    from remem.apps.own_log.log_output import answer_json, show_answer, show_log
    from remem.apps.own_log.logs.reading import read_log
    from remem.errors import UsageError
    from remem.reports.terminal.console import safe_console, say

    if is_override(question):
        question, overrides = "", [question, *(overrides or [])]
    if memory.is_file():
        raise UsageError(
            f"{memory} is a file, expected the folder of a memory; to add the log to a memory: "
            f"remem log ask <memory> --add {memory}; to ask only this log: remem log chat {memory}"
        )
    if not question and not add:
        raise UsageError(f"no question or log given for {memory}: ask a question, or --add a log")
    if trust_config is not None:
        if trust_config.resolve() != memory.resolve():
            raise UsageError(
                f"{TRUST} {trust_config} is not the folder of the memory; expected {memory}"
            )
        safe_console(stderr=True, soft_wrap=True).print(f"remem: {TRUST} {GRANTED}", markup=False)
    logs = [read_log(path, day_first=day_first, all_branches=all_branches) for path in add or []]
    trusted, added, answer = trust_config is not None, [], None
    with open_memory(memory, overrides or [], make=bool(logs), trusted=trusted) as opened:
        for log in logs:
            show_log(log)
            new = opened.add(log.messages)
            say(f"{log.path}: new messages: {new} of {len(log.messages)}", err=True)
            counts = {"messages": len(log.messages), "new": new}
            added.append({"path": log.path, "format": log.format, **counts})
        if question:
            answer = opened.ask(question)
        if answer is not None and not json:
            show_answer(answer, evidence=evidence)
    if json:
        answered = None if answer is None else answer_json(question, answer, evidence=evidence)
        say_json("log ask", memory=memory, added=added, answered=answered)
