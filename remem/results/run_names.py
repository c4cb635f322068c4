"""Name runs by their labels; runs with equal labels are told apart by their settings."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from remem.config.run_config import RunConfig
from remem.files.plain_text import printable
from remem.results.run import Run

RunNames = tuple[str, ...]
"""The names of compared runs, which are never equal."""

CHOICES = ("ablation", "planner", "reader", "extractor", "llm", "prompts", "embedder", "lexical")
"""The groups of conf whose choice can differ between two runs of a method."""

BUILDS = ("method", "reader", "dataset")
"""The groups whose settings make up the fingerprint of a run."""

MOST_NAMED, MOST_CHARACTERS = 3, 40

Change = tuple[str, Any, Any]
"""A key, its value in the first run, and its value in the second."""


def run_names(*runs: Run) -> RunNames:
    """Return names that tell runs apart, such as "BM25 with top_k=10".

    The labels of the methods are enough if they differ. Otherwise, the settings that differ are
    added. If no settings differ, the fingerprints are added. If these are equal too, the letters A,
    B and so on are added.
    """
    configs = [run.config for run in runs]
    names = _with_settings(configs, [config.label for config in configs])
    names = _told_apart(names, [run.manifest.fingerprint for run in runs])
    letters = (ascii_uppercase[place % len(ascii_uppercase)] for place in range(len(runs)))
    return tuple(_told_apart(names, [f"({letter})" for letter in letters]))


def _told_apart(names: Sequence[str], suffixes: Sequence[str]) -> list[str]:
    """Add the suffixes to the names that are not unique, unless all suffixes are equal."""
    if len(set(suffixes)) == 1:
        return list(names)
    counts = Counter(names)
    return [
        f"{name} {suffix}" if counts[name] > 1 else name
        for name, suffix in zip(names, suffixes, strict=True)
    ]


def names_in_list(configs: Sequence[RunConfig]) -> list[str]:
    """Return the name of each run in a list: its label, and the settings that tell it apart.

    Settings are added if other runs on the same dataset have the same label. Runs with equal
    settings have equal names.
    """
    return _with_settings(configs, [(config.dataset, config.label) for config in configs])


def _with_settings(configs: Sequence[RunConfig], groups: Sequence[Hashable]) -> list[str]:
    """Return the label of each run, with the settings in which the runs of its group differ."""
    namesakes: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        namesakes[group].append(place)
    names = [config.label for config in configs]
    for places in namesakes.values():
        settings = _differing([configs[place].without_paths for place in places])
        for place, values in zip(places, settings, strict=True):
            shown = ", ".join(_format_setting(*pair) for pair in list(values.items())[:MOST_NAMED])
            names[place] += f" with {shown}" if shown else ""
    return names


def _differing(settings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each run's values of the settings in which any run differs from the first."""
    first = settings[0]
    changes = [list(_changes(first, other)) for other in settings]
    base = {key: value for of_run in changes for key, value, _ in of_run}
    return [base | {key: value for key, _, value in of_run} for of_run in changes]


def _changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[Change]:
    """Yield the choices that differ, then differing settings that these choices do not explain."""
    explained: list[tuple[Any, Any]] = []
    for group in CHOICES:
        ours, theirs = first.get(group, {}), second.get(group, {})
        if ours.get("name") != theirs.get("name"):
            yield group, ours.get("name"), theirs.get("name")
            explained += [(a, b) for _, a, b in _leaves(group, ours, theirs)]
    named = set()
    for group in BUILDS:
        for key, a, b in _leaves(group, first[group]["build"], second[group]["build"]):
            if (a, b) not in explained and key not in named:
                named.add(key)
                yield key, a, b


def _leaves(key: str, first: Any, second: Any) -> Iterator[Change]:
    """Yield the differing settings below a key, each under the last part of its own key."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for part in sorted(first.keys() | second.keys()):
            yield from _leaves(part, first.get(part), second.get(part))
    elif first != second:
        yield key, first, second


def _format_setting(key: str, value: Any) -> str:
    text = printable("none" if value is None else str(value))
    return f"{key}={text[:MOST_CHARACTERS]}{'…' * (len(text) > MOST_CHARACTERS)}"
