"""Arguments and options that several commands have, with their checks and shell completion.

Completion first suggests the groups of conf, then the choices of a group. Bash passes `method=re`
as the three words `method`, `=` and `re`, and replaces only the last word. Zsh and fish pass a
single word.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remem.cli.names import (
    NOT_OVERRIDES,
    Names,
    convention_names,
    descriptions,
    group_names,
    one_of,
    score_names,
)
from remem.config.suggestions import did_you_mean
from remem.errors import UsageError
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from remem.config.settings import Dataset
    from remem.metrics.convention import Score, ScoreConvention

FOLDERS = ("--config-dir", "-cd", "--trust-config")

Packages = Annotated[
    list[str] | None,
    typer.Option("--package", help="a package of yours whose classes are allowed; repeatable"),
]
"""Further packages whose classes an untrusted run or bundle may build."""
Json = Annotated[
    bool, typer.Option("--json", help="print the result as one JSON object, for other programs")
]


def say_json(command: str, **parts: Any) -> None:
    """Print the result of a command as one JSON object on stdout; progress stays on stderr."""
    from remem.reports.terminal.json_output import as_json

    say(as_json(command, parts))


def check_run(folder: Path) -> Path:
    """Return the folder if it is a run, else raise a UsageError that suggests a similar run."""
    from remem.run.store import RECORDS

    if (folder / RECORDS).is_file():
        return folder
    if folder.is_dir():
        below = next(
            (path for at in ("*", "*/*", "*/*/*") for path in folder.glob(f"{at}/{RECORDS}")), None
        )
        reason = f"has no {RECORDS}"
        near = f"; did you mean {str(below.parent)!r}?" if below else ""
    else:
        siblings = folder.parent.iterdir() if folder.parent.is_dir() else ()
        reason = "does not exist"
        near = did_you_mean(folder.name, [path.name for path in siblings])
    raise UsageError(
        f"{folder} is not a run: it {reason}; expected a folder that remem run printed, such as "
        f"results/runs/<dataset>/<method>/<models>{near}"
    )


def check_runs(folders: list[Path]) -> list[Path]:
    """Raise UsageError if a folder is not a run."""
    return [check_run(folder) for folder in folders]


def check_runs_or_sweeps(folders: list[Path]) -> list[Path]:
    """Raise UsageError if a folder is neither a run nor a sweep."""
    from remem.run.sweep_jobs import is_sweep

    return [folder if is_sweep(folder) else check_run(folder) for folder in folders]


RunFolder = Annotated[Path, typer.Argument(help="folder of a run", callback=check_run)]
RunFolders = Annotated[list[Path], typer.Argument(help="folders of runs", callback=check_runs)]
ScoreDir = Annotated[
    Path | None,
    typer.Option("--config-dir", help="a folder with your own scores: score/<name>.yaml"),
]
Scores = Annotated[
    list[str] | None,
    typer.Option("--score", help="a score; repeatable", autocompletion=score_names),
]


def check_sets(sets: Names) -> Names:
    """Raise UsageError if a value of --set starts with an unknown convention."""
    options = [sets] if isinstance(sets, str) else sets or []
    begins = [option.partition(",")[0] for option in options]
    one_of("convention", convention_names)([begin for begin in begins if "=" not in begin])
    return sets


Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="how to score: a convention, or one with changes, such as strict,f1=mem0; repeatable",
        callback=check_sets,
        autocompletion=convention_names,
    ),
]
OneSet = Annotated[
    str,
    typer.Option(
        "--set",
        help="how to score: a convention, or one with changes, such as strict,f1=mem0",
        callback=check_sets,
        autocompletion=convention_names,
    ),
]


def read_convention(
    name: str, dataset: "Dataset", scores: tuple["Score", ...] = ()
) -> "ScoreConvention":
    """Return a score convention for a dataset; `name` may have changes, as in `strict,f1=mem0`."""
    from remem.results.conventions import score_sets

    return score_sets([name], dataset.released_f1, scores)[name]


def complete_override(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the possible next words, each with its description."""
    before = _words_before(ctx)
    group, is_split = _group_before(before, incomplete)
    options = (ctx.params.get("config_dir"), ctx.params.get("trust_config"))
    folders = [*_folders(before), *filter(None, options)]
    if is_split:
        return list(_choices(group, folders, ""))
    group, has_sign, _ = incomplete.partition("=")
    if has_sign:
        return list(_choices(group, folders, f"{group}="))
    names = [name for name in _groups() if name.startswith(incomplete)]
    if len(names) == 1:  # the choices at once: a shell puts a space after a single word
        return list(_choices(names[0], folders, f"{names[0]}="))
    return [(f"{name}=", "") for name in names]


def complete_names(
    names: Callable[[], Mapping[str, str]],
) -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    """Return a function that completes a word to an override or to one of `names`.

    The function `names` returns each name with its description.
    """

    def complete(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        overrides = complete_override(ctx, incomplete)
        if _group_before(_words_before(ctx), incomplete)[1]:
            return overrides
        begun = [(name, about) for name, about in names().items() if name.startswith(incomplete)]
        return [*begun, *overrides]

    return complete


Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[KEY=VALUE]...", help="Hydra overrides", autocompletion=complete_override
    ),
]


def _words_before(ctx: typer.Context) -> list[str]:
    return [str(word) for word in ctx.params.get("overrides") or ctx.params.get("words") or ()]


def _group_before(before: Sequence[str], incomplete: str) -> tuple[str, bool]:
    """Return the group before the "=" at which bash has split a word, and whether it did so."""
    if len(before) > 1 and before[-1] == "=":
        return before[-2], True
    if before and before[-1] in _groups() and not incomplete:
        return before[-1], True
    return "", False


def _groups() -> list[str]:
    return [name for name in group_names() if name not in NOT_OVERRIDES]


def _choices(group: str, folders: Sequence[Path], prefix: str) -> Iterator[tuple[str, str]]:
    if group in _groups():
        own = (path for folder in folders for path in sorted((folder / group).glob("*.yaml")))
        for name, about in {**descriptions(group), **{path.stem: "" for path in own}}.items():
            yield f"{prefix}{name}", about


def _folders(before: Sequence[str]) -> Iterator[Path]:
    """Yield the user's folders that are named by the options in these words."""
    for word, following in zip(before, [*before[1:], ""][: len(before)], strict=True):
        option, has_sign, folder = word.partition("=")
        if option in FOLDERS:
            yield Path(folder if has_sign else following)
