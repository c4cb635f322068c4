"""What a run or a judge may spend, as it is said before anything is sent."""

from pathlib import Path

import pytest

from remem.cli.hydra_entry import run_one
from remem.cli.run_output import judge_limit, run_limit
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import BudgetReachedError
from remem.llm.budget import Budget
from remem.llm.ledger import Ledger
from remem.llm.prices import Price
from remem.types import Usage

MODEL = "gpt-4.1-mini-2025-04-14"
PAID = ("method=bm25_messages", "reader=direct", f"llm={MODEL}")


def config(*overrides: str) -> RunConfig:
    return run_config(compose_config(list(overrides)))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            (),
            f"this start may spend up to $1.00 on {MODEL}; llm.build.budget_dollars=2 changes it "
            "(null: no limit)",
        ),
        (
            ("llm.build.budget_dollars=null",),
            f"no limit in dollars is set for {MODEL}; llm.build.budget_dollars=5 sets one",
        ),
        (("reader=extractive",), None),  # no part asks the model
        (("llm=smollm2", "prompts=few_shot"), None),
        (("llm=replay", f"llm@llm.recorded={MODEL}"), None),
        (("llm=loopback-stub",), None),
        (("llm=openai_compatible",), None),
        (("llm=none", "reader=extractive"), None),
    ],
)
def test_a_run_says_what_it_may_spend_on_a_model_with_a_price(
    changes: tuple[str, ...], said: str | None
) -> None:
    assert run_limit(config(*PAID, *changes)) == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("judge=none",), None),
        ((), f"$1.00 on {MODEL}; llm.build.budget_dollars=2"),
        (
            ("llm@judge_llm=gpt-5-chat",),
            "$1.00 on gpt-5-chat-latest; judge_llm.build.budget_dollars=2",
        ),
    ],
)
def test_a_judge_says_it_of_its_own_model(changes: tuple[str, ...], said: str | None) -> None:
    limit = judge_limit(config("judge=llm", *PAID, *changes))
    assert limit == (said and f"this start may spend up to {said} changes it (null: no limit)")


def test_a_ledger_leaves_the_rest_of_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    other = Budget(9.0, Price(1e6, 0.0), Ledger(path))
    other.settle(other.reserve(Usage(1, 7, 0)), Usage(1, 7, 0))
    shared = f"llm.build.ledger={path}"
    for dollars, left in ((10, "$3.00"), (5, "$0.00")):
        said = run_limit(config(*PAID, shared, f"llm.build.budget_dollars={dollars}"))
        start = f"this start may spend up to {left} on {MODEL}, the rest of the ${dollars}.00 in"
        assert said is not None and said.startswith(f"{start} {path};")


def test_a_start_says_it_once_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ("dataset.build.conversations=1", "run.limit=1", "llm.build.budget_dollars=0")
    with pytest.raises(BudgetReachedError):  # nothing is sent
        run_one(config(*PAID, *small, f"paths.results={tmp_path}"), json=True)
    said = capsys.readouterr()
    assert said.err.count("remem: this start may spend up to $0.00 on") == 1
    assert "may spend" not in said.out
