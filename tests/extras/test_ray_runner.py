"""runner=ray on the loopback stub gives a serial run's records, whatever runs or dies where.

Ray has an environment of its own: make env NAME=ray.
"""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.config.run_config import compose_config, run_config
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.run.store import CANONICAL, read_manifest
from remem.serve.stub.stub import StubServer, StubSettings

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(  # its cloudpickle is not that of the other extras: make env NAME=ray
        importlib.util.find_spec("ray") is None, reason="ray has an environment of its own"
    ),
]
HISTORIES = 3
WORKERS = 4
LINE = (
    "llm=loopback-stub",
    "embedder=loopback-stub",
    "method=remem_i",
    "extractor=llm",
    "planner=llm",
    "reader=direct",
    "dataset=generated_dialogues",
    f"dataset.build.conversations={HISTORIES}",
    "dataset.build.sessions=4",
    "run.limit=4",
)
RAY = ("runner=ray", "runner.num_cpus=2", f"runner.workers={WORKERS}")


def line(results: Path, server: StubServer) -> list[str]:
    return [
        *LINE,
        f"paths.results={results}",
        f"llm.build.endpoint.base_url={server.base_url}",
        f"embedder.build.embedder.base_url={server.base_url}",
    ]


def run(results: Path, server: StubServer, *overrides: str) -> RunResult:
    return run_experiment(run_config(compose_config([*line(results, server), *overrides])))


def canonical(result: RunResult) -> bytes:
    return (result.folder / CANONICAL).read_bytes()


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, set[str]]:
    """The canonical records of a serial run, and the request bodies that it sent."""
    with StubServer(StubSettings()) as server:
        result = run(tmp_path_factory.mktemp("serial"), server)
        return canonical(result), set(server.counts.bodies)


@pytest.fixture
def three_nodes() -> Iterator[str]:
    """The address of a local cluster of three simulated nodes with one CPU each.

    Each node has its own loopback address. None is 127.0.0.1, because Ray would replace it by this
    machine's network address, where nothing listens.
    """
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    for number in (2, 3, 4):
        cluster.add_node(num_cpus=1, node_ip_address=f"127.0.0.{number}")
    yield cluster.address
    cluster.shutdown()


def test_one_node_gives_the_records_of_a_serial_run_and_asks_nothing_twice(
    serial: tuple[bytes, set[str]], tmp_path: Path
) -> None:
    records, bodies = serial
    with StubServer(StubSettings()) as server:
        result = run(tmp_path, server, *RAY)
        assert canonical(result) == records
        assert set(server.counts.bodies) == bodies
        assert set(server.counts.bodies.values()) == {1}
        sent = server.counts.total.requests
        (result.folder / "records.jsonl").unlink()
        again = run(tmp_path, server, *RAY)
        assert server.counts.total.requests == sent
    assert canonical(again) == records
    assert read_manifest(result.folder).index_usage.keys() == {
        record.history_id for record in result.records
    }


def test_three_simulated_nodes_give_the_records_of_a_serial_run_and_ask_nothing_twice(
    serial: tuple[bytes, set[str]], three_nodes: str, tmp_path: Path
) -> None:
    records, bodies = serial
    with StubServer(StubSettings(latency_seconds=0.02)) as server:
        result = run(tmp_path, server, "runner=ray", f"runner.address={three_nodes}")
        assert canonical(result) == records
        assert set(server.counts.bodies) == bodies
        assert set(server.counts.bodies.values()) == {1}


def children(parent: int) -> list[int]:
    """Return the ids of all processes that a process has started, directly or indirectly."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    found, left = [], [parent]
    while left:
        above = left.pop()
        more = [pid for pid, own in parents.items() if own == above]
        found += more
        left += more
    return found


def at_work() -> list[int]:
    """Return the ids of the workers in this process's cluster that are working on a history."""
    found = []
    for pid in children(os.getpid()):
        try:
            told = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if told.startswith(b"ray::gen-"):
            found.append(pid)
    return found


