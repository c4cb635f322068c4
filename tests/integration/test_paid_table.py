"""A table of the paper that costs money: its plan, its budget, and what happens at their limits.

A stand-in answers under the name of the paper's model and counts its requests.
"""

import json
import sqlite3
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from remem.llm.endpoint import STUB
from remem.serve.http_handler import Reply, Request, error_reply
from remem.serve.server import LoopbackServer
from remem.serve.stub.stub import StubServer

MODEL = "gpt-4.1-mini-2025-04-14"
FEW = ("run.health=warn", "convention.score.resamples=99", "embedder=hashing", "run.histories=1")
TABLE = ("table", "temporal_scores", "--own-prompts")
"""A table with a single run, of REMem-I on LoCoMo."""


@dataclass(slots=True)
class PaidEndpoint:
    """The stub under the name of a priced model; after `most` calls it replies `refusal`."""

    stub: StubServer
    most: float = float("inf")
    refusal: int = 503
    asked: list[str] = field(default_factory=list)

    def chat(self, request: Request) -> Reply:
        """Pass a request on to the stub."""
        if len(self.asked) >= self.most:
            return error_reply(self.refusal, "no")
        self.asked.append(request.raw.decode())
        body = json.dumps({**request.body, "model": STUB}).encode()
        url = f"{self.stub.base_url}/chat/completions"
        sent = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(sent) as reply:
            content = json.loads(reply.read())
        return Reply(json.dumps({**content, "model": MODEL}).encode())


@pytest.fixture
def endpoint() -> Iterator[tuple[PaidEndpoint, str]]:
    """An endpoint and its address."""
    with StubServer() as stub:
        paid = PaidEndpoint(stub)
        server = LoopbackServer({("POST", "/v1/chat/completions"): paid.chat}, port=0)
        server.start()
        yield paid, f"{server.url}/v1"
        server.stop()


