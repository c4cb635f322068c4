"""The `remem` command: the list of its verbs, each a function of this package or of an app.

A verb is imported when it is called, and imports what it needs then, so that help, completion and
mistyped names are quick. Exit codes: 0 done, 1 error, 2 usage, 3 finished with questions in error,
4 budget reached, 5 verification failed, 130 interrupted; an app has others of its own.
"""

import builtins
import gc
import logging
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from remem.apps import app_verbs
from remem.config.override_text import options_first
from remem.errors import UsageError
from remem.reports.terminal.console import InertRecord, say
from remem.run.interruption import GOES_ON, INTERRUPTED, leaving_soon_at_interrupt

GARBAGE = (50_000, 20, 50)
"""Thresholds of gc; with the default ones, a run would often scan objects that stay alive."""

VERBS: Mapping[str, Mapping[str, str]] = {
    "List": {
        "list": "List every name that a command takes: tables, and the choices of each group.",
    },
    "Measure": {
        "run": "Run one configuration, or a sweep with -m.",
        "table": "Run the missing rows of a table, show it, and write it as files and as a page.",
        "tables": "Show and write the tables of the paper next to our runs.",
        "score": "Score records again, under other conventions or corrected labels.",
        "compare": "Compare a score of two runs question by question.",
        "report": "Write a run as one HTML file: scores, plots, every question and its answer.",
        "view": "Show all runs in the browser, or export them as a folder of pages.",
    },
    "Judge": {
        "judge": "Ask a judge for a verdict on every answer of a run that has none.",
        "judge-noise": "Show how much repeats add to the noise of a judge's score.",
        "judge-stress": "Show how many right and wrong generated answers a judge accepts.",
        "label-sheet": "Draw answers of a run for a person to label 1 (right) or 0 (wrong).",
        "error-shares": "Show the share of each kind of error on a labelled sheet.",
        "agree": "Compare metrics, and every judge of the run, with people's labels.",
    },
    "Check": {
        "doctor": "Check Python, extras, GPU, data, disk, key and endpoint; say how to fix each.",
        "audit": "Check the data files: their checksums, what loaders find, and known flaws.",
        "paper-audit": "Check the numbers that the paper prints against each other.",
        "estimate": "Estimate the calls, tokens and dollars of a run; nothing is sent.",
        "live-check": "Try a live model on twenty questions, for a few cents.",
        "verify": "Check a bundle's checksums and score its runs again; no data is needed.",
    },
    "Share": {
        "bundle": "Pack runs with the replies and vectors they need; each is replayed first.",
        "replay": "Answer the runs of a bundle again from its replies and your data.",
    },
    "Try": {
        "extract": "Show the gists and facts of a text.",
        "graph": "Build the memory graphs of a dataset and show their average properties.",
        "classify": "Sort a dataset's questions into the paper's temporal classes.",
    },
    "Serve and fetch": {
        "fetch": "Download missing data files into REMEM_DATA and verify their checksums.",
        "fetch-prompts": "Download prompts that are not shipped, and verify their checksums.",
        "serve-embeddings": "Serve an embedder as /v1/embeddings on this machine.",
        "serve-stub": "Serve a stub of a language model, to rehearse runs at no cost.",
        "wandb-push": "Copy finished runs to W&B; pushing again updates them.",
    },
}
"""The commands of the core with their help, grouped as in `remem --help`."""

MODULES: Mapping[str, tuple[str, ...]] = {
    "measure": ("run", "score", "compare"),
    "tables": ("table", "tables"),
    "pages": ("report", "view", "wandb-push"),
    "judging": ("judge", "judge-noise", "judge-stress", "label-sheet", "error-shares", "agree"),
    "readiness": ("list", "doctor", "estimate", "live-check"),
    "data": ("audit", "paper-audit", "fetch", "fetch-prompts"),
    "bundles": ("verify", "bundle", "replay"),
    "explore": ("extract", "graph", "classify"),
    "serving": ("serve-embeddings", "serve-stub"),
}
"""The modules of this package that have several commands; any other command has its own."""

