"""Small model: a language model on this machine, which needs no key, and the parts made for it."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "serve": {
        "model": "Serve a small language model as /v1/chat/completions on this machine.",
    },
}
