"""What reads prompts of other people, and what looks for keys."""

from functools import cache
from random import Random
from typing import Any, NamedTuple

import yaml
from fuzzing.data_targets import write
from fuzzing.harness import Target
from fuzzing.mutation import STRINGS, changed_bytes, changed_json, changed_text, deep

from remem.config.conf_files import conf_folder
from remem.errors import UsageError
from remem.files.secret_values import check_secrets
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import own_library

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
    """Return YAML that is changed in its structure, its text or its bytes."""
    if rng.random() < 0.01:
        return deep(rng).encode()
    changed = changed_json(rng, value) if rng.random() < 0.7 else value
    try:
        text = yaml.safe_dump(changed, allow_unicode=True)
    except RecursionError:  # of the writer, for what is nested too deeply
        return deep(rng).encode()
    if rng.random() < 0.4:
        text = odd_yaml(rng, text)
    if rng.random() < 0.3:
        text = changed_text(rng, text, 2)
    content = text.encode("utf-8", "replace")
    return changed_bytes(rng, content, 2) if rng.random() < 0.1 else content


def odd_yaml(rng: Random, text: str) -> str:
    """Put a line somewhere that no configuration needs."""
    lines = text.splitlines()
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(ODD))
    return "\n".join(lines)


@cache
def choice(name: str) -> Any:
    """Return a file of `conf` as plain data."""
    file = conf_folder() / f"{name}.yaml"
    return yaml.safe_load(file.read_bytes()) if file.is_file() else {"name": name}


PROMPT = (
    "=== system ===\nAnswer {{ question }}.\n{% for one in items %}- {{ one }}\n{% endfor %}\n"
    "=== user ===\n{{ passage }}\n"
)
PIECES = (
    *("{{ question.__class__.__mro__ }}", "{% include '/etc/passwd' %}", "{{ 9 ** 9 }}", "{% if"),
    *(
        "{% for a in range(9) %}x{% endfor %}",
        "{{ lipsum }}",
        "{{ cycler.__init__ }}",
        "=== tool ===",
    ),
    *(
        "{% set x = 1 %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ items[0][0][0] }}",
        "{#",
    ),
    *(
        "{{ 'a' * 99 }}",
        "{% import 'x' as y %}",
        "{% extends 'x' %}",
        "{{ question|nothing }}",
        "{{ 1/0 }}",
    ),
)


def _prompt(rng: Random) -> bytes:
    text = changed_text(rng, PROMPT, 3)
    if rng.random() < 0.5:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(PIECES) + text[at:]
    content = text.encode("utf-8", "replace")
    return changed_bytes(rng, content, 2) if rng.random() < 0.1 else content


def read_prompt(content: bytes) -> None:
    """Read a prompt of one's own and fill it in."""
    prompt = chosen_prompt(own_library(), str(write("mine.txt", content)))
    for message in prompt.render(
        question="Who?", passage="=== user ===\n{{ x }}", items=["a", "b"]
    ):
        assert "root:" not in message.content


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
    """See that a key is found wherever it is, and repeated by no message."""
    try:
        check_secrets("it", held.value, ENVIRONMENT)
    except UsageError as error:
        assert not any(key in str(error) for key in (KEY, KEY[::-1]))
        raise
    assert not held.has_key


TARGETS = (
    Target("settings: prompts", _prompt, read_prompt),
    Target("settings: keys", _held, look_for_keys, (UsageError,)),
)
