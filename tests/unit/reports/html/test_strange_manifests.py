"""A manifest with a value of a wrong type is refused when it is read, and the place is named."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from remem.files.line_log import summed
from remem.results.run import Run
from remem.run.store import MANIFEST, SUM, read_manifest
from tests.conftest import MakeRun

Manifest = dict[str, Any]


def rewritten(folder: Any, change: Callable[[Manifest], object]) -> None:
    """Rewrite the manifest of a run with a change and the right checksum."""
    said = json.loads((folder / MANIFEST).read_bytes())
    said.pop(SUM)
    change(said)
    (folder / MANIFEST).write_bytes(summed(json.dumps(said).encode(), "") + b"\n")


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("index_usage", [1], "index_usage"),
        ("index_usage", {"h": {"calls": "many"}}, "index_usage.h.calls"),
        ("packages", {"kuzu": 1}, "packages.kuzu"),
        ("failed_episodes", ["s1"], "failed_episodes.0"),
        ("data", [{"name": "locomo"}], "data.0.sha256"),
        ("fingerprint", 7, "fingerprint"),
        ("config", [], "config"),
        ("index_seconds", -1.0, "index_seconds"),
        ("index_seconds", 1e13, "index_seconds"),
        ("questions", 2**53 + 1, "questions"),
        ("questions", "3", "questions"),
        ("index_usage", {"h": {"calls": 2**53 + 1}}, "index_usage.h.calls"),
        ("served", {"seconds": -1}, "served.seconds"),
    ],
)
def test_a_manifest_of_wrong_types_is_refused_by_file_and_place(
    make_run: MakeRun, name: str, value: object, place: str
) -> None:
    folder = make_run([])
    rewritten(folder, lambda said: said.update({name: value}))
    with pytest.raises(ValueError, match=rf"manifest\.json: {place} is .*move the file away"):
        read_manifest(folder)
    with pytest.raises(ValueError, match=rf"manifest\.json: {place} is "):
        Run.open(folder)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda said: said.pop("prompts"), "prompts is missing"),
        (lambda said: said["config"].pop("reader"), "reader is missing"),
        (lambda said: said["config"].update(paths=[]), "paths is "),
        (lambda said: said["config"]["ablation"].pop("name"), "ablation.name is missing"),
        (lambda said: said["config"]["run"].pop("packages"), "run.packages is missing"),
        (
            lambda said: said["config"]["method"]["build"].pop("extractor"),
            r"method\.build\.extractor is missing",
        ),
        (
            lambda said: said["config"]["method"].update(index_artefact="extractor"),
            r"method\.index_artefact is 'extractor'",
        ),
        (lambda said: said["config"]["dataset"].update(scores=["1e999"]), "unknown score '1e999'"),
    ],
)
def test_a_manifest_without_the_configuration_of_a_run_is_refused_with_the_place(
    make_run: MakeRun, change: Callable[[Manifest], object], told: str
) -> None:
    folder = make_run([])
    rewritten(folder, change)
    with pytest.raises(
        ValueError, match=f"manifest.json does not have the configuration of a run .*{told}"
    ):
        Run.open(folder)
