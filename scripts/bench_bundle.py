"""Measure time and memory of packing, verifying and replaying 20,000 calls and 50,000 vectors.

Run it as `python scripts/bench_bundle.py <an empty folder with 6 GB>`; each step is a process.
"""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measure.figures import note_figure

from remem.bundle.pack import pack
from remem.bundle.replay import replay
from remem.bundle.verify import verify
from remem.config.run_config import compose_config, run_config
from remem.llm.endpoint import Answered
from remem.protocols import ChatReply, ChatRequest, DataFile, QueryTarget, StopRunError, Vectors
from remem.reports.html import table_files
from remem.run.experiment import run_experiment
from remem.run.run_account import no_view
from remem.run.store import CANONICAL
from remem.types import Episode, Gold, History, Message, Query, Question, Usage

FILE = "bench.remem"
LIMIT_MEGABYTES = 2_000
"""Maximum size of the bundle, and maximum memory of packing, verifying and replaying it."""
HISTORIES, MESSAGES, QUESTIONS, DIMENSION = 10, 3_000, 2_000, 4_096
WORDS = ("harbour", "lantern", "violin", "orchard", "comet", "glacier", "meadow", "anvil")


class Benchmark:
    """Ten histories of 3,000 messages and 2,000 questions."""

    def histories(self) -> Sequence[History]:
        """Return the histories."""
        return [
            History(f"h{at}", (Episode(f"h{at}/e", tuple(_messages(at))),))
            for at in range(HISTORIES)
        ]

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return the questions of one history."""
        gold = Gold(("harbour",), "kind", evidence=(f"{history_id}/0",))
        return [
            Question(Query(f"{history_id}/q{n}", history_id, n, _text(f"{history_id} q{n}")), gold)
            for n in range(QUESTIONS)
        ]

    def files(self) -> Sequence[DataFile]:
        """Return a made-up data file."""
        return (DataFile("bench_bundle", "0" * 64),)


class Embedder:
    """Random unit vectors, the same for the same text."""

    def __init__(self, *, dimension: int) -> None:
        self.dimension = dimension

    @property
    def identity(self) -> Mapping[str, object]:
        """Return the settings that the vectors depend on."""
        return {"model": "random", "dimension": self.dimension}

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents."""
        rows = np.stack([self._row(text) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of queries."""
        return self.embed_documents([f"query: {text}" for text in texts])

    def _row(self, text: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        return np.random.default_rng(seed).standard_normal(self.dimension, np.float32)


class Endpoint:
    """An endpoint that replies with a few hundred characters."""

    kind = "bench"
    model = "bench"
    address = "nowhere"
    max_output_tokens = 100

    def __init__(self) -> None:
        self.settings: Mapping[str, Any] = {}

    def send(self, request: ChatRequest) -> Answered:
        """Reply at once."""
        said = _text(hashlib.sha256(request.messages[-1].content.encode()).hexdigest())
        text = f"Thought: {said * 3}\nAnswer: {said}"
        return Answered(ChatReply(text, (), truncated=False, usage=Usage(1, 900, 60)), 0.5)

    def stop(self, reason: StopRunError) -> None:
        """Do nothing."""


def _messages(history: int) -> list[Message]:
    return [
        Message(f"h{history}/{n}", "Ann", _text(f"{history} {n}"), None, "1 May 2023")
        for n in range(MESSAGES)
    ]


def _text(seed: str) -> str:
    digits = hashlib.sha256(seed.encode()).hexdigest()
    chosen = (
        f"{WORDS[int(digit, 16) % len(WORDS)]}{two}"
        for digit, two in zip(digits, digits[9:], strict=False)
    )
    return " ".join(list(chosen)[:12])


def _overrides(results: Path) -> list[str]:
    module = "bench_bundle"
    return [
        f"run.packages=[{module}]",
        f"paths.results={results}",
        "dataset=generated_tot",
        "dataset.name=bench",
        "~dataset.build",
        f"+dataset.build={{_target_:{module}.Benchmark}}",
        "method=embedding_messages",
        "reader=direct",
        "embedder=minilm",
        "~embedder.build.embedder",
        f"+embedder.build.embedder={{_target_:{module}.Embedder,dimension:{DIMENSION}}}",
        f"embedder.build.cache.dimension={DIMENSION}",
        "~embedder.identity",
        "+embedder.identity={model:random}",
        "llm=openai_compatible",
        "~llm.build.endpoint",
        f"+llm.build.endpoint={{_target_:{module}.Endpoint}}",
        "~llm.identity",
        "+llm.identity={model:bench}",
        "runner=threads",
    ]


def main() -> None:
    """Run the steps, each in its own process, and print the time and memory of each."""
    place = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        STEPS[sys.argv[2]](place)
        return
    here, peaks = Path(__file__).resolve(), []
    environment = {**os.environ, "PYTHONPATH": str(here.parent)}
    for step in STEPS:
        begun = time.perf_counter()
        process = subprocess.Popen([sys.executable, here, place, step], env=environment)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{step} failed")
        seconds, mebibytes = time.perf_counter() - begun, used.ru_maxrss / 1024
        print(f"{step}: {seconds:.0f} s, peak RSS {mebibytes:.0f} MiB", flush=True)
        if step != "answer":
            note_figure(f"{step} seconds", round(seconds))
            peaks.append(mebibytes)
    note_figure("bundle peak mebibytes", round(max(peaks)))
    most = max(*(peak * 1.048576 for peak in peaks), (place / FILE).stat().st_size / 1e6)
    if most > LIMIT_MEGABYTES:
        sys.exit(f"{most:,.0f} MB, expected at most {LIMIT_MEGABYTES:,}")


def _answer(place: Path) -> None:
    run_experiment(run_config(compose_config(_overrides(place / "results"))))


def _pack(place: Path) -> None:
    packed = pack([_folder(place / "results")], place / FILE, no_view, files=table_files)
    entries = [(entry.name, entry.bytes) for entry in packed.index.entries]
    print(f"{packed.bytes / 1e6:.0f} MB, {entries}")
    note_figure("bundle megabytes", round(packed.bytes / 1e6))


def _verify(place: Path) -> None:
    found = verify(place / FILE)
    print(f"{found.calls} calls, {found.vectors} vectors")


def _replay(place: Path) -> None:
    print(
        replay(
            place / FILE, place, place / "replayed", no_view, ["bench_bundle"], files=table_files
        ).runs
    )
    first, again = (
        (_folder(place / results) / CANONICAL).read_bytes() for results in ("results", "replayed")
    )
    if first != again:
        sys.exit("the canonical records differ")
    print(f"{len(again)} bytes of canonical records are equal")
    note_figure("bytes equal", len(again))


def _folder(results: Path) -> Path:
    return next((results / "runs").glob("*/*/*"))


STEPS = {"answer": _answer, "pack": _pack, "verify": _verify, "replay": _replay}


if __name__ == "__main__":
    main()
