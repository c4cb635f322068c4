"""Bits are flipped in the files of a finished run: no score may change unnoticed."""

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from remem.cli.hydra_entry import run_one
from remem.config.run_config import compose_config, run_config
from remem.errors import StopRunError
from remem.results.run import SCORES
from remem.run.store import CANONICAL, MANIFEST, RECORDS, TIMINGS
from remem.serve.stub.stub import StubServer

LINE = (
    *("dataset=generated_dialogues", "dataset.build.conversations=1", "dataset.build.sessions=3"),
    *("run.limit=5", "run.health=warn", "method=remem_i", "extractor=llm", "planner=llm"),
    *("reader=direct", "llm=loopback-stub", "embedder=loopback-stub"),
    "convention.score.resamples=49",
)
RUN, CALLS = "runs/*/*/*", "cache/calls.sqlite"
ANSWERS = ("runs", "cache/indexes")
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "records": (f"{RUN}/{RECORDS}", ()),
    "manifest": (f"{RUN}/{MANIFEST}", ()),
    "scores": (f"{RUN}/{SCORES}", ()),
    "canonical records": (f"{RUN}/{CANONICAL}", ()),
    "calls": (CALLS, ANSWERS),
    "vectors": (f"{CALLS}.vectors/*.f32", ANSWERS),
    "index": ("cache/indexes/*/arrays.bin", ("runs",)),
    "sums of the index": ("cache/indexes/*/arrays.json", ("runs",)),
}
"""The files of each kind, and what is removed so that the same command reads them."""
NOTICED = {"records", "manifest", "vectors", "index", "sums of the index"}
"""Kinds in which each flipped bit is reported, because every byte has a checksum."""
TOLD = (ValueError, RuntimeError, ImportError, OSError, StopRunError)
"""Errors that the command line reports in one sentence; any other error is a traceback."""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The folder of a finished run, what `started` returned for it, and its overrides."""
    results = tmp_path_factory.mktemp("finished")
    with StubServer() as server:
        url = server.base_url
        line = (
            *LINE,
            f"llm.build.endpoint.base_url={url}",
            f"embedder.build.embedder.base_url={url}",
        )
        left = started(line, results)
        gc.collect()  # closes the call store, which merges its journals into it
        yield results, left, line


def started(line: tuple[str, ...], results: Path) -> tuple[bytes, bytes, int]:
    """Run like the command; return scores, canonical records and the number of new answers."""
    folder = run_one(run_config(compose_config([*line, f"paths.results={results}"])))
    asked = (folder / TIMINGS).read_bytes().count(b"\n")
    return (folder / SCORES).read_bytes(), (folder / CANONICAL).read_bytes(), asked


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_changes_no_score_without_a_word_and_loses_no_whole_record(
    finished: Any, tmp_path: Path, kind: str, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    whole, (scores, canonical, asked), line = finished
    results = tmp_path / "results"
    shutil.copytree(whole, results)
    files, removed = KINDS[kind]
    for folder in removed:
        shutil.rmtree(results / folder)
    draw = Random(seed)
    path = draw.choice(sorted(results.glob(files)))
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)
    try:
        after = started(line, results)
    except TOLD as error:
        said = str(error)
        assert str(path) in said
        for file in path.parent.glob(f"{path.name}*"):  # as the message advises
            file.rename(tmp_path / file.name)
        after = started(line, results)
    else:
        said = caplog.text
    assert after[:2] == (scores, canonical)
    if kind in NOTICED:
        assert str(path) in said or f"{path.parent}: not a complete stored memory" in said
    if not removed:
        assert after[2] <= asked + (kind == "records")