PASSES_ARGUMENTS_ON = "run"
"""The command whose arguments Hydra parses itself."""


def function_of(verb: str) -> str:
    """Return the name of the function of a command, and of a module that has no other command.

    >>> function_of("paper-audit"), function_of("import"), function_of("list")
    ('paper_audit', 'import_', 'list_')
    """
    name = verb.replace("-", "_")
    return f"{name}_" if iskeyword(name) or hasattr(builtins, name) else name


def headings() -> Mapping[str, Mapping[str, str]]:
    """Return the commands of the core and of the apps with their help, by heading."""
    shown = {heading: dict(verbs) for heading, verbs in VERBS.items()}
    for verb in app_verbs():
        shown.setdefault(verb.heading, {})[verb.name] = verb.help
    return shown


def modules() -> Mapping[str, str]:
    """Return the module of each command; none is imported."""
    shared = {name: module for module, names in MODULES.items() for name in names}
    names = [name for verbs in VERBS.values() for name in verbs]
    ours = {name: f"remem.cli.{shared.get(name, function_of(name))}" for name in names}
    of_apps = {verb.name: f"{verb.package}.{function_of(verb.name)}" for verb in app_verbs()}
    return {**ours, **of_apps}


class Verb(TyperCommand):
    """Takes its overrides in any place behind its name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move the overrides behind names and paths, unless the shell completes a word."""
        takes_overrides = any("KEY=VALUE" in (option.metavar or "") for option in self.params)
        for word, following in pairwise((*args, "key=value")):
            option, is_one, change = word.partition("=")
            if option == "--override" and takes_overrides:
                change = change if is_one else following
                raise UsageError(f"no option --override: write {change} bare, without it")
        if not ctx.resilient_parsing:
            with_a_value = [
                name
                for option in self.params
                if option.param_type_name == "option" and not getattr(option, "is_flag", False)
                for name in option.opts
            ]
            args = options_first(args, with_a_value)
        return super().parse_args(ctx, args)


class LazyVerbs(Mapping[str, Any]):
    """Every verb by name; looking one up imports its module."""

    def __getitem__(self, name: str) -> Any:
        """Import the module of a verb and return its command."""
        module = import_module(modules()[name])
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        passing = {"allow_extra_args": True, "ignore_unknown_options": True}
        settings = passing if name == PASSES_ARGUMENTS_ON else None
        app.command(name, cls=Verb, context_settings=settings)(getattr(module, function_of(name)))
        return typer.main.get_command(app)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names; nothing is imported."""
        return iter(modules())

    def __len__(self) -> int:
        """Count the verbs."""
        return len(modules())


class GroupedVerbs(TyperGroup):
    """Shows the verbs under their headings, as plain text: rich would double the time."""

    def __init__(self, **settings: Any) -> None:
        """Take the verbs of the core and of the apps in place of registered ones."""
        super().__init__(**settings)
        self.commands: Any = LazyVerbs()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all verbs; nothing is imported."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # click's, or typer's own copy
        """Write the verbs of each heading."""
        for heading, verbs in headings().items():
            with formatter.section(heading):
                formatter.write_dl(list(verbs.items()))


app = typer.Typer(
    cls=GroupedVerbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"remem {version('remem')}")
        raise typer.Exit


@app.callback()
def remem(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="show the version"),
    ] = False,
) -> None:
    """Reproduce, audit and beat the tables of the REMem paper."""


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(*GARBAGE)
    logging.setLogRecordFactory(InertRecord)
    try:
        with leaving_soon_at_interrupt():
            app(prog_name="remem")  # ends by SystemExit: done, misused (2) or interrupted (130)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            say(f"remem: {GOES_ON}", err=True)
        raise
    except Exception as error:
        from remem.cli.error_messages import ending

        ended = ending(error)
        if ended is None:
            raise
        say(f"remem: {ended.message}", err=True)
        sys.exit(ended.code)
