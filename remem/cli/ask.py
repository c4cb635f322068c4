"""`remem ask`: a memory of your own logs, and its answers with the evidence."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.config.config_dir import GRANTED, TRUST
from remem.reports.terminal.console import safe_console, say

if TYPE_CHECKING:
    from remem.run.log_memory import Asked
    from remem.types import Fact, Gist, Message


def ask(
    memory: Annotated[Path, typer.Argument(help="folder of the memory")],
    question: Annotated[
        str, typer.Argument(help="what to ask; leave it out to only add logs")
    ] = "",
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
    add: Annotated[
        list[Path] | None,
        typer.Option(help="add a log: .json, .jsonl or plain text; repeatable"),
    ] = None,
    trust_config: Annotated[
        Path | None,
        typer.Option(help=f"repeat the memory's folder if you made it yourself: {GRANTED}"),
    ] = None,
) -> None:
    """Ask a memory of your own logs; --add creates it or adds new messages.

    Without a language model it answers with spans of the log; with llm=<a model> it is REMem-I.

    Example: remem ask memory "When did Ann move to Oslo?" --add diary.txt
    """
    from remem.benchmarks.own_log.log import read_log
    from remem.config.instantiation import UsageError
    from remem.run.log_memory import open_memory

    if not question and not add:
        raise UsageError(f"nothing to do with {memory}: give a question, or --add a log")
    if trust_config is not None:
        if trust_config.resolve() != memory.resolve():
            raise UsageError(
                f"{TRUST} {trust_config} is not the folder of the memory; expected {memory}"
            )
        safe_console(stderr=True, soft_wrap=True).print(f"remem: {TRUST} {GRANTED}", markup=False)
    changes = overrides or []
    logs = [(path, read_log(path)) for path in add or []]
    trusted = trust_config is not None
    with open_memory(memory, changes, make=bool(logs), trusted=trusted) as opened:
        for path, told in logs:
            say(f"{path}: {opened.add(told)} of {len(told)} messages were new")
        if question:
            _show(opened.ask(question))


def _show(asked: "Asked") -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from remem.reports.terminal.table_console import table_console

    out = table_console()
    out.print(Text(asked.answer.text, style="bold"))
    evidence = asked.evidence
    table = Table("evidence", "when", "said in", box=box.SIMPLE_HEAD)
    items: tuple[Gist | Fact, ...] = (*evidence.gists, *evidence.facts)
    for item in items:
        said = "\n".join(_said(asked.messages[message_id]) for message_id in item.source)
        table.add_row(Text(item.text), item.when or "undated", Text(said))
    out.print(table)
    for number, step in enumerate(evidence.steps, start=1):
        arguments = ", ".join(f"{key}={value!r}" for key, value in step.call.arguments.items())
        out.print(Text(f"step {number}: {step.call.tool}({arguments})", style="dim"))
    usage = evidence.usage + asked.answer.usage
    if usage.calls:
        say(f"{usage.calls} calls, {usage.prompt_tokens} tokens in, {usage.completion_tokens} out")


def _said(message: "Message") -> str:
    return f"{message.speaker}: {message.text}" if message.speaker else message.text
