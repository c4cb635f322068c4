"""Rivals: other projects' programs as memories, and a gateway that lends them our models."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "serve": {
        "gateway": "Lend a model and an embedder to other programs, over OpenAI's protocol.",
    },
}
