"""The replies of a stand-in are never taken for those of the model under whose name it answers.

A rehearsal goes through all steps of a paid table on the stub; a fake server poses as the model.
"""

import json
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.config.run_config import configure
from remem.errors import OtherServerError
from remem.run.run_result import kept_run
from remem.serve.stub.stub import StubServer, StubSettings

Ask = Callable[..., Any]
FEW = ("run.health=warn", "convention.score.resamples=99", "run.histories=1")
TABLE = ("table", "18", "--own-prompts", "--models", "--budget", "1")
"""A table with a single run, of REMem-I on LoCoMo."""


@pytest.fixture
def posing() -> Iterator[str]:
    """The address of a server that answers under any name."""
    with StubServer(StubSettings(poses=True)) as server:
        yield server.base_url


def test_a_rehearsal_asks_nobody_but_the_stub_and_the_real_table_has_none_of_its_replies(
    tmp_path: Path, remem: Ask, small_locomo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    few = (*FEW, "llm@judge_llm=gpt-4.1-mini-2025-04-14")
    rehearse = (*few, "embedder=api", "--rehearse")
    code, out, err = remem(tmp_path, *TABLE, *rehearse, data=small_locomo)
    assert (code, "openai.com" in err) == (0, False), err
    assert "Overall (rehearsed)" in out
    assert {path.name for path in (tmp_path / "results").iterdir()} == {"rehearsal"}
    monkeypatch.delenv("OPENAI_API_KEY")
    code, _, err = remem(tmp_path, *TABLE, *few, "embedder=hashing", data=small_locomo)
    assert (
        code,
        "no row with a model can run; what is missing: key: export OPENAI_API_KEY" in err,
    ) == (2, True)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_what_a_server_that_poses_has_answered_stops_the_real_configuration(
    tmp_path: Path,
    remem: Ask,
    small_locomo: Path,
    posing: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    row = (
        *("dataset=locomo", "method=remem_i", "extractor=llm", "planner=llm", "reader=direct"),
        *("experiment=paper", "prompts=own", "judge=llm", "embedder=hashing", *FEW),
    )
    there = f"llm.build.endpoint.base_url={posing}"
    code, out, err = remem(tmp_path, "run", *row, there, data=small_locomo)
    assert code == 0, err
    (run,) = (tmp_path / "results" / "runs").rglob("records.jsonl")
    told = f"came from {posing}, but this run asks https://api.openai.com/v1"
    before = run.read_bytes()
    words = (*TABLE[:3], *FEW, "embedder=hashing")
    code, out, err = remem(tmp_path, *words, data=small_locomo)
    assert (code, told in flat(out)) == (0, True), err
    judge = ("judge", "run", str(run.parent), "judge=llm", "llm=gpt-4.1-mini-2025-04-14")
    code, _, err = remem(tmp_path, *judge, there)
    assert code == 0, err
    code, _, err = remem(tmp_path, *judge)
    assert (code, "the verdicts in " in err, told in err) == (1, True, True)
    code, out, err = remem(tmp_path, "run", *row, data=small_locomo)
    assert (code, "the answers in " in err, told in err, out) == (1, True, True, "")
    places = (f"paths.results={tmp_path / 'results'}", f"paths.data={small_locomo}")
    with pytest.raises(OtherServerError, match=re.escape(told)):
        kept_run(configure(*row, *places))  # as bundles and sweeps read it
    # another question of the same memory: neither its index nor a reply is taken over
    other = [*row[:4], "reader=tiser", *row[5:]]
    code, _, err = remem(tmp_path, "run", *other, data=small_locomo)
    assert (code, "the extractions of the index " in err, told in err) == (1, True, True)
    for index in (tmp_path / "results" / "cache" / "indexes").iterdir():
        (index / "server.txt").write_text("https://api.openai.com/v1")
    code, _, err = remem(tmp_path, "run", *other, data=small_locomo)
    assert (code, "the stored replies of gpt-4.1-mini" in err, told in err) == (1, True, True)
    assert run.read_bytes() == before
    # where nothing was answered yet, the address may change
    away, here = (f"llm.build.endpoint.base_url={at}" for at in ("http://127.0.0.1:1/v1", posing))
    new = [*row, "llm.build.endpoint.tries=1", f"paths.results={tmp_path / 'new'}"]
    assert remem(tmp_path, "run", *new, away, data=small_locomo).code == 3
    assert remem(tmp_path, "run", *new, here, data=small_locomo).code == 0
    # a server that has moved is the same under its name
    with StubServer(StubSettings(poses=True)) as moved:
        here = f"llm.build.endpoint.base_url={moved.base_url}"
        code, _, err = remem(tmp_path, "run", *row, here, data=small_locomo)
        assert (code, f"known_as={posing}" in err) == (1, True)
        known = f"llm.build.endpoint.known_as={posing}"
        code, _, err = remem(tmp_path, "run", *row, here, known, data=small_locomo)
        assert (code, moved.counts.total.requests) == (0, 0), err


@pytest.mark.slow  # two rehearsals of a table with Mem0 and Graphiti
def test_a_rehearsal_goes_on_after_a_kill_and_at_its_budget_to_the_same_table(
    tmp_path: Path, remem: Ask, small_locomo: Path
) -> None:
    words = ("table", "6", *FEW, "--models", "--rehearse")
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    code, _, err = remem(whole, *words, "--budget", "5", data=small_locomo)
    assert code == 0, err
    code, _, err = remem(broken, *words, "--budget", "0.06", data=small_locomo)
    assert (code, "higher budget continues" in err) == (4, True)
    sent = answered(broken)
    where = (f"paths.results={broken / 'results'}", f"paths.data={small_locomo}")
    command = [sys.executable, "-m", "remem", *words, *where, "--budget", "5"]
    with subprocess.Popen(command, cwd=broken, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and len(answered(broken)) < len(sent) + 10:
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -9
    code, _, err = remem(broken, *words, "--budget", "5", data=small_locomo)
    assert code == 0, err
    keys = answered(broken)
    assert len(keys) == len(set(keys))  # nothing that was received is asked again
    assert sorted(keys) == sorted(answered(whole))
    tables = [
        {path.name: path.read_bytes() for path in place.rglob("tables/*/*.*")}
        for place in (whole, broken)
    ]
    assert tables[0].keys() == tables[1].keys()
    for name in tables[0].keys() - {"report.html"}:
        assert tables[0][name] == tables[1][name], name
    cells = json.loads(next(iter(whole.rglob("tables/*/*.json"))).read_bytes())["rows"]
    reasons = {cell["reason"] for row in cells for cell in row["cells"] if cell and cell["ours"]}
    assert reasons == {"rehearsed"}


def answered(folder: Path) -> list[str]:
    """Return the key of every stored reply, including replies that were received repeatedly."""
    file = folder / "results" / "rehearsal" / "cache" / "calls.sqlite"
    if not file.exists():
        return []
    with sqlite3.connect(file) as calls:
        rows = calls.execute("SELECT key FROM calls WHERE outcome != 'error' AND stage != 'embed'")
        return [key for (key,) in rows]
