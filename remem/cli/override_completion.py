"""Hydra overrides as arguments; a shell completes the groups of conf, then the choices of a group.

Bash gives `method=re` as the three words `method`, `=` and `re`, and replaces the last one; zsh and
fish give it as one word.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import NOT_OVERRIDES, choices, group_names

FOLDERS = ("--config-dir", "-cd", "--trust-config")


def complete_override(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return what may follow, each with its description."""
    before = _before(ctx)
    group, is_split = _group_before(before, incomplete)
    options = (ctx.params.get("config_dir"), ctx.params.get("trust_config"))
    folders = [*_folders(before), *filter(None, options)]
    if is_split:
        return list(_choices(group, folders, ""))
    group, has_sign, _ = incomplete.partition("=")
    if has_sign:
        return list(_choices(group, folders, f"{group}="))
    names = [name for name in _groups() if name.startswith(incomplete)]
    if len(names) == 1:  # the choices at once: a shell puts a space behind a single word
        return list(_choices(names[0], folders, f"{names[0]}="))
    return [(f"{name}=", "") for name in names]


def completed_with(
    names: Callable[[], Mapping[str, str]],
) -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    """Return the completion of words that are names, each with a description, or overrides."""

    def complete(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        overrides = complete_override(ctx, incomplete)
        if _group_before(_before(ctx), incomplete)[1]:
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


def _before(ctx: typer.Context) -> list[str]:
    return [str(word) for word in ctx.params.get("overrides") or ctx.params.get("words") or ()]


def _group_before(before: Sequence[str], incomplete: str) -> tuple[str, bool]:
    """Return the group of a word that bash has split at its sign, and whether it has split one."""
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
        for name, said in {**choices(group), **{path.stem: "" for path in own}}.items():
            yield f"{prefix}{name}", said


def _folders(before: Sequence[str]) -> Iterator[Path]:
    """Yield the folders of one's own that the words before name."""
    for word, following in zip(before, [*before[1:], ""][: len(before)], strict=True):
        option, has_sign, folder = word.partition("=")
        if option in FOLDERS:
            yield Path(folder if has_sign else following)
