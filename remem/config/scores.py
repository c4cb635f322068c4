"""The scores of `conf/score`, and additional scores of a configuration.

To add a score, write `score/<name>.yaml` in a folder of `--config-dir`, select it with
`+score=<name>`, and admit the package of its function with `run.packages`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from remem.config.conf_files import conf_choices
from remem.config.instantiation import OURS, built, check_arguments, check_targets
from remem.errors import UsageError
from remem.files.plain_text import read_plain_yaml
from remem.metrics.convention import Score, ScoreConvention

SETTINGS = frozenset({"heading", "unit", "better", "order", "needs", "build"})


@cache
def our_scores() -> tuple[Score, ...]:
    """Return the scores of `conf/score`, in their order."""
    found = {file.stem: read_plain_yaml(file) for file in conf_choices("score")}
    names = sorted(found, key=lambda name: found[name]["order"])
    return tuple(_score(name, found[name], OURS) for name in names)


def all_scores(added: Mapping[str, Any], packages: Sequence[str]) -> tuple[Score, ...]:
    """Return our scores, followed by those that a configuration adds.

    Args:
        added: The group `score` of a configuration: the settings of each score, by its name.
        packages: The packages whose functions it may name.

    Raises:
        UsageError: An added score has the name of one of ours, or its settings are wrong.
    """
    ours = our_scores()
    for name in added:
        if name in {score.name for score in ours}:
            raise UsageError(f"score.{name}: remem has a score of this name; choose another")
    scores = (*ours, *(_score(name, added[name], packages) for name in sorted(added)))
    _check_headings(scores)
    return scores


def score_headings(added: Mapping[str, Any]) -> dict[str, str]:
    """Return the headings of our scores and of added scores by name, without building any score.

    Args:
        added: The settings of added scores, by name.

    Raises:
        UsageError: The heading of an added score is missing or is not text.
    """
    headings = {score.name: score.heading for score in our_scores()}
    for name, settings in added.items():
        heading = settings.get("heading") if isinstance(settings, Mapping) else None
        if not isinstance(heading, str):
            raise UsageError(f"score.{name}: heading is {repr(heading)[:80]}, expected text")
        headings[name] = heading
    return headings


def checked_convention(names: Mapping[str, Any], scores: tuple[Score, ...]) -> ScoreConvention:
    """Return the convention with these choices, after checking them.

    Raises:
        UsageError: A choice is unknown.
    """
    if "scores" in names:
        raise UsageError(
            "convention.score has no key 'scores'; set dataset.scores to choose the scores shown"
        )
    check_arguments("convention.score", ScoreConvention, names)
    try:
        return ScoreConvention(**names, scores=scores)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _check_headings(scores: Sequence[Score]) -> None:
    """Raise UsageError if two scores have the same heading, because readers could confuse them."""
    names: dict[str, str] = {}
    for score in scores:
        if score.heading in names:
            raise UsageError(
                f"score.{score.name}.heading is {score.heading!r}, as is that of "
                f"{names[score.heading]}; choose another heading"
            )
        names[score.heading] = score.name


def _score(name: str, settings: object, packages: Sequence[str]) -> Score:
    where = f"score.{name}"
    if not isinstance(settings, Mapping) or not settings.keys() <= SETTINGS:
        raise UsageError(
            f"{where} is {repr(settings)[:80]}; expected {', '.join(sorted(SETTINGS))}. A file "
            f"score/{name}.yaml begins with the line '# @package score.{name}'"
        )
    shown = {key: value for key, value in settings.items() if key not in ("order", "build")}
    arguments = {**shown, "name": name, "needs": tuple(shown.get("needs", ()))}
    check_arguments(where, Score, arguments)
    if "build" not in settings:
        if "judge" not in arguments["needs"]:
            raise UsageError(f"{where} has no build, and needs no judge: name its function there")
        return Score(**arguments)
    check_targets(where, settings["build"], packages)
    return Score(**arguments, function=built(settings["build"]))
