"""The program `remem` and its commands, which are functions in this package or in an app.

A command is imported only when it is called, so that help, completion and errors about unknown
commands are quick. Exit codes: 0 done, 1 error, 2 usage, 3 finished but questions failed, 4 budget
reached, 5 verification failed, 130 interrupted. Apps can have further codes.
"""

import builtins
import gc
import logging
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from keyword import iskeyword
from traceback import format_exception
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from remem.apps import app_verbs
from remem.config.override_text import options_first
from remem.config.suggestions import did_you_mean_by, either
from remem.errors import UsageError
from remem.files.plain_text import cut
from remem.reports.terminal.console import InertRecord, say
from remem.run.interruption import GOES_ON, INTERRUPTED, leaving_soon_at_interrupt

LONGEST_MESSAGE = 4_000
"""Maximum characters of a message, which may quote an untrusted file."""
GARBAGE = (50_000, 20, 50)
"""Thresholds of garbage collection; the defaults would often scan objects that stay alive."""

COMMANDS: Mapping[str, str] = {
    "run": "Run one configuration, or a sweep with -m.",
    "table": "Run the missing rows of a table, show it, and write it as files and as a page.",
    "score": "Score records again, under other conventions or corrected labels.",
    "compare": "Compare runs question by question by one score, each with the first run.",
    "diagnose": "Give each wrong answer one cause, and say what to fix first.",
    "report": "Write a run as one HTML file: scores, plots, every question and its answer.",
    "view": "Show all runs in the browser, or export them as a folder of pages.",
    "list": "List every name that a command takes: tables, and the choices of each group.",
    "doctor": "Check Python, extras, GPU, data, disk, key and endpoint; say how to fix each.",
    "estimate": "Estimate the calls, tokens and dollars of a run; nothing is sent.",
    "wandb": "Copy finished runs to W&B; pushing again updates them.",
}
MODULES: Mapping[str, str] = {
    **dict.fromkeys(("run", "score", "compare"), "measure"),
    "diagnose": "diagnose",
    "table": "tables",
    **dict.fromkeys(("report", "view", "wandb"), "pages"),
    **dict.fromkeys(("list", "doctor", "estimate"), "readiness"),
}
"""The module of each of these commands in this package."""

GROUPS: Mapping[str, str] = {
    "data": "Data, prompts, the paper's numbers",
    "judge": "Judges of answers, and people's labels",
    "bundle": "Runs in one file that replays",
    "serve": "Servers on this machine",
}
VERBS: Mapping[str, Mapping[str, str]] = {
    "data": {
        "fetch": "Download missing data files into REMEM_DATA and verify their checksums.",
        "prompts": "Download prompts that are not shipped, and verify their checksums.",
        "audit": "Check the data files: their checksums, what the loaders find, and known flaws.",
        "paper": "Count the paper's numbers that can be compared, and say why others cannot.",
        "graph": "Build the memory graphs of a dataset and show their average properties.",
        "classify": "Sort a dataset's questions into the paper's temporal classes.",
        "extract": "Show the gists and facts of a text.",
    },
    "judge": {
        "run": "Ask a judge for the missing verdicts on the answers of a run.",
        "noise": "Show how much a judge's verdicts vary when it is asked repeatedly.",
        "stress": "Show how many right and wrong generated answers a judge accepts.",
        "label": "Draw answers of a run for a person to label 1 (right) or 0 (wrong).",
        "shares": "Show the share of each kind of error on a labelled sheet.",
        "agree": "Compare metrics, and every judge of the run, with people's labels.",
    },
    "bundle": {
        "pack": "Pack runs with the replies and vectors they need; each is replayed first.",
        "verify": "Check a bundle's checksums and score its runs again; no data is needed.",
        "replay": "Answer the runs of a bundle again from its replies, and show their table.",
    },
    "serve": {
        "embeddings": "Serve an embedder as /v1/embeddings on this machine.",
        "stub": "Serve a stub language model, to rehearse runs at no cost.",
    },
}
"""The commands of each group of the core; the module of a group is `remem.cli.<group>`."""

PLAIN: Mapping[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None}
PASSES_ARGUMENTS_ON = "run"
"""The command whose arguments Hydra parses itself."""


def function_of(verb: str) -> str:
    """Return the name of the Python function that runs a command.

    >>> function_of("import"), function_of("list"), function_of("gate")
    ('import_', 'list_', 'gate')
    """
    return f"{verb}_" if iskeyword(verb) or hasattr(builtins, verb) else verb


def groups() -> Mapping[str, Mapping[str, str]]:
    """Return the commands of each group and their help texts, for the core and the apps."""
    shown = {group: dict(verbs) for group, verbs in VERBS.items()}
    for verb in app_verbs():
        shown.setdefault(verb.group, {})[verb.name] = verb.help
    return shown


def modules() -> Mapping[str, str]:
    """Return the module of each command, such as "data fetch", without importing any."""
    top = {name: f"remem.cli.{module}" for name, module in MODULES.items()}
    ours = {
        f"{group} {name}": f"remem.cli.{group}" for group, verbs in VERBS.items() for name in verbs
    }
    of_apps = {
        f"{verb.group} {verb.name}": f"{verb.package}.{function_of(verb.name)}"
        for verb in app_verbs()
    }
    return {**top, **ours, **of_apps}


