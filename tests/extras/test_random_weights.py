"""Models with random weights use the real encoders' code, and all their results are marked."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from remem.config.instantiation import instantiate_checked
from remem.config.run_config import compose_config, run_config
from remem.protocols import Embedder

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(
        not find_spec("sentence_transformers"), reason="sentence-transformers is not installed"
    ),
]

REMEM = Path(sys.executable).parent / "remem"
TEXTS = ["Where did Caroline paint?", "hi", "Melanie runs, \U0001f3c3 every Sunday", "x" * 3000]
RANDOM = ("qwen3_embedding_random", "nv_embed_random")


def embedder(name: str, results: Path, *overrides: str) -> Embedder:
    composed = compose_config([f"embedder={name}", f"paths.results={results}", *overrides])
    made: Embedder = instantiate_checked(run_config(composed).resolved["embedder"]["build"])
    return made


@pytest.mark.parametrize("name", RANDOM)
def test_vectors_are_of_unit_length_and_a_query_is_unlike_a_document(
    name: str, tmp_path: Path
) -> None:
    made = embedder(name, tmp_path)
    documents, queries = made.embed_documents(TEXTS), made.embed_queries(TEXTS, "passage")
    assert documents.shape == (len(TEXTS), made.dimension)
    np.testing.assert_allclose(np.linalg.norm(documents, axis=1), 1, atol=1e-5)
    assert np.abs(documents - queries).max() > 1e-3
    assert np.abs(queries - made.embed_queries(TEXTS, "fact")).max() > 1e-4


@pytest.mark.parametrize("name", RANDOM)
def test_a_text_alone_has_the_vector_that_it_has_among_others(name: str, tmp_path: Path) -> None:
    together = embedder(name, tmp_path / "a").embed_documents(TEXTS)
    alone = embedder(name, tmp_path / "b")
    singly = np.concatenate([alone.embed_documents([text]) for text in TEXTS])
    np.testing.assert_allclose(together, singly, atol=1e-5)


@pytest.mark.slow
def test_a_seed_makes_the_same_model_again_and_another_seed_another(tmp_path: Path) -> None:
    first, again = (embedder(RANDOM[0], tmp_path / item).embed_documents(TEXTS) for item in "ab")
    np.testing.assert_array_equal(first, again)
    other = embedder(RANDOM[0], tmp_path / "c", "embedder.build.embedder.seed=1")
    assert np.abs(first - other.embed_documents(TEXTS)).max() > 1e-3


@pytest.mark.slow
def test_two_processes_make_the_same_vectors(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from remem.config.run_config import compose_config, run_config\n"
        "from remem.config.instantiation import instantiate_checked\n"
        "changes = [f'embedder={sys.argv[1]}', f'paths.results={sys.argv[2]}']\n"
        "build = run_config(compose_config(changes)).resolved['embedder']['build']\n"
        "Path(sys.argv[3]).write_bytes(instantiate_checked(build).embed_documents(sys.argv[4:]).tobytes())\n"
    )
    name, other, texts = RANDOM[1], tmp_path / "vectors", TEXTS[:2]
    command = [sys.executable, "-c", program, name, str(tmp_path / "b"), str(other), *texts]
    subprocess.run(command, check=True, capture_output=True)
    here = embedder(name, tmp_path / "a").embed_documents(texts)
    theirs = np.frombuffer(other.read_bytes(), np.float32).reshape(here.shape)
    np.testing.assert_allclose(here, theirs, atol=1e-6)


def test_the_table_and_the_manifest_of_a_run_say_that_the_weights_are_random(
    tmp_path: Path,
) -> None:
    plan = tmp_path / "conf/table/dense.yaml"
    plan.parent.mkdir(parents=True)
    plan.write_text(
        "title: dense\nblocks:\n  - title: dense\n    overrides: [run.histories=1, run.limit=3]\n"
        "    columns: [{heading: F1, score: f1}]\n    notes: []\n    rows:\n"
        "      - overrides: [method=embedding_messages, embedder=nv_embed_random]\n"
    )
    done = subprocess.run(
        [REMEM, "table", "dense", "--config-dir", "conf"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = "weights: random. This is not a result."
    assert said in (tmp_path / "results/tables/dense/dense.md").read_text()
    (manifest,) = tmp_path.glob("results/runs/**/manifest.json")
    assert json.loads(manifest.read_bytes())["config"]["embedder"]["weights"] == "random"
