"""`remem run` as a sweep: its table, its failures, its exit code, its page."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.run.store import CANONICAL
from remem.run.sweep_jobs import read_jobs

REMEM = Path(sys.executable).parent / "remem"
SMALL = (
    *("dataset.build.conversations=1", "dataset.build.sessions=4", "run.limit=3"),
    *("run.health=warn", "convention.score.resamples=99"),
)
HYDRAS_LINE = "Error executing job"
LONGEST_WAIT = 60


Command = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remem: Command) -> Command:
    """Call `remem run` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: remem("run", *words, f"paths.results={tmp_path / 'results'}")


def rows(said: str) -> list[str]:
    """Return the lines of the final table."""
    lines = said.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("Sweep over"))
    return lines[start:]


def test_a_sweep_goes_on_after_a_failure_and_tells_all_of_them(
    tmp_path: Path, run: Command
) -> None:
    asked = ("method=remem_s,bm25_messages", "method.build.top_k=3,0", *SMALL)
    done = run("-m", *asked)
    assert done.code == 1
    assert HYDRAS_LINE not in done.out + done.err
    ending = done.err[done.err.index("2 of 4 jobs are done") :]
    assert ending.splitlines()[1] == "Failed:"
    for method in ("remem_s", "bm25_messages"):
        assert f"remem run method={method} method.build.top_k=0 {' '.join(SMALL)}" in ending
    assert ending.count("method.build.top_k must be at least 1, found 0") == 2
    assert (
        "[2/4] REMem-S, top_k=0 failed: method.build.top_k must be at least 1, found 0" in done.err
    )
    assert "[3/4] BM25, top_k=3: 3 questions, 0:" in done.err
    assert "left of the sweep" in done.err

    first, second, *_ = said = done.out.splitlines()  # a line for each finished job
    assert first.startswith("[1/4] REMem-S, top_k=3: F1 ")
    assert second.startswith("[3/4] BM25, top_k=3: F1 ")
    written = [path.parent for path in tmp_path.glob("results/runs/**/scores.json")]
    assert sorted(line.rpartition(", ")[2] for line in said[:2]) == sorted(map(str, written))

    table = rows(done.out)
    assert table[0] == "Sweep over method and top_k on generated_dialogues (n = 3)"
    labels = [
        line.split("  ")[0]
        for line in table
        if line.startswith(("REMem", "BM25")) and "*" not in line
    ]
    assert labels == [
        f"{method}, top_k={top_k}" for method in ("REMem-S", "BM25") for top_k in (3, 0)
    ]

    (sweep,) = tmp_path.glob("results/sweeps/*")
    assert sweep.name.startswith("method-top-k_generated-dialogues-")
    drawn = (sweep / "report.html").read_text()
    assert drawn.count('<svg class="mark"') == 2 * 5  # two jobs, five columns

    before = {path: path.read_bytes() for path in tmp_path.glob("results/runs/**/records.jsonl")}
    again = run("-m", *asked[::-1])
    assert rows(again.out)[0] == "Sweep over top_k and method on generated_dialogues (n = 3)"
    assert {path: path.read_bytes() for path in before} == before  # finished jobs ask nothing
    assert list(tmp_path.glob("results/sweeps/*")) == [sweep]  # the order is no other sweep


def test_a_sweep_says_once_what_each_job_may_spend(run: Command) -> None:
    paid = ("reader=direct", "llm=gpt-4.1-mini-2025-04-14", "llm.build.budget_dollars=0")
    done = run("-m", "method=remem_s,bm25_messages", *paid, *SMALL)
    assert done.code == 4  # nothing was sent
    assert done.err.count("remem: each job may spend up to $0.00 on") == 1


def test_the_first_failure_decides_the_exit_code_and_only_results_are_written(
    tmp_path: Path, run: Command, rehearsed: tuple[str, ...]
) -> None:
    targets = "method.build._target_=rehearsal.NoSuch,rehearsal.Memory,rehearsal.Lacking"
    done = run("-m", *rehearsed, targets)
    assert done.code == 2  # of a target that does not exist; a missing package is 1
    assert "1 of 3 jobs are done" in done.err
    assert "_target_ 'rehearsal.NoSuch' cannot be imported" in done.err
    assert HYDRAS_LINE not in done.err
    (canonical,) = tmp_path.rglob(CANONICAL)
    assert len(canonical.read_bytes().splitlines()) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_a_job_whose_own_options_are_hydras_fails_without_hydras_line(run: Command) -> None:
    wrong = "method.build.top_k=0"
    done = run("hydra.verbose=false", "method=bm25_messages", wrong, *SMALL)
    assert done.code == 1
    assert done.err == "remem: method.build.top_k must be at least 1, found 0\n"


def test_a_job_is_the_same_run_with_and_without_the_application_of_hydra(
    tmp_path: Path, run: Command, rehearsed: tuple[str, ...]
) -> None:
    plain, other = (run(*rehearsed, *more) for more in ((), ("hydra.job.name=another",)))
    assert plain.out.splitlines()[-1] == other.out.splitlines()[-1]
    (records,) = tmp_path.rglob("records.jsonl")
    assert len(records.read_bytes().splitlines()) == 4


def test_a_folder_of_choices_is_part_of_the_table_and_of_the_commands(
    tmp_path: Path, run: Command
) -> None:
    folder = tmp_path / "conf" / "ablation"
    folder.mkdir(parents=True)
    tools = ("find_gist_contexts", "find_entity_contexts", "semantic_retrieve", "lexical_retrieve")
    lines = ["name: only_facts", "gists: false", "facts: true", "synonymy: true", "tools:"]
    lines += [f"  {tool}: true" for tool in tools]
    (folder / "only_facts.yaml").write_text("\n".join(lines) + "\n")
    conf = ("--config-dir", str(folder.parent))
    sweep = ("method=remem_i", "ablation=only_facts", "method.build.top_k=0,3")
    done = run("-m", *conf, *sweep, *SMALL)
    assert f"remem run {' '.join(conf)} method=remem_i ablation=only_facts" in done.err
    mine = next(line for line in rows(done.out) if line.startswith("top_k=3"))
    assert "0.0" in mine


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_the_sweep_and_the_jobs_that_did_not_start_are_counted(
    tmp_path: Path, rehearsed: tuple[str, ...], environment: dict[str, str]
) -> None:
    results = tmp_path / "results"
    targets = "method.build._target_=rehearsal.Memory,rehearsal.Patient,rehearsal.Told"
    with subprocess.Popen(
        [REMEM, "run", "-m", *rehearsed, targets, f"paths.results={results}"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as sweep:
        until = time.monotonic() + LONGEST_WAIT
        while len(list(results.glob("sweeps/*/*.job.json"))) < 2:
            assert time.monotonic() < until
            time.sleep(0.1)
        time.sleep(0.5)  # the job is on its way to the question that it waits at
        sweep.send_signal(signal.SIGINT)
        _, said = sweep.communicate(timeout=LONGEST_WAIT)
    assert sweep.returncode == 130
    assert "interrupted; run the same command to continue" in said
    (folder,) = results.glob("sweeps/*")
    assert [job.outcome for job in read_jobs(folder)] == ["done", "interrupted"]
