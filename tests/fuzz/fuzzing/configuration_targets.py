"""Fuzz the search for keys in configurations, and corrupt YAML files."""

from functools import cache
from random import Random
from typing import Any, NamedTuple

import yaml
from fuzzing.harness import Target
from fuzzing.mutation import STRINGS, changed_bytes, changed_json, changed_text

from remem.config.conf_files import conf_folder
from remem.errors import UsageError
from remem.files.secret_values import check_secrets

CHOICES = (
    "method/remem_i",
    "dataset/locomo",
    "llm/openai_compatible",
    "embedder/api",
    "paths/default",
)
ODD = (
    *("${oc.env:HOME}", "${oc.env:AWS_SECRET_ACCESS_KEY,x}", "${..}", "${a.b", "$" + "{${x}}"),
    *("!!python/object/apply:os.system [true]", "*a", "&a [*a]", "hydra: {}", "<<: *a"),
    *("# @package hydra", "/etc/passwd", "http://127.0.0.1:1", "os.system", "- hydra/launcher: x"),
)
KEY = "sk-0123456789abcdef"
ENVIRONMENT = {"OPENAI_APIKEY": KEY, "GITHUB_PAT_2": f"~{KEY[::-1]}", "PATH": "/usr/bin"}


def changed_yaml(rng: Random, value: Any) -> bytes:
    """Return YAML with changes in its structure, its text or its bytes."""
    changed = changed_json(rng, value) if rng.random() < 0.7 else value
    try:
        text = yaml.safe_dump(changed, allow_unicode=True)
    except RecursionError:  # of the writer, for what is nested too deeply
        return b"[" * 2000
    if rng.random() < 0.4:
        text = odd_yaml(rng, text)
    if rng.random() < 0.3:
        text = changed_text(rng, text, 2)
    content = text.encode("utf-8", "replace")
    return changed_bytes(rng, content, 2) if rng.random() < 0.1 else content


def odd_yaml(rng: Random, text: str) -> str:
    """Insert an unusual line of YAML at a random position."""
    lines = text.splitlines()
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(ODD))
    return "\n".join(lines)


@cache
def choice(name: str) -> Any:
    """Return a file of `conf` as plain data."""
    file = conf_folder() / f"{name}.yaml"
    return yaml.safe_load(file.read_bytes()) if file.is_file() else {"name": name}


class Held(NamedTuple):
    """A configuration, and whether it holds a key."""

    value: Any
    has_key: bool


def _held(rng: Random) -> Held:
    value = changed_json(rng, choice(rng.choice(CHOICES)))
    hidden = rng.random() < 0.5
    if hidden:
        key = rng.choice([ENVIRONMENT["OPENAI_APIKEY"], ENVIRONMENT["GITHUB_PAT_2"]])
        around = rng.choice(("", "x", "Bearer ", "http://h/?q=", *STRINGS[:8]))
        value = {"a": [{"b": value}, {around: {f"{around}{key}{around}": 1, "c": around + key}}]}
    return Held(value, hidden)


def look_for_keys(held: Held) -> None:
    """Check that a key is found wherever it is, and that no error message repeats it."""
    try:
        check_secrets("it", held.value, ENVIRONMENT)
    except UsageError as error:
        assert not any(key in str(error) for key in (KEY, KEY[::-1]))
        raise
    assert not held.has_key


TARGETS = (Target("settings: keys", _held, look_for_keys, (UsageError,)),)
