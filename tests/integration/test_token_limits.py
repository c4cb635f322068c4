"""With extractions of the paper's size, a run on LoCoMo stays within the token limits.

The paper uses 0.92k (REMem-S) and 9.1k (REMem-I) tokens per question, and 0.90M for indexing.
"""

import json
import os
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.results.estimate import estimate
from remem.run.experiment import run_experiment
from remem.serve.stub.stub import StubServer, StubSettings

MOST_A_QUESTION = {"remem_s": 1_150, "remem_i": 10_500}
MOST_FOR_THE_INDEX = 1_100_000
SESSIONS = 272
LINE = ("dataset=locomo", "extractor=llm", "planner=llm", "reader=direct")

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set"),
]


@pytest.mark.parametrize("method", ["remem_i", pytest.param("remem_s", marks=pytest.mark.slow)])
def test_estimated_tokens_are_within_the_limits(method: str) -> None:
    composed = compose_config([*LINE, f"method={method}", "llm=gpt-4.1-mini-2025-04-14"])
    stages = {stage.stage: stage for stage in estimate(composed).stages}
    assert stages["index"].usage.prompt_tokens <= MOST_FOR_THE_INDEX
    asked = sum(item.usage.prompt_tokens for item in stages.values() if item.unit == "question")
    assert asked / 1_986 <= MOST_A_QUESTION[method]


@pytest.mark.parametrize("method", MOST_A_QUESTION)
def test_tokens_of_o200k_base_are_within_the_limits_rejected_attempts_included(
    method: str, tmp_path: Path
) -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken has not been fetched")
    try:
        encoding = tiktoken.get_encoding("o200k_base")
    except OSError:
        pytest.skip("the vocabulary o200k_base is not at hand (TIKTOKEN_CACHE_DIR)")
    questions = 40
    with StubServer(StubSettings(size="paper")) as server:
        where = (f"paths.results={tmp_path}", f"llm.build.endpoint.base_url={server.base_url}")
        part = ("run.histories=1", f"run.limit={questions}", "runner=threads")
        parts = (*LINE, f"method={method}", "llm=loopback-stub", *part, *where)
        config = run_config(compose_config(parts))
        result = run_experiment(config)
    assert result.errors == 0
    tokens = Counter[str]()
    with sqlite3.connect(tmp_path / "cache" / "calls.sqlite") as store:
        for stage, request in store.execute("SELECT stage, request FROM calls"):
            said = [text for _, text in json.loads(request)["messages"]]
            tokens[stage] += sum(len(item) for item in encoding.encode_ordinary_batch(said))
    (history,) = config.build_benchmark().histories()[:1]
    assert tokens["index"] / len(history.episodes) * SESSIONS <= MOST_FOR_THE_INDEX
    assert (tokens["recall"] + tokens["read"]) / questions <= MOST_A_QUESTION[method]
