"""Fuzz the readers of a run's folder: reports, scores, comparisons and bundles."""

import json
import shutil
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.data_targets import folder
from fuzzing.harness import Target
from fuzzing.mutation import (
    NUMBERS,
    STRINGS,
    changed_document,
    changed_text,
    json_bytes,
    places,
)

from remem.benchmarks.files.notes import licences_of
from remem.bundle.gathering import read_packed_run
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import AlteredError, UsageError, VerificationFailedError
from remem.files.adapters import adapter
from remem.files.line_log import summed
from remem.metrics.scores import summarise
from remem.reports.html.plots import charts, spent
from remem.reports.html.questions import (
    history_numbers,
    is_generated,
    licences_withheld,
    question_values,
)
from remem.reports.html.report import head_of
from remem.reports.wandb.payload import asked_a_stub, run_payload
from remem.results.compare import ScoredRuns, compare_scored, format_comparison
from remem.results.conventions import score_sets
from remem.results.rescore import Scoring, rescore
from remem.results.run import Run, write_scores
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.run.experiment import run_experiment
from remem.run.store import MANIFEST, RECORDS, SUM, open_run, read_manifest, read_records
from remem.tables.paper.timed import untimed
from remem.types import Record

OVERRIDES = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=1",
    "run.limit=2",
    "method=remem_s",
    "convention.score.resamples=9",
)
CLEAR = (ValueError, UsageError, AlteredError, VerificationFailedError)


@cache
def config() -> RunConfig:
    """Return the configuration of a small run, with its results in the targets' folder."""
    return run_config(compose_config([f"paths.results={folder() / 'results'}", *OVERRIDES]))


@cache
def whole() -> Mapping[str, bytes]:
    """Return the files of that run, with verdicts of a judge."""
    result = run_experiment(config())
    with open_judgments(result.folder / "judgments.mine.jsonl") as log:
        for case in cases_of(result.records, "by_category", 1):
            log.append(Judgment(case, "ok", correct=True))
    return {path.name: path.read_bytes() for path in result.folder.iterdir() if path.is_file()}


@cache
def place() -> Path:
    whole()
    return next((folder() / "results" / "runs").glob("*/*/*"))


@cache
def manifest() -> dict[str, Any]:
    """Return the manifest of the run without its checksum."""
    said = json.loads(whole()[MANIFEST])
    said.pop(SUM)
    return said


@cache
def records() -> tuple[dict[str, Any], ...]:
    """Return the records of the run without their checksums."""
    lines = [json.loads(line) for line in whole()[RECORDS].splitlines()]
    return tuple({name: value for name, value in line.items() if name != SUM} for line in lines)


def _restored(changes: Mapping[str, bytes]) -> Path:
    """Write the finished run with these files changed; return its folder."""
    for path in place().iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in whole():
            path.unlink()
    for name, content in {**whole(), **changes}.items():
        (place() / name).write_bytes(content)
    return place()


def _summed(content: bytes, owner: str) -> bytes:
    """Return the lines of a log with right checksums."""
    return b"".join(summed(line, owner) + b"\n" for line in content.splitlines())


def _uncounted() -> bytes:
    """Return a manifest that counts no records, so that any number of them is scored."""
    said = {**manifest(), "answered": 0, "errors": 0}
    return summed(json.dumps(said).encode(), "") + b"\n"


def _manifest(rng: Random) -> bytes:
    """Return a changed manifest, mostly with the right checksum."""
    content = changed_document(rng, manifest())
    return content if rng.random() < 0.1 else summed(content.rstrip(), "") + b"\n"


def read_run_of(content: bytes) -> None:
    """Read a run with this manifest in all the ways in which commands that show runs do."""
    run = _restored({MANIFEST: content})
    shown = Run.open(run)
    head_of(shown)
    charts(shown)
    spent(shown)
    is_generated(shown)
    licences_withheld(shown, with_text=False)
    licences_of(read_manifest(run).data_names)
    _share(shown)
    assert score_sets(["paper"], shown.config.settings.dataset.released_f1)
    untimed(read_manifest(run))
    with open_run(run) as store:
        store.write_manifest(store.read_manifest())
    assert read_manifest(run)
    read_packed_run(run, allow_stub=True).notes()


def _share(run: Run) -> None:
    asked_a_stub(run.manifest.config)
    payload = run_payload(run)
    assert payload.run_id
    json.dumps(payload.config)


def _records(rng: Random) -> bytes:
    """Return a log with one changed record, in half of the cases with plausible values."""
    lines = [json.dumps(record).encode() for record in records()]
    at = rng.randrange(len(lines))
    lines[at] = changed_document(rng, records()[at]) if rng.random() < 0.5 else _plausible(rng, at)
    return b"\n".join(line.replace(b"\n", b" ") for line in lines) + b"\n"


def _plausible(rng: Random, at: int) -> bytes:
    """Return a record with one or two values replaced by others of the right type."""
    changed = deepcopy(records()[at])
    for _ in range(rng.randrange(1, 3)):
        parent, key = rng.choice(
            [(of, name) for of, name in places(changed) if _is_plain(of[name])]
        )
        if isinstance(parent[key], str):
            parent[key] = rng.choice((*STRINGS, changed_text(rng, parent[key])))
        elif not isinstance(parent[key], bool):
            parent[key] = rng.choice(NUMBERS)
    return json_bytes(rng, changed)


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def score_records(content: bytes) -> None:
    """Score records in every possible way, compare them, and make the values of a report."""
    owner = manifest()["fingerprint"]
    run = _restored({RECORDS: _summed(content, owner), MANIFEST: _uncounted()})
    found = read_records(run)
    convention = config().score_convention()
    summary = summarise(found, convention)
    write_scores(run / "scores.json", summary)
    ways = [Scoring("as it is", found, convention)]
    assert rescore(ways, ["f1", "bleu1", "recall_at_10"], run)
    shown = Run.open(run)
    charts(shown)
    question_values(shown, found, history_numbers(found), shown.shown_scores)
    first = adapter(list[Record]).validate_python(list(records()))
    how = {"score": "f1", "category": None, "convention": convention}
    scored = ScoredRuns.of_records((first, found), (None, None), **how)
    format_comparison(compare_scored(scored), ("A", "B"))


TARGETS = (
    Target("runs: manifests", _manifest, read_run_of, CLEAR),
    Target("runs: records", _records, score_records, CLEAR),
)
