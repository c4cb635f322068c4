"""Small model: a language model on this machine that needs no key, with its readers and judge."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "serve": {
        "model": "Serve a small language model as /v1/chat/completions on this machine.",
    },
}
