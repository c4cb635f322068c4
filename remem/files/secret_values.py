"""Keep keys and passwords out of configurations, which are stored in manifests.

Keys come from the environment; a configuration only names the variable.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from remem.errors import UsageError

SECRET_ENDINGS = (
    *("KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE"),
    *("CREDENTIAL", "CREDENTIALS"),
)
SECRET_WORDS = (
    *("PAT", "PASS", "AUTH", "DSN", "WEBHOOK", "COOKIE"),
    *("PWD", "JWT", "BEARER", "SAS"),
)
"""Words that mark a variable as a secret, like words that end in one of SECRET_ENDINGS."""
ABOUT_ANOTHER = ("VARIABLE", "PARAMETER", "NAME")
"""Last words of variable names that hold the name of a secret, not the secret itself."""
FOLDERS = ("PWD", "OLDPWD")
"""Shell variables with the current folder."""
COUNTED = re.compile(r"(MAX|MIN|NUM|N)_.*TOKENS")
NEW_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The start of a word in names such as dbPassword."""
USER = re.compile(r"[a-z][a-z0-9+.-]{0,20}://[^/?#\s]*@", re.IGNORECASE)
QUERY = re.compile(r"[?&]\w{0,60}(key|token|secret|password)=", re.IGNORECASE)
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MASK = "***"
STATED = re.compile(
    r"(?P<before>(?<!full_)(?:key|token|secret|credential|pass(?:word|wd|phrase)?|pwd)[\"']?"
    r"\s{0,3}[=:]\s{0,3}[\"']?|\bbearer\s{1,3}|://[^/\s:@]{0,60}:(?=[^/\s@]{1,200}@))"
    r"[^\s\"',;@]{8,}|\b(?:sk|hf|gh[opsu]|xox[abp]|glpat)[-_][\w-]{12,}|\bgithub_pat_\w{12,}"
    r"|\b(?:AKIA|AIza)[\w-]{12,}",
    re.IGNORECASE | re.ASCII,
)
"""A secret after its name, in a file of variables or an address, or with a vendor's prefix."""
NAMING = "key_variable"
"""The ending of configuration keys that name the environment variable of an API key."""
SHORTEST = 8
"""Minimum length of a secret; shorter values are placeholders ("none") or too common to mask."""


def check_secrets(what: str, value: object, environment: Mapping[str, str]) -> None:
    """Raise an error if a value contains a key or a password; the message does not show it.

    Raises:
        UsageError: A text contains the value of a secret environment variable or is an address
            with credentials, or a setting that must name a variable does not.
    """
    texts = list(_texts(value, what))
    named = {text for place, text in texts if place.endswith(NAMING)}
    keys = {
        name: key
        for name, key in environment.items()
        if len(key) >= SHORTEST
        and (name in named or (is_named_like_a_key(name) and not _is_there(key)))
    }
    for place, text in texts:
        for name, key in keys.items():
            if key in text:
                raise UsageError(
                    f"{place} contains the value of {name}, a secret that would be stored with "
                    f"the run; name the variable instead, as in "
                    f"llm.build.endpoint.key_variable={name}"
                )
        if _has_credentials(text):
            raise UsageError(
                f"{place} is an address with a user name, password or key, which would be stored "
                f"with the run; leave this out, and put the key in an environment variable"
            )
        if place.endswith(NAMING) and not VARIABLE_NAME.fullmatch(text):
            raise UsageError(f"{place} is not the name of an environment variable")


def is_named_like_a_key(name: str) -> bool:
    """Return whether the name of a variable suggests that it contains a secret.

    >>> [is_named_like_a_key(one) for one in ("OPENAI_APIKEY", "apiKeyProd", "PATH", "MONKEYS_1")]
    [True, True, False, True]
    """
    parts = NEW_WORD.sub("_", name).upper()
    words = [word.rstrip("0123456789") for word in parts.split("_")]
    if parts in FOLDERS or words[-1] in ABOUT_ANOTHER or COUNTED.fullmatch(parts):
        return False
    return any(word in SECRET_WORDS or word.endswith(SECRET_ENDINGS) for word in words)


def without_secrets(text: str) -> str:
    """Mask the values of secret environment variables, and texts that look like keys.

    >>> without_secrets("line 1 is 'OPENAI_API_KEY=sk-0123456789abcdef', expected JSON")
    "line 1 is 'OPENAI_API_KEY=***', expected JSON"
    """
    for name, key in os.environ.items():
        if (
            key in text
            and len(key) >= SHORTEST
            and is_named_like_a_key(name)
            and not _is_there(key)
        ):
            text = text.replace(key, MASK)
    return STATED.sub(lambda secret: f"{secret['before'] or ''}{MASK}", text)


def _has_credentials(text: str) -> bool:
    """Return whether an address in a text has a user, a password or a key, in linear time.

    >>> [_has_credentials(one) for one in ("http://a:b@h", "see http://h/?api_key=1", "http://h/")]
    [True, True, False]
    """
    for word in text.split():
        _, address, rest = word.partition("://")
        if address and (USER.search(word) or QUERY.search(rest)):
            return True
    return False


def _is_there(key: str) -> bool:
    """Return whether a value is an existing path, such as that of a key file."""
    try:
        return key.startswith(("/", ".", "~")) and Path(key).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Yield every text of a tree with its place; keys of a mapping have the mapping's place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield place, str(key)
            yield from _texts(part, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part, place)
