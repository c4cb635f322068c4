"""Small model: a language model of this machine, which needs no key, and what is made for it."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "serve": {
        "model": "Serve a small language model as /v1/chat/completions on this machine.",
    },
}
