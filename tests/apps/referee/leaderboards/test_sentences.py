"""The words of a replay's outcome that a certificate may have."""

import pytest

from remem.apps.referee.leaderboards.sentences import NOT_REPLAYED, REPLAYED
from remem.bundle.replay import ReplayedRun


def test_the_outcome_of_a_replayed_run_is_ours() -> None:
    cases = [
        "",
        "through mem0ai 2.2.1",
        "through graphiti-core 0.31.1, in its own environment",
        "by remem 0.1.0, which has its own code for it",
    ]
    for made_by in cases:
        outcome = ReplayedRun("a run", "run", 1, made_by=made_by).outcome
        assert REPLAYED.fullmatch(outcome)
        assert not REPLAYED.fullmatch(f"{outcome}; checked by a committee")


@pytest.mark.parametrize("restored", [True, False])
@pytest.mark.parametrize(
    "reason",
    [
        "No module named 'mem0'",
        "No module named 'mem0.graphs'; 'mem0' is not a package",
        "index=milvus needs pymilvus and milvus-lite, which is not installed: pip install "
        "'remem[milvus]'",
        "index=torch needs torch, which is not installed: pip install torch",
    ],
)
def test_the_outcome_of_a_run_whose_package_is_missing_is_ours(reason: str, restored: bool) -> None:
    run = ReplayedRun("a run", "run", 1, not_replayed=reason, restored=restored)
    assert NOT_REPLAYED.fullmatch(run.outcome)
    assert not NOT_REPLAYED.fullmatch(f"{run.outcome}, but it is right")
