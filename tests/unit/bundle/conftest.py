"""A small bundle of a run without a model, and how to change one so that all its sums are right."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from remem.bundle.pack import pack
from remem.bundle.seal import PLACE, write_seal
from remem.config.run_config import compose_config, run_config
from remem.evaluation.judging import cases_of
from remem.evaluation.judgments import Judgment, open_judgments
from remem.reports.html import table_files
from remem.run.experiment import run_experiment
from remem.run.run_account import no_view

Rewrite = Callable[..., Path]


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ten questions that a judge has seen; tests only read it."""
    results = tmp_path_factory.mktemp("run") / "results"
    overrides = (
        f"paths.results={results}",
        "dataset=generated_dialogues",
        "dataset.build.conversations=1",
        "dataset.build.sessions=4",
        "run.limit=10",
        "method=remem_i",
    )
    result = run_experiment(run_config(compose_config(list(overrides))))
    with open_judgments(result.folder / "judgments.mine.jsonl") as log:
        for at, case in enumerate(cases_of(result.records, "by_category", 1)):
            log.append(Judgment(case, "ok", correct=at % 2 == 0))
    return result.folder


@pytest.fixture(scope="session")
def packed(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of that run."""
    return pack(
        [run_folder], tmp_path_factory.mktemp("packed") / "one.remem", no_view, files=table_files
    ).path


@pytest.fixture
def rewrite(packed: Path, tmp_path: Path) -> Rewrite:
    """Pack the entries anew with some changed (or missing), all listed with the sums they have."""

    def rewritten(
        changes: Mapping[str, bytes | None], index: Mapping[str, object] | None = None
    ) -> Path:
        with ZipFile(packed) as archive:
            listed = json.loads(archive.read("index.json"))
            contents: dict[str, bytes | None] = {
                name: archive.read(name) for name in archive.namelist() if name != "index.json"
            }
        contents.update(changes)
        kept = {name: content for name, content in contents.items() if content is not None}
        listed["entries"] = [
            {"name": name, "sha256": hashlib.sha256(one).hexdigest(), "bytes": len(one)}
            for name, one in kept.items()
        ]
        listed.update(index or {})
        out = tmp_path / "rewritten.remem"
        with ZipFile(out, "w", ZIP_DEFLATED) as archive:
            for name, content in {**kept, "index.json": json.dumps(listed).encode()}.items():
                archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
            archive.comment = PLACE
        write_seal(out)
        return out

    return rewritten