def when(happened: Callable[[], Any], act: Callable[[], None]) -> threading.Thread:
    """Call `act` in another thread as soon as `happened()` is true."""

    def watch() -> None:
        while not happened():
            time.sleep(0.002)
        act()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_worker_that_is_killed_costs_no_more_than_its_own_calls_in_flight(
    serial: tuple[bytes, set[str]], tmp_path: Path
) -> None:
    records, bodies = serial
    killed: list[int] = []

    def kill_one() -> None:
        killed.extend(at_work()[:1])
        os.kill(killed[0], signal.SIGKILL)

    with StubServer(StubSettings(latency_seconds=0.1)) as server:
        thread = when(lambda: server.counts.total.requests > 25 and at_work(), kill_one)
        result = run(tmp_path, server, *RAY)
        thread.join()
        repeated = sum(times - 1 for times in server.counts.bodies.values())
        assert set(server.counts.bodies) == bodies
    assert killed
    assert canonical(result) == records
    assert repeated <= WORKERS


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGTERM, 130)])
def test_a_driver_that_is_killed_leaves_a_run_that_goes_on_with_what_is_left(
    serial: tuple[bytes, set[str]], tmp_path: Path, number: int, code: int
) -> None:
    records, bodies = serial
    with StubServer(StubSettings(latency_seconds=0.1)) as server:
        command = [sys.executable, "-m", "remem", "run", *line(tmp_path, server), *RAY]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            while server.counts.total.requests <= 25 and process.poll() is None:
                time.sleep(0.01)
            assert process.poll() is None, "the run ended before it could be killed"
            process.send_signal(number)
        assert process.returncode == code
        result = run(tmp_path, server)  # and a serial one may go on with it
        repeated = sum(times - 1 for times in server.counts.bodies.values())
        assert set(server.counts.bodies) == bodies
    assert canonical(result) == records
    assert repeated <= 2 * (WORKERS + 1)


def test_a_budget_that_is_reached_stops_all_workers_and_the_next_start_goes_on(
    serial: tuple[bytes, set[str]], tmp_path: Path
) -> None:
    records, bodies = serial
    prices = tmp_path / "prices.yaml"
    price = {"input": 1.0, "output": 1.0, "source": '""', "date": '""', "verified": "false"}
    prices.write_text("".join(["loopback-stub:\n", *(f"  {k}: {v}\n" for k, v in price.items())]))
    with StubServer(StubSettings()) as server:
        words = [*line(tmp_path, server), *RAY, f"llm.build.prices={prices}"]
        command = [Path(sys.executable).parent / "remem", "run", *words]
        done = subprocess.run(
            [*command, "llm.build.budget_dollars=0.05"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 4, done.stderr
        assert "the budget of $0.0500 is reached" in done.stderr
        tokens = server.counts.total.prompt_tokens + server.counts.total.completion_tokens
        assert 0 < tokens <= 50_000  # the dollar of a million tokens
        result = run(tmp_path, server)
        assert set(server.counts.bodies) == bodies
        assert set(server.counts.bodies.values()) == {1}
    assert canonical(result) == records


def left_in(path: Path) -> bytes:
    """Return the content of a file, or nothing if its writer has removed it meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def test_a_key_reaches_the_workers_and_no_file_of_the_run_or_of_ray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-canary-7f3a9b2c"
    monkeypatch.setenv("A_KEY", key)
    with (
        tempfile.TemporaryDirectory(prefix="ray-") as own,  # short: sockets lie in it
        StubServer() as server,
    ):
        monkeypatch.setenv("RAY_TMPDIR", own)
        keyed = (
            "llm.build.endpoint.key_variable=A_KEY",
            "embedder.build.embedder.api_key_variable=A_KEY",
        )
        result = run(tmp_path, server, *RAY, *keyed)
        assert result.errors == 0
        files = [
            path for place in (tmp_path, own) for path in Path(place).rglob("*") if path.is_file()
        ]
        logs = [path for path in files if path.suffix in (".log", ".out", ".err")]
        assert len(logs) > 5
        assert [path for path in files if key.encode() in left_in(path)] == []


@pytest.fixture
def two_gpus() -> Iterator[None]:
    """A cluster with two GPUs that exist only as a number that Ray was told."""
    import ray

    ray.init(address="local", num_cpus=4, num_gpus=2, include_dashboard=False)
    yield
    ray.shutdown()


def test_no_more_histories_run_at_once_than_have_their_gpus(
    two_gpus: None, serial: tuple[bytes, set[str]], tmp_path: Path
) -> None:
    import ray

    records, _ = serial
    free, ended = [2.0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.01):
            free.append(ray.available_resources().get("GPU", 0.0))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        with StubServer(StubSettings(latency_seconds=0.05)) as server:
            result = run(tmp_path, server, "runner=ray", "runner.gpus_per_history=1")
    finally:
        ended.set()
        thread.join()
    assert canonical(result) == records
    assert min(free) == 0  # two of the three histories had both GPUs, though there are four CPUs


def test_more_gpus_than_a_machine_has_are_refused_before_anything_waits(
    two_gpus: None, tmp_path: Path
) -> None:
    with (
        StubServer(StubSettings()) as server,
        pytest.raises(ValueError, match=r"gpus_per_history=3, but the cluster .* has 2 GPUs"),
    ):
        run(tmp_path, server, "runner=ray", "runner.gpus_per_history=3")
