"""Compute a checksum of a packed run's settings: runs with equal settings are one system."""

from collections.abc import Mapping
from typing import Any

from remem.bundle.run_parts import RunParts
from remem.config.fingerprint import digest, prompt_sums, run_stamp
from remem.config.run_config import RunConfig
from remem.results.restored_config import without_paths

IN_DATA = "<data>"


def settings_sum(parts: RunParts, config: RunConfig) -> str:
    """Return a checksum (12 hex digits) of the settings that define a run's system.

    The checksum does not cover names and data files. It covers the prompts, the rules of timed runs
    and of growing runs, the budget of evidence, and the classes and settings of method, reader and
    dataset, including their models, embedders and planners. A bundle merely states the run's
    fingerprint; this checksum is computed from the packed configuration that a replay runs.
    """
    bare = without_paths(parts.config)
    return digest(
        {
            "method": bare["method"]["build"],
            "reader": bare["reader"]["build"],
            "dataset": _without_files(parts.config["dataset"]["build"]),
            "final_answer": config.final_answer,
            **prompt_sums(parts.notes.prompts),
            **run_stamp(config.settings),
        }
    )


def _without_files(build: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in build.items() if not str(value).startswith(IN_DATA)}
