"""Commands before a run: `remem list`, `remem doctor` and `remem estimate`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import Json, Overrides, say_json
from remem.cli.names import DescribedChoice, choices_of, group_names, one_of
from remem.config.config_dir import GRANTED, TRUST
from remem.reports.terminal.console import safe_console, say

if TYPE_CHECKING:
    from omegaconf import DictConfig

STYLES = {"ok": "green", "absent": "yellow", "problem": "red"}


def list_(
    group: Annotated[
        str,
        typer.Argument(
            help="list only this group, such as method",
            callback=one_of("group", group_names),
            autocompletion=group_names,
        ),
    ] = "",
    json: Json = False,
) -> None:
    """List every name that a command takes: tables, and the choices of each group.

    A label is the name that tables show. In a label, <planner> stands for the planner's name.

    Example: remem list method
    """
    choices = {name: choices_of(name) for name in ([group] if group else group_names())}
    if json:
        groups = [{"group": name, "choices": of_group} for name, of_group in choices.items()]
        say_json("list", groups=groups)
        return
    for name, of_group in choices.items():
        say(f"{name}=")
        for line in _lines(of_group):
            say(line)


def _lines(choices: Sequence[DescribedChoice]) -> Iterator[str]:
    """Yield a line for each choice: its name, its label if any has one, and its description."""
    name_width = max(len(choice.name) for choice in choices)
    label_width = max(len(choice.label) for choice in choices)
    for choice in choices:
        label = f"  {choice.label:{label_width}}" if label_width else ""
        yield f"  {choice.name:{name_width}}{label}  {choice.about}".rstrip()


def doctor(
    overrides: Overrides = None,
    trust_config: Annotated[
        Path | None,
        typer.Option(help=f"a folder with method/, llm/ ... that you trust: {GRANTED}"),
    ] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="instead of these checks, ask a model twenty questions, for a few cents",
        ),
    ] = False,
) -> None:
    """Check Python, extras, GPU, data, disk, key and endpoint; say how to fix each.

    Example: remem doctor llm=gpt-4.1-mini-2025-04-14

    A memory is checked with planted facts: it must keep histories apart, keep dates, and not store
    questions. Example: remem doctor method=command 'method.build.command=[my-memory]'

    Example: OPENAI_API_KEY=... REMEM_DATA=/data/memory remem doctor --live
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from remem.benchmarks.files.notes import datasets_folder
    from remem.cli.doctor_checks import examine
    from remem.reports.terminal.console import table_console

    trusted = [f"{TRUST}={trust_config.absolute()}"] if trust_config is not None else []
    changes = [*(overrides or []), *trusted]
    if live:
        try_model(changes)
        return
    findings = list(examine(changes, datasets_folder()))
    table = Table("", "what", "found", "how to fix it", box=box.SIMPLE_HEAD)
    for finding in findings:
        state = Text(finding.state, style=STYLES[finding.state])
        table.add_row(state, finding.what, Text(finding.found), Text(finding.fix))
    table_console().print(table)
    problems = [finding.what for finding in findings if finding.state == "problem"]
    if problems:
        raise RuntimeError(f"found problems with {', '.join(problems)}")


def estimate(
    overrides: Overrides = None,
) -> None:
    """Estimate the calls, tokens and dollars of a run; nothing is sent.

    Example: remem estimate dataset=locomo extractor=llm planner=llm reader=direct llm=<a model>
    """
    from remem.config.run_config import compose_config

    show_estimate(compose_config(overrides or []))


def show_estimate(composed: "DictConfig") -> None:
    """Rehearse a run without sending anything, and show what the run would cost."""
    from remem.config.run_config import run_config
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.run_tables import show_usage
    from remem.results.estimate import estimate as rehearse

    config = run_config(composed)
    costs = rehearse(composed)
    for line in costs.free:
        say(line)
    if not costs.questions:
        return
    model = "" if config.llm == "none" else f" with {config.llm}"
    table_console().print(show_usage(f"{config.label} on {config.dataset}{model}", costs.stages))
    say(
        f"Estimated from a rehearsal of {costs.questions} questions on {costs.histories} "
        f"histories. Its made-up replies are as long as those in the paper, and a token is "
        f"assumed to have 4 characters. Calls that are already in the call store cost nothing."
    )


def try_model(overrides: Sequence[str]) -> None:
    """Ask a live model twenty questions, for a few cents, and show the result."""
    from remem.cli.live_check import (
        check_passed,
        check_ready,
        compose_checks,
        run_check,
        show_check,
    )
    from remem.config.run_config import run_config
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.progress import ProgressView

    composed, *smaller = compose_checks(overrides)
    config, others = run_config(composed), [run_config(choice) for choice in smaller]
    check_ready(config)
    show_estimate(composed)
    check = run_check(config, ProgressView(safe_console(stderr=True), 1 + len(others)), *others)
    table_console().print(show_check(check))
    say(f"Records: {check.result.folder}")
    check_passed(check)
