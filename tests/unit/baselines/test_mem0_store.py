"""Mem0 requires the pinned releases of its packages."""

import pytest

from baselines import mem0_memory


@pytest.mark.parametrize(
    ("graph", "found", "told"),
    [
        (False, {"mem0ai": "2.2.1"}, "finds mem0ai 2.2.1; .* pip install mem0ai==1.0.11$"),
        (
            True,
            {"mem0ai": "1.0.11", "rank-bm25": "0.2.2"},
            "kuzu missing.* pip install mem0ai==1.0.11 kuzu==0.11.3 rank-bm25==0.2.2$",
        ),
    ],
)
def test_a_missing_or_other_release_is_told_with_the_command_that_gets_it(
    monkeypatch: pytest.MonkeyPatch, graph: bool, found: dict[str, str], told: str
) -> None:
    monkeypatch.setattr(mem0_memory, "_installed", found.get)
    with pytest.raises(ImportError, match=told):
        mem0_memory.require_packages(graph=graph)


def test_the_pinned_releases_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = {"mem0ai": "1.0.11", "kuzu": "0.11.3", "rank-bm25": "0.2.2"}
    monkeypatch.setattr(mem0_memory, "_installed", pinned.get)
    mem0_memory.require_packages(graph=True)
