"""What is built from a stranger's run asks no model and uses local paths only."""

from pathlib import Path

import pytest

from remem.bundle.buildable import OF_CALLS, buildable
from remem.bundle.portable import threads
from remem.config.instantiation import nodes
from remem.errors import UsageError
from remem.results.run import Run
from remem.types import Gold, Record
from tests.conftest import MakeRun

RECORD = Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")
ASKING = ("llm=gpt-4.1-mini-2025-04-14", "reader=direct", "embedder=api", "runner=threads")


def test_models_are_their_stored_replies_and_vectors(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run([RECORD], "method=embedding_messages", *ASKING)
    config = buildable(Run.open(folder).config, folder, OF_CALLS)
    kinds = {node["_target_"].rpartition(".")[2] for node in nodes(config.resolved["method"])}
    assert "StoredVectors" in kinds and not kinds & {"ApiEmbedder", "VectorStore"}
    llm = config.resolved["llm"]["build"]
    assert llm["endpoint"]["_target_"] == "remem.llm.replay.ReplayEndpoint"
    assert llm["store"] == str(tmp_path / "results/cache/calls.sqlite")
    assert config.chat_model is not None and config.chat_model.build == llm
    assert config.resolved["reader"]["build"]["chat_model"] == llm


def test_no_cluster_is_connected_to(make_run: MakeRun) -> None:
    folder = make_run([RECORD], "runner=ray", "runner.address=ray://elsewhere:1")
    config = Run.open(folder).config
    runner = buildable(config, folder, OF_CALLS).resolved["runner"]
    assert runner == threads(config.workers)


def test_a_configuration_of_another_shape_is_refused_with_the_manifest(make_run: MakeRun) -> None:
    folder = make_run([RECORD], "method=embedding_messages", *ASKING)
    config = Run.open(folder).config
    cached = config.resolved["method"]["build"]["retriever"]["embedder"]
    for embedder, cache in (([], cached["cache"]), (cached["embedder"], {}), ("x", 7)):
        cached.update(embedder=embedder, cache=cache)
        with pytest.raises(
            UsageError, match=r"manifest\.json has a configuration that this version"
        ):
            buildable(config, folder, OF_CALLS)


def test_what_is_refused_is_said_with_the_manifest(make_run: MakeRun) -> None:
    folder = make_run([RECORD])
    config = Run.open(folder).config
    build = {**config.resolved["dataset"]["build"], "conversations": 10**9}
    config.resolved["dataset"]["build"] = build
    with pytest.raises(
        UsageError,
        match=r"manifest\.json names something that is not allowed.*so much data",
    ):
        buildable(config, folder, ("dataset",))
    assert buildable(config, folder, ("method",)).resolved["dataset"]["build"] == build
