"""Check that a server used the requested model and read the entire prompt.

Some servers answer with another model, and some cut a prompt that is longer than their context.
"""

import re
from collections.abc import Iterable

_NAME = re.compile(r"^(?:.*/)?(.*?)(?:\.gguf|:latest)?$", re.DOTALL)
_SNAPSHOT = re.compile(
    r"(?:[-@:](?:\d{3,4}|\d{6}|\d{8}|\d{4}-\d{2}-\d{2}|latest|preview(?:-\d\d-\d{2,4})?))?"
)
"""The suffix that a server adds to a model's name for the version that answered."""
_WORD = re.compile(r"[^\W_]\S*")


def is_other_model(asked: str, replied: str) -> bool:
    """Return whether a reply names a different model than the requested one.

    A provider before the name is ignored. A snapshot date, ":latest" or a route such as ":free"
    after the name is ignored too.

    >>> is_other_model("openai/gpt-4o-mini:free", "gpt-4o-mini-2024-07-18")
    False
    >>> is_other_model("gpt-4o", "gpt-4o-mini"), is_other_model("llama3.1", "llama3.1:latest")
    (True, False)
    """
    if not replied.strip():
        return False
    ours, theirs = _bare(asked).removesuffix("-latest"), _bare(replied)
    names = (ours, ours.partition(":")[0])
    return not any(
        theirs.startswith(name) and _SNAPSHOT.fullmatch(theirs.removeprefix(name)) for name in names
    )


def fewest_tokens(texts: Iterable[str]) -> int:
    """Return the least number of tokens that any tokenizer needs for the texts: one per word.

    >>> fewest_tokens(["Ann's dog, 3 years old."])
    5
    """
    return sum(len(_WORD.findall(text)) for text in texts)


def _bare(name: str) -> str:
    match = _NAME.match(name.strip().lower())
    return (match[1] if match else name).replace(".", "")  # Azure writes gpt-35-turbo
