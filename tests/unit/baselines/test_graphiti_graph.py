"""Graphiti requires the pinned releases of its packages."""

import pytest

from baselines import graphiti_graph


@pytest.mark.parametrize(
    "found",
    [
        {"graphiti-core": "0.20.4", "kuzu": "0.11.3"},
        {"graphiti-core": "0.31.1", "kuzu": "0.11.3", "httpx": "0.28.1"},
    ],
)
def test_a_missing_or_other_release_is_told_with_the_command_that_gets_it(
    monkeypatch: pytest.MonkeyPatch, found: dict[str, str]
) -> None:
    monkeypatch.setattr(graphiti_graph, "_installed", found.get)
    told = "pip install graphiti-core==0.20.4 kuzu==0.11.3 httpx$"
    with pytest.raises(ImportError, match=told):
        graphiti_graph.require_packages()
    pinned = {"graphiti-core": "0.20.4", "kuzu": "0.11.3", "httpx": "0.28.1"}  # any of httpx
    monkeypatch.setattr(graphiti_graph, "_installed", pinned.get)
    graphiti_graph.require_packages()
