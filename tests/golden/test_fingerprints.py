"""The fingerprints of some runs and their indexes; a run with a new one is asked again.

Regenerate with: pytest tests/golden --regenerate-golden
"""

from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.protocols import DataFile

GOLDEN = Path(__file__).with_name("fingerprints.txt")
FILES = (DataFile("data.json", "1" * 64),)
MODEL = "llm=gpt-4.1-mini-2025-04-14"
RUNS = (
    "",
    "method=remem_s dataset=locomo",
    "method=remem_i planner=scripted dataset=realtalk method.build.top_k=5",
    "method=remem_i planner=symbolic reader=symbolic dataset=tot ablation=no_facts",
    f"method=remem_i planner=llm extractor=llm reader=tiser dataset=complex_tr {MODEL}",
    f"method=remem_i planner=llm_tools extractor=llm reader=direct dataset=locomo {MODEL}",
    f"method=bm25_messages reader=direct prompts=few_shot {MODEL}",
    "method=bm25_messages lexical=rank_bm25 ranking=contextual dataset=locomo",
    "method=remem_s ranking=fused embedder=minilm reader=typed dataset=realtalk",
    "method=embedding_messages embedder=nv_embed_v2 index=faiss_cpu dataset=locomo",
    "method=embedding_messages embedder=served index=torch",
    f"method=hipporag2 embedder=hashing {MODEL}",
    f"method=mem0 reader=direct {MODEL}",
    f"method=graphiti reader=direct {MODEL}",
    f"method=full_context reader=direct dataset=locomo {MODEL}",
    "method=oracle_message reader=extractive dataset=generated_dialogues",
    "method=no_memory reader=always_refuse convention=reference",
    "method=remem_s dataset=longmemeval run.stream=session",
    "method=remem_s dataset=beam ablation=no_gists convention=strict",
    "method=bm25_sessions reader=choice_model dataset=personamem llm=ollama",
    "method=remem_s cache=bypass run.limit=3",
)


def test_runs_keep_their_fingerprints(pytestconfig: pytest.Config) -> None:
    lines = "".join(map(fingerprints, RUNS))
    if pytestconfig.getoption("--regenerate-golden"):
        GOLDEN.write_text(lines, encoding="utf-8")
    assert lines == GOLDEN.read_text(encoding="utf-8")


def fingerprints(run: str) -> str:
    config = run_config(compose_config(run.split()))
    index = config.index_fingerprint("2" * 64) or "no index"
    return f"{config.fingerprint(FILES)}  {index:12}  {run}\n"
