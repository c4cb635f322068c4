"""Rivals: programs of other projects as memories, and a gateway to our models for them."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "serve": {
        "gateway": "Lend a model and an embedder to other programs, over OpenAI's protocol.",
    },
}
