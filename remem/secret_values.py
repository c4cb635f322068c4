"""Keeps keys and passwords out of configurations: whatever one holds is written into manifests.

A key comes from the environment, and a configuration names no more than its variable.
"""

import re
from collections.abc import Iterator, Mapping

from remem.instantiation import UsageError

SECRET_NAME = re.compile(r"(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
CREDENTIALS = re.compile(
    r"[a-z][a-z0-9+.-]*://([^/?#\s]*@|\S*[?&]\w*(key|token|secret|password)=)", re.IGNORECASE
)
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SHORTEST = 8
"""What is shorter stands for no key ("none", "EMPTY"), or would be found anywhere."""


def check_secrets(what: str, value: object, environment: Mapping[str, str]) -> None:
    """Refuse a value that holds a key or a password; no message repeats one.

    Raises:
        UsageError: It holds, or reads, the value of a variable named like a key, an address with
            credentials, or something else than a name where that of a variable belongs.
    """
    keys = {name: key for name, key in environment.items() if _is_secret(name, key)}
    for place, text in _texts(value, what):
        for name, key in keys.items():
            if key in text or re.search(rf"oc\.env: *{name}\b", text):
                raise UsageError(
                    f"{place} holds the value of {name}, and would be written down; name the "
                    f"variable instead, as in llm.build.endpoint.key_variable={name}"
                )
        if CREDENTIALS.search(text):
            raise UsageError(
                f"{place} is an address with a user, a password or a key, and would be written "
                "down; leave them out: a key comes from the environment"
            )
        if place.endswith("key_variable") and not VARIABLE_NAME.fullmatch(text):
            raise UsageError(f"{place} is no name of an environment variable, expected one")


def _is_secret(name: str, key: str) -> bool:
    return bool(SECRET_NAME.search(name)) and len(key) >= SHORTEST and key[0] not in "/.~"


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Yield every text of a tree with its place; the keys of a mapping stand in its own."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield place, str(key)
            yield from _texts(part, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part, place)
