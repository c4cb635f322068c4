"""Print what `remem log` shows: the preview of a log, an answer, its evidence."""

from typing import TYPE_CHECKING, Any

from remem.reports.terminal.console import safe_console, say

if TYPE_CHECKING:
    from remem.apps.own_log.log_answer import LogAnswer
    from remem.apps.own_log.logs.log import Log
    from remem.types import Fact, Gist

NOTHING = "Nothing in the log answers this."


def show_log(log: "Log") -> None:
    """Print a summary of a log on stderr, with warnings about what was missing or guessed."""
    from rich.text import Text

    from remem.apps.own_log.logs.preview import preview, warnings

    say(preview(log), err=True)
    for warning in warnings(log):
        console = safe_console(stderr=True, soft_wrap=True)
        console.print(Text(f"WARNING: {warning}", style="bold yellow"))


def show_answer(answer: "LogAnswer", *, evidence: bool) -> None:
    """Print an answer with its date and source, and with its evidence if `evidence` is set."""
    from rich.text import Text

    out = safe_console(soft_wrap=True)
    sentence = " ".join(answer.quote.sentence.split()) if answer.quote else ""
    closest = f"The closest line: {sentence}" if sentence else NOTHING
    out.print(Text(" ".join(answer.text.split()) or closest, style="bold"))
    if answer.quote is not None:
        quoted = "" if answer.text in {"", answer.quote.sentence} else f': "{sentence}"'
        out.print(Text(f"  when: {answer.when}"))
        out.print(Text(f"  from: {answer.source}{quoted}"))
    if evidence:
        _show_evidence(answer)
    if answer.usage.calls:
        usage = answer.usage
        tokens_in, tokens_out = usage.shown_tokens
        say(f"{usage.calls} calls, {tokens_in} tokens in, {tokens_out} out", err=True)


def answer_json(question: str, answer: "LogAnswer", *, evidence: bool) -> dict[str, Any]:
    """Return an answer as the object that --json prints.

    If "answer" is "", "sentence" may be the closest sentence of the log.
    """
    quote = answer.quote
    return {
        "question": question,
        "answer": " ".join(answer.text.split()),
        "when": answer.when,
        "source": answer.source,
        "sentence": "" if quote is None else " ".join(quote.sentence.split()),
        "message_id": "" if quote is None else quote.message.id,
        "usage": answer.usage,
        "evidence": answer.evidence if evidence else None,
    }


def _show_evidence(answer: "LogAnswer") -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from remem.passages import undated_line
    from remem.reports.terminal.console import table_console

    out, evidence = table_console(), answer.evidence
    table = Table("evidence", "when", "said in", box=box.SIMPLE_HEAD)
    items: tuple[Gist | Fact, ...] = (*evidence.gists, *evidence.facts)
    for item in items:
        message_lines = "\n".join(
            undated_line(answer.messages[message_id]) for message_id in item.source
        )
        table.add_row(Text(item.text), item.when or "undated", Text(message_lines))
    out.print(table)
    for number, step in enumerate(evidence.steps, start=1):
        arguments = ", ".join(f"{key}={value!r}" for key, value in step.call.arguments.items())
        out.print(Text(f"step {number}: {step.call.tool}({arguments})", style="dim"))
