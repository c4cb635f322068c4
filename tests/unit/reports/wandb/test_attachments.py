"""The artifacts of a run: the records without texts, and nothing that was not requested."""

import json
from pathlib import Path

import pytest

from remem.bundle.pack import pack
from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError
from remem.reports.html import table_files
from remem.reports.wandb.payload import bundle_of, graph_of, records_of, report_of
from remem.results.run import Run
from remem.run.experiment import run_experiment
from remem.run.progress import no_view
from remem.run.store import CANONICAL


def test_records_are_their_sums_and_scores_without_texts(written) -> None:
    run = Run.open(written())
    found = records_of(run, with_text=False)
    assert found.name == f"records-{run.manifest.fingerprint}"
    assert set(found.files) == {"records.sums.jsonl", "questions.jsonl", "scores.json"}
    lines = [json.loads(line) for line in found.files["records.sums.jsonl"].splitlines()]
    assert [(line["query_id"], line["status"]) for line in lines] == [
        ("q0", "ok"),
        ("q1", "ok"),
        ("q2", "error"),
    ]
    assert "harbour" not in str(found.files) and "secret" not in str(found.files)
    assert records_of(run, with_text=False) == found


def test_records_are_canonical_with_texts(written) -> None:
    found = records_of(Run.open(written()), with_text=True)
    assert b"in the harbour" in found.files[CANONICAL]


def test_a_report_shows_the_texts(written) -> None:
    run = Run.open(written(data="locomo/locomo10.json"))
    assert b"harbour" in report_of(run).files["report.html"]


def test_a_graph_that_is_not_kept_is_not_built(written) -> None:
    run = Run.open(written("dataset.build.conversations=1", "dataset.build.sessions=2"))
    assert graph_of(run) is None
    assert not (run.config.results / "cache").exists()


def test_a_bundle_goes_with_its_own_runs_and_with_texts_only_if_asked(
    written, tmp_path: Path
) -> None:
    small = ("dataset.build.conversations=1", "dataset.build.sessions=2", "run.limit=3")
    quick = ("method=no_memory", "convention.score.resamples=9")
    chosen = [*small, *quick, f"paths.results={tmp_path / 'results'}"]
    run = Run.open(run_experiment(run_config(compose_config(chosen))).folder)
    plain = pack([run.folder], tmp_path / "plain.remem", no_view, files=table_files).path
    texts = pack(
        [run.folder], tmp_path / "texts.remem", no_view, with_text=True, files=table_files
    ).path
    found = bundle_of(run, plain, with_text=False)
    assert found.name == f"bundle-{run.manifest.fingerprint}"
    assert found.files == {"plain.remem": plain}
    assert bundle_of(Run.open(written()), plain, with_text=False) is None
    with pytest.raises(UsageError, match="--with-text"):
        bundle_of(run, texts, with_text=False)
    assert bundle_of(run, texts, with_text=True).files == {"texts.remem": texts}
