"""Rivals: other projects' programs as memories, and the gateway that gives them our models."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "serve": {
        "gateway": "Lend a model and an embedder to other programs, over OpenAI's protocol.",
    },
}
