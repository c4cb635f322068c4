"""Write `results/measured/conventions.csv`: how each key of a convention changes the scores.

    REMEM_DATA=<folder> PYTHONPATH=scripts .venv/bin/python -m measure.conventions

No language model takes part. `docs/conventions.md` shows the figures, on a scale of 0 to 100.
"""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

FILE = Path(__file__).parents[2] / "results" / "measured" / "conventions.csv"
HEADINGS = ("key", "value", "score", "mean")
LOCOMO = "dataset=locomo reader=extractive"
TEST_OF_TIME = "dataset=generated_tot reader=symbolic"
A = f"{LOCOMO} method=remem_i planner=scripted"
B = f"{TEST_OF_TIME} method=remem_s"


class Case(NamedTuple):
    """A run, the values of a convention's key to compare on this run, and the scores to show."""

    run: str
    values: str
    scores: str


CASES = {
    "run.evidence_rule": Case(
        "dataset=realtalk reader=extractive method=oracle_message", "paper tolerant", "f1"
    ),
    "run.full_context_order": Case(
        f"{LOCOMO} method=full_context", "newest_first chronological", "f1"
    ),
    "run.gist_contexts": Case(A, "episode_and_similar similar adjacent", "recall_at_10 f1"),
    "run.limit": Case(
        f"{TEST_OF_TIME} method=remem_i planner=symbolic", "any top_k", "tot_em@first_last"
    ),
    "run.fact_string": Case(B, "bars released", "tot_em"),
    "run.single_step_tool": Case(B, "semantic_retrieve lexical_retrieve", "tot_em"),
    "run.embed_date": Case(f"{LOCOMO} method=bm25_messages", "false true", "recall_at_10 f1"),
    "score.refusal_gold": Case(A, "by_category by_missing_answer", "refusal_recall"),
    "score.f1": Case(A, "hipporag2 locomo_official released_comma_cut mem0", "f1 f1@4"),
    "score.bleu": Case(A, "evaluate mem0", "bleu1"),
    "score.bootstrap_unit": Case(B, "clusters questions", "tot_em:low tot_em:high"),
    "score.resamples": Case(A, "9999 999", "f1:low f1:high"),
    "score.seed": Case(A, "0 1", "f1:low f1:high"),
}
"""A score is written as `score[@category][:end of its interval]`."""


def command(key: str, value: str = "") -> str:
    """Return the command that makes the run for a key; a `run.` key is set to the value."""
    setting = f" convention.{key}={value}" if key.startswith("run.") else ""
    return f"run {CASES[key].run}{setting}"


def measured(key: str, results: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield (key, value, score, mean) for each score and each value; store runs in `results`."""
    values = CASES[key].values.split()
    if key.startswith("run."):
        ways = [result(command(key, value), results) for value in values]
    else:
        sets = " ".join(f"--set paper,{key.removeprefix('score.')}={value}" for value in values)
        folder = result(command(key), results)["folder"]
        ways = result(f"score {folder} {sets}", results)["runs"][0]["ways"]
    for score in CASES[key].scores.split():
        for value, way in zip(values, ways, strict=True):
            unit = value if key == "score.bootstrap_unit" else "clusters"
            yield key, value, score, f"{100 * figure(way, score, unit):.4f}"


def figure(way: dict[str, Any], selector: str, unit: str) -> float:
    """Return the number that `selector` names in `way`, the JSON scores of a run or convention."""
    name, _, end = selector.partition(":")
    if name.startswith("refusal_"):
        return float(way["refusals"][name.removeprefix("refusal_")])
    score, _, category = name.partition("@")
    (line,) = [
        line
        for line in way["scores"]
        if (line["score"], line["category"] or "") == (score, category)
    ]
    return float(line.get(f"over_{unit}", line)[end or "mean"])


@cache
def result(words: str, results: str) -> dict[str, Any]:
    """Return the JSON object that a remem command prints; the command reuses a complete run."""
    asked = (sys.executable, "-m", "remem", *words.split(), "--json")
    environment = {**os.environ, "REMEM_RESULTS": results}
    done = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def main() -> None:
    """Measure every key, then write the file."""
    with TemporaryDirectory() as results:
        lines = [line for key in CASES for line in measured(key, results)]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADINGS, *lines])


if __name__ == "__main__":
    main()