def short_names(names: Iterable[str]) -> Mapping[str, str]:
    """Return the full name of a command for each short name that people type.

    >>> short_names(["judge noise", "run"])["noise"], short_names(["judge noise"])["judge-noise"]
    ('remem judge noise', 'remem judge noise')
    """
    listed = list(names)[::-1]  # of two commands with the same name, the one of the core
    short = {name.rpartition(" ")[2]: name for name in listed if " " in name}
    short |= {name.replace(" ", "-"): name for name in listed}  # table is not log table
    return {word: f"remem {name}" for word, name in short.items()}


class Verb(TyperCommand):
    """A command that accepts overrides anywhere after its name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move overrides to the end, except during shell completion, and parse the arguments."""
        takes_overrides = any("KEY=VALUE" in (option.metavar or "") for option in self.params)
        for word, following in pairwise((*args, "key=value")):
            option, is_one, change = word.partition("=")
            if option == "--override" and takes_overrides:
                change = change if is_one else following
                raise UsageError(
                    f"there is no option --override: write only the override, {change}"
                )
        if not ctx.resilient_parsing:
            with_a_value = [
                name
                for option in self.params
                if option.param_type_name == "option" and not getattr(option, "is_flag", False)
                for name in option.opts
            ]
            args = options_first(args, with_a_value)
        for parameter in self.params:
            if hasattr(parameter.type, "readable"):
                parameter.type.readable = False  # opening it explains what to do; click does not
        return super().parse_args(ctx, args)


class LazyVerbs(Mapping[str, Any]):
    """The commands of a group, or of remem itself; each is imported when it is first used.

    Args:
        group: The name of the group; "" for remem itself.
    """

    def __init__(self, group: str) -> None:
        self._group = group

    def __getitem__(self, name: str) -> Any:
        """Import the module of a command and return it, or return a group."""
        if name not in self._names():
            raise KeyError(name)
        if not self._group and name not in COMMANDS:
            return CommandGroup(name=name, help=about_groups()[name], **PLAIN)
        whole = f"{self._group} {name}".strip()
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        passing = {"allow_extra_args": True, "ignore_unknown_options": True}
        settings = passing if whole == PASSES_ARGUMENTS_ON else None
        function = getattr(import_module(modules()[whole]), function_of(name))
        app.command(name, cls=Verb, context_settings=settings)(function)
        return typer.main.get_command(app)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names; nothing is imported."""
        return iter(self._names())

    def __len__(self) -> int:
        """Count the names."""
        return len(self._names())

    def _names(self) -> Collection[str]:
        return groups()[self._group] if self._group else (*COMMANDS, *groups())


def about_groups() -> Mapping[str, str]:
    """Return the description of each group; for a group of an app, the purpose of the app."""
    return {**{verb.group: verb.about for verb in app_verbs()}, **GROUPS}


class CommandGroup(TyperGroup):
    """A group that shows its commands as plain text, which is twice as fast as using rich."""

    def __init__(self, *, name: str | None = None, **settings: Any) -> None:
        """Set up the group with commands that are imported when they are used."""
        super().__init__(name=name, **settings)
        self._group = name if name and name in groups() else ""
        self.commands: Any = LazyVerbs(self._group)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands; nothing is imported."""
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command, or suggest a similar one."""
        if args and args[0] not in self.commands and not ctx.resilient_parsing:
            raise UsageError(self._unknown(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # click's, or typer's own copy
        """Write each command with its help text, then each group with its commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list((groups()[self._group] if self._group else COMMANDS).items()))
        if not self._group:
            about = about_groups()
            with formatter.section("Groups of commands"):
                formatter.write_dl(
                    [
                        (name, f"{about[name]}: {', '.join(verbs)}")
                        for name, verbs in groups().items()
                    ]
                )

    def _unknown(self, word: str) -> str:
        """Return a message about an unknown command, which suggests a similar one."""
        names = [f"{self._group} {name}" for name in self.commands] if self._group else modules()
        near = did_you_mean_by(word, short_names(names)) or f"; choose {either(self.commands)}"
        return f"remem {self._group}".strip() + f" has no command {word!r}{near}"


app = typer.Typer(cls=CommandGroup, pretty_exceptions_enable=False, **PLAIN)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"remem {version('remem')}")
        raise typer.Exit


@app.callback(help="remem measures the memory of language agents.")
def remem(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="show the version"),
    ] = False,
) -> None:
    """Accept the options that come before a command."""


def _say_bug(*bug: Any) -> None:
    say("".join(format_exception(*bug)), err=True)


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(*GARBAGE)
    logging.setLogRecordFactory(InertRecord)
    sys.excepthook = _say_bug
    try:
        with leaving_soon_at_interrupt():
            app(prog_name="remem")  # ends by SystemExit: done, misused (2) or interrupted (130)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            say(f"remem: {GOES_ON}", err=True)
        raise
    except Exception as error:
        from remem.config.error_messages import ending

        ended = ending(error)
        if ended is None:
            raise
        say(f"remem: {cut(ended.message, LONGEST_MESSAGE)}", err=True)
        sys.exit(ended.code)
