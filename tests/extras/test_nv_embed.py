"""NV-Embed-v2's environment: its pins, and an encoder of its architecture served from there.

REMEM_NV_EMBED_PYTHON names its interpreter (`make env NAME=nv-embed` makes it).
The weights are random and the model's own code is not run, so NV-Embed's own head is not tested.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from remem.config.instantiation import instantiate_checked
from remem.config.run_config import compose_config, run_config
from remem.protocols import Embedder
from remem.run.store import read_records

PYTHON = os.environ.get("REMEM_NV_EMBED_PYTHON", "")
REMEM = Path(sys.executable).parent / "remem"
DIMENSION = 64

pytestmark = pytest.mark.skipif(not PYTHON, reason="REMEM_NV_EMBED_PYTHON is unset")


def test_the_environment_holds_what_the_code_of_the_model_needs() -> None:
    program = (
        "import json, datasets, einops, numpy, sentence_transformers, transformers\n"
        "print(json.dumps([transformers.__version__, numpy.__version__]))"
    )
    done = subprocess.run(
        [PYTHON, "-c", program], capture_output=True, text=True, timeout=300, check=True
    )
    transformers, numpy = json.loads(done.stdout)
    assert transformers == "4.45.2"
    assert numpy.startswith("2.")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """Serve a tiny Mistral in half precision from the environment; return the overrides for it."""
    results = tmp_path_factory.mktemp("served")
    asked = [PYTHON, "-u", "-m", "remem", "serve", "embeddings", "embedder=nv_embed_random"]
    asked += ["embedder.build.embedder.encoder.dtype=float16", f"paths.results={results}"]
    with subprocess.Popen(
        [*asked, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+/v1", said)
            assert address is not None, f"the server said {said!r}"
            yield (
                "embedder=served",
                f"embedder.build.embedder.base_url={address[0]}",
                "embedder.build.embedder.model=nv_embed_random",
                f"embedder.build.embedder.dimension={DIMENSION}",
            )
        finally:
            server.terminate()


def test_served_vectors_are_of_unit_length_and_a_query_has_its_instruction(
    served: tuple[str, ...], tmp_path: Path
) -> None:
    composed = compose_config([*served, f"paths.results={tmp_path}"])
    embedder: Embedder = instantiate_checked(run_config(composed).resolved["embedder"]["build"])
    texts = ["Ida rows on Sunday.", "Where does Ida row?"]
    documents, queries = embedder.embed_documents(texts), embedder.embed_queries(texts, "passage")
    assert documents.shape == (2, DIMENSION)
    np.testing.assert_allclose(np.linalg.norm(documents, axis=1), 1, atol=1e-3)
    assert np.abs(documents - queries).max() > 1e-3


def test_a_run_searches_through_the_served_encoder(served: tuple[str, ...], tmp_path: Path) -> None:
    asked = ["dataset=generated_dialogues", "method=embedding_messages", "reader=extractive"]
    asked += ["run.histories=1", "run.limit=5", f"paths.results={tmp_path}"]
    subprocess.run([REMEM, "run", *asked, *served], timeout=600, check=True, capture_output=True)
    (log,) = tmp_path.rglob("records.jsonl")
    records = read_records(log.parent)
    assert [record.status for record in records] == ["ok"] * 5
