"""Tasks of inspect: benchmarks for the command `inspect eval`, with remem's prompts and scores."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {}