@pytest.fixture
def words(endpoint: tuple[PaidEndpoint, str], monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The overrides of all rows."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    return (*FEW, f"llm.build.endpoint.base_url={endpoint[1]}", "llm.build.endpoint.tries=1")


Ask = Callable[..., Any]


def stages(folder: Path) -> dict[str, int]:
    """Count the stored calls by stage."""
    with sqlite3.connect(folder / "results" / "cache" / "calls.sqlite") as calls:
        return dict(calls.execute("SELECT stage, count(*) FROM calls GROUP BY stage"))


def test_the_plan_counts_the_calls_that_a_run_then_makes_and_sends_none(
    tmp_path: Path,
    remem: Ask,
    small_locomo: Path,
    words: tuple[str, ...],
    endpoint: tuple[PaidEndpoint, str],
) -> None:
    code, plan, err = remem(tmp_path, *TABLE, *words, "--plan", data=small_locomo)
    assert (code, endpoint[0].asked) == (0, []), err
    told = " ".join(plan.split())
    assert "table 18 (temporal_scores) of the paper would take" in told
    assert "locomo will run 14 " in told
    code, _, err = remem(tmp_path, *TABLE, *words, "--models", "--budget", "5", data=small_locomo)
    assert code == 0, err
    assert " ".join(err.split()).count("locomo will run 14 ") == 1
    # Two sessions with two calls each, three calls and one of the reader for each question, and a
    # verdict on each answer.
    assert stages(tmp_path) == {"index": 4, "recall": 6, "read": 2, "judge": 2}
    assert len(endpoint[0].asked) == 14
    ledgers = (tmp_path / "results" / "cache" / "budgets").glob("*.sqlite")
    assert [path.name for path in ledgers] == ["temporal_scores.sqlite"]  # of all rows
    code, plan, _ = remem(tmp_path, *TABLE, *words, "--plan", data=small_locomo)
    assert "locomo finished 0 " in " ".join(plan.split())


def test_a_paid_table_without_a_budget_names_the_words_to_type(
    tmp_path: Path,
    remem: Ask,
    small_locomo: Path,
    words: tuple[str, ...],
    endpoint: tuple[PaidEndpoint, str],
) -> None:
    code, _, err = remem(tmp_path, *TABLE, *words, "--models", data=small_locomo)
    assert (code, endpoint[0].asked) == (2, [])
    assert "--budget 1" in " ".join(err.split())
    short = ("llm.build.endpoint.max_output_tokens=1000",)  # the rehearsal fails
    code, _, err = remem(tmp_path, *TABLE, *words, *short, "--models", data=small_locomo)
    assert (code, "no estimate: " in err, endpoint[0].asked) == (2, True, [])
    code, _, err = remem(tmp_path, *TABLE, *words, "--models", "--budget", "-3", data=small_locomo)
    assert (code, "the budget is -3.0, expected a number" in err) == (2, True)
    code, _, err = remem(tmp_path, *TABLE, *words, "--budget", "3", data=small_locomo)
    assert (code, "add --models" in err) == (2, True)


def test_at_the_budget_the_table_stops_and_a_higher_one_continues_it(
    tmp_path: Path,
    remem: Ask,
    small_locomo: Path,
    words: tuple[str, ...],
    endpoint: tuple[PaidEndpoint, str],
) -> None:
    few = ("llm.build.endpoint.max_output_tokens=8000", "--models")  # cheap calls
    for budget in ("0", "0.00001"):
        code, _, err = remem(tmp_path, *TABLE, *words, *few, "--budget", budget, data=small_locomo)
        assert (code, endpoint[0].asked) == (4, []), err
    code, _, err = remem(tmp_path, *TABLE, *words, *few, "--budget", "0.02", data=small_locomo)
    sent = len(endpoint[0].asked)
    assert (code, 0 < sent < 14) == (4, True)
    assert "--budget" in err
    code, _, _ = remem(tmp_path, *TABLE, *words, *few, "--budget", "1", data=small_locomo)
    assert code == 0
    assert len(endpoint[0].asked) == len(set(endpoint[0].asked)) == 14  # nothing is paid twice


def test_no_key_no_data_and_no_prompts_are_named_with_the_way_to_them(
    tmp_path: Path, remem: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    released = ("table", "18", *FEW)
    code, out, _ = remem(tmp_path, *released, "--plan")
    told = " ".join(out.split())
    assert (code, "locomo cannot" in told) == (0, True)
    assert "data: remem data fetch locomo" in told
    assert "key: export OPENAI_API_KEY=<your key>" in told
    assert "prompts: remem data prompts released" in told
    assert "prompts: remem data prompts mem0-judge" in told
    code, _, err = remem(tmp_path, *released, "--models", "--budget", "1")
    assert (
        code,
        "no row with a model can run; what is missing: data: remem data fetch locomo" in err,
    ) == (2, True)


def test_an_endpoint_that_refuses_leaves_nothing_half_written_and_the_same_command_goes_on(
    tmp_path: Path,
    remem: Ask,
    small_locomo: Path,
    words: tuple[str, ...],
    endpoint: tuple[PaidEndpoint, str],
) -> None:
    paid, _ = endpoint
    pay = ("--models", "--budget", "1")
    for paid.most, paid.refusal in ((7, 401), (10, 503)):
        code, _, err = remem(tmp_path, *TABLE, *words, *pay, data=small_locomo)
        assert code not in (0, 2), err
        assert str(paid.refusal) in err
        assert not list(tmp_path.rglob("temporal_scores*.csv"))
    paid.most = float("inf")
    code, _, err = remem(tmp_path, *TABLE, *words, *pay, data=small_locomo)
    assert code == 0, err
    assert len(paid.asked) == len(set(paid.asked)) == 14


def test_overrides_reach_the_rows_that_have_them_and_one_of_no_row_is_refused(
    tmp_path: Path, remem: Ask, small_locomo: Path
) -> None:
    model = [
        *("llm.build.budget_dollars=5", "llm.build.endpoint.tries=2"),
        *(
            "llm.build.endpoint.limits.requests_per_minute=9",
            "llm.build.endpoint.base_url=http://x/v1",
        ),
    ]
    for verb in (TABLE, (*TABLE, "--plan")):
        code, _, err = remem(tmp_path, *verb, *FEW, *model, data=small_locomo)
        assert code == 0, err
        code, _, err = remem(tmp_path, *verb, "llm.build.budget_dolars=5", data=small_locomo)
        assert (code, "did you mean 'llm.build.budget_dollars'" in err) == (2, True)
