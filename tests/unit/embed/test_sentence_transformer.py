"""An encoder that cannot be loaded here says the one thing to do."""

from importlib.machinery import ModuleSpec

import pytest

from remem.config.instantiation import built
from remem.config.run_config import configure
from remem.embed import sentence_transformer

SERVE = (
    "use embedder=served, after serving it from its own environment: make nv-embed && "
    ".venv-nv-embed/bin/remem serve-embeddings embedder=nv_embed_v2 "
    "'run.model_code=[nvidia/NV-Embed-v2]'"
)


def refusal(embedder: str) -> str:
    with pytest.raises(ImportError) as raised:
        built(configure(f"embedder={embedder}").resolved["embedder"]["build"]["embedder"])
    return str(raised.value)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What counts as installed, by the name of its module; empty at first."""
    there: dict[str, str] = {}
    spec = ModuleSpec("there", None)
    monkeypatch.setattr(
        sentence_transformer, "find_spec", lambda name: spec if name in there else None
    )
    monkeypatch.setattr(sentence_transformer, "version", there.__getitem__)
    return there


def test_a_missing_package_is_installed_for_qwen_and_served_elsewhere_for_nv_embed(
    install: dict[str, str],
) -> None:
    assert refusal("qwen3_embedding_8b") == (
        "Qwen/Qwen3-Embedding-8B needs sentence-transformers, which is not installed: "
        "pip install 'remem[local]'"
    )
    assert refusal("nv_embed_v2") == (
        "nvidia/NV-Embed-v2 cannot be loaded in this environment: its own code needs transformers "
        f"4, and sentence-transformers is not installed; {SERVE}"
    )


def test_nv_embed_is_refused_before_a_run_where_transformers_is_too_new(
    install: dict[str, str],
) -> None:
    install |= {"sentence_transformers": "6.0.0", "transformers": "5.3.0"}
    assert f"and transformers 5.3.0 is installed; {SERVE}" in refusal("nv_embed_v2")
    install["transformers"] = "4.45.2"
    built(configure("embedder=nv_embed_v2").resolved["embedder"]["build"]["embedder"])
