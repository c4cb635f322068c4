"""Run many short histories with runner=ray and a model that takes 50 ms: the time, and the books.

The books are exact if the calls and tokens of the server are those in the call store and those in
the records of the run.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from remem.config.run_config import compose_config, run_config
from remem.llm.prices import Price
from remem.run.experiment import run_experiment
from remem.serve.stub.stub import StubServer, StubSettings
from remem.types import Usage

LATENCY = 0.05
PRICE = Price(0.40, 1.60)
"""What the budget of the run takes the stub's tokens to cost."""
PRICES = """
loopback-stub: {input: 0.40, output: 1.60, source: none, date: "2026-11-21", verified: false}
"""
STORED = """
SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0) FROM calls
"""
SETTINGS = (
    *("runner=ray", "runner.workers=1", "llm=loopback-stub", "llm.build.budget_dollars=1000"),
    *("method=full_context", "reader=direct", "dataset=generated_dialogues"),
    *("dataset.build.sessions=1", "convention.score.resamples=99"),
)


@dataclass(frozen=True, slots=True)
class Efficiency:
    """A run on a number of workers: its seconds, its answers, and its books in three places.

    The seconds begin with the first answer, so they leave out the start of the keepers.
    """

    workers: int
    seconds: float
    answered: int
    server: Usage
    stored: Usage
    recorded: Usage

    @property
    def ratio(self) -> float:
        """Return the ratio of the shortest possible time, calls x latency / workers, to ours."""
        return self.server.calls * LATENCY / self.workers / self.seconds

    @property
    def is_exact(self) -> bool:
        """Return whether the three books are equal, and so their dollars."""
        return self.server == self.stored == self.recorded

    @property
    def dollars(self) -> float:
        """Return the cost of what the server has sent."""
        return PRICE.dollars(self.server)


def measure_efficiency(
    histories: int, questions: int, workers: Sequence[int], folder: Path
) -> Iterator[Efficiency]:
    """Run the histories with one call at a time on each number of workers.

    Ray and the processes of the workers are started before, by a shorter run.
    """
    prices = folder / "prices.yaml"
    prices.write_text(PRICES, encoding="utf-8")
    run = (f"llm.build.prices={prices}", f"run.limit={questions}")
    for count in workers:
        short = (*run, f"runner.num_cpus={count}", f"dataset.build.conversations={4 * count}")
        long = (*run, f"runner.num_cpus={count}", f"dataset.build.conversations={histories}")
        with run_config(compose_config([*SETTINGS, *short])).build_runner().cluster():
            _measured(count, short, folder / f"{count} first")
            yield _measured(count, long, folder / f"{count}")


def _measured(workers: int, overrides: Sequence[str], results: Path) -> Efficiency:
    with StubServer(StubSettings(latency_seconds=LATENCY)) as server:
        places = (f"paths.results={results}", f"llm.build.endpoint.base_url={server.base_url}")
        config = run_config(compose_config([*SETTINGS, *overrides, *places]))
        times: list[float] = []
        result = run_experiment(config, on_progress=lambda _: times.append(time.perf_counter()))
        # First comes the start, then the first history; the others are those of answers mostly.
        seconds = times[-1] - times[1]
        sent = server.counts.total
    return Efficiency(
        workers,
        seconds,
        result.total - result.errors,
        Usage(sent.requests, sent.prompt_tokens, sent.completion_tokens),
        _stored(results / "cache" / "calls.sqlite"),
        sum((record.recall_usage + record.read_usage for record in result.records), Usage()),
    )


def _stored(path: Path) -> Usage:
    with closing(sqlite3.connect(path)) as calls:
        return Usage(*calls.execute(STORED).fetchone())
