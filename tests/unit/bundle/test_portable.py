import json
import re
from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from remem.bundle.portable import localised, portable, replay_config
from remem.config.instantiation import instantiate_checked, nodes
from remem.config.run_config import compose_config, run_config
from remem.errors import ReplayMissError, UsageError
from remem.memory.remem_memory import REMem
from remem.protocols import ChatRequest

HERE = {"data": "/my/data", "results": "/my/results", "prompts": "/my/prompts"}


def resolved(*overrides: str) -> dict[str, Any]:
    paths = ("paths.data=/home/ann/data", "paths.results=/home/ann/results")
    return dict(run_config(compose_config([*paths, *overrides])).resolved)


@pytest.fixture
def with_model(tmp_path: Path) -> dict[str, Any]:
    """The configuration of a run with a model and stored vectors, with secrets in its addresses.

    Such addresses are refused now, but the run may be older.
    """
    run = resolved(
        f"paths.results={tmp_path}",
        "dataset=locomo",
        "llm=openai_compatible",
        "extractor=llm",
        "planner=llm",
        "reader=direct",
        "embedder=api",
        "llm.build.endpoint.base_url=http://models.example/v1",
        "embedder.build.embedder.base_url=https://models.example/v1",
        "llm.build.ledger=/home/ann/ledger.sqlite",
    )
    text = json.dumps(run)
    text = text.replace(
        "http://models.example/v1", "http://ann:canary@models.example/v1?key=canary"
    )
    text = text.replace("https://models.example", "https://canary@models.example")
    older: dict[str, Any] = json.loads(text)
    return older


def test_what_travels_names_places_and_neither_folders_nor_secrets(
    with_model: dict[str, Any], tmp_path: Path
) -> None:
    config, vectors = portable(with_model, ())
    text = str(config)
    assert "ledger" not in text
    assert "canary" not in text and "/home/ann" not in text and str(tmp_path) not in text
    assert config["dataset"]["build"]["data"] == "<data>"
    assert config["llm"]["build"]["store"] == "<results>/cache/calls.sqlite"
    recorded = config["llm"]["build"]["endpoint"]["recorded"]
    assert recorded["base_url"] == "http://models.example/v1"
    (source,) = vectors
    assert source.store == f"{tmp_path}/cache/calls.sqlite"
    assert (source.model, source.table.dimension) == ("text-embedding-3-small", 1536)
    kinds = {node["_target_"].rpartition(".")[2] for node in nodes(config)}
    assert "StoredVectors" in kinds and not kinds & {"ApiEmbedder", "VectorStore"}


def test_it_becomes_a_run_with_the_places_of_here() -> None:
    config, _ = portable(resolved("dataset=generated_dialogues", "method=remem_i"), ())
    here = localised(config, HERE, ["mine"])
    assert here["run"]["packages"] == ["mine"]
    run = replay_config(here)
    assert run.results == Path("/my/results")
    assert isinstance(run.memory_factory()(), REMem)


def test_a_bundle_of_a_version_with_other_modules_names_the_classes_of_this_one() -> None:
    config, _ = portable(resolved("dataset=generated_dialogues", "method=remem_i"), ())
    earlier = re.sub(
        r'"(remem|baselines)\.[a-z0-9_.]+\.(?=[A-Z])', '"remem.earlier.', json.dumps(config)
    )
    assert localised(json.loads(earlier), HERE, ()) == localised(config, HERE, ())


@pytest.mark.parametrize(
    ("embedder", "told"),
    [
        ({"_target_": "os.system", "command": "true"}, "not a part of an embedder of remem"),
        (
            {"_target_": "remem.llm.vector_store.VectorStore", "store": "x"},
            "VectorStore' is not a part of an embedder of remem.*--package",
        ),
        (
            {"_target_": "remem.embed.local_models._make", "place": "x"},
            "not one of those in the conf",
        ),
        ({"_target_": "remem.embed.hashing.HashingEmbedder", "dimension": "x"}, "valid integer"),
        *(
            ({"_target_": "remem.embed.local_models.RandomWeights", "folder": folder}, "results")
            for folder in ("/elsewhere", "here", "RESULTS/../elsewhere")
        ),
    ],
)
def test_only_an_embedder_is_built_to_name_its_vectors(
    with_model: dict[str, Any], embedder: dict[str, Any], told: str, tmp_path: Path
) -> None:
    given = json.loads(json.dumps(embedder).replace("RESULTS", str(tmp_path)))
    with_model["method"]["build"]["embedder"]["embedder"] = given
    with pytest.raises(UsageError, match=told):
        portable(with_model, ())
    assert not (tmp_path.parent / "elsewhere").exists()


def test_the_packages_of_a_stranger_are_not_admitted() -> None:
    config, _ = portable(resolved(), ())
    config["run"]["packages"] = ["evil"]
    config["reader"]["build"]["_target_"] = "evil.Reader"
    with pytest.raises(UsageError, match="--package"):
        localised(config, HERE, ())


@pytest.mark.app("small_model")
def test_a_model_served_here_travels_as_the_identity_of_its_replies() -> None:
    cases = [
        ("llm=smollm2",),
        ("llm=gguf", "llm.path=/home/ann/secret.gguf", f"llm.sha256={'ab' * 32}", "llm.name=ann"),
    ]
    for model in cases:
        run = resolved("dataset=generated_dialogues", "reader=direct", *model)
        config, _ = portable(run, ())
        kinds = {node["_target_"].rpartition(".")[2] for node in nodes(config)}
        assert "RecordedServer" in kinds and not kinds & {
            "LocalServer",
            "PackagedWeights",
            "WeightsFile",
        }
        assert "/home/ann" not in str(config)
        here = localised(config, HERE, ())
        recorded = instantiate_checked(here["llm"]["build"]["endpoint"])
        served = instantiate_checked(run["llm"]["build"]["endpoint"])
        assert recorded.settings == served.settings
        with pytest.raises(ReplayMissError):
            recorded.send(ChatRequest("read", ()))


ENDPOINT = "remem.llm.openai_endpoint.OpenAIEndpoint"
LIVE = {
    "_target_": "remem.llm.chat_model.StoredChatModel",
    "endpoint": {"_target_": ENDPOINT, "base_url": "http://evil"},
}
MILVUS = {"_target_": "remem.index.milvus_dense.MilvusDense"}
SMALL_MODEL = "remem.apps.small_model"
HOSTILE = [
    ("reader.build._target_", "os.system"),
    # Our own code that conf does not name, and a model with code of its own.
    ("reader.build", {"_target_": "remem.files.disk.write_whole", "path": "x"}),
    (
        "embedder.build",
        {"_target_": "remem.embed.sentence_transformer.SentenceTransformerEmbedder"},
    ),
    # Endpoints to send to, servers, and files outside of the results.
    ("embedder.build", {"_target_": "remem.embed.api.ApiEmbedder"}),
    ("index.build", {**MILVUS, "uri": "http://evil:19530"}),
    ("index.build", {**MILVUS, "uri": "evil.db"}),
    ("llm.build", LIVE),
    ("llm.build", {**LIVE, "store": "home/x.sqlite"}),
    ("embedder.build", {"_target_": "remem.llm.vector_store.VectorStore"}),
    # Models to serve here, and their weights.
    (
        "embedder.build",
        {"_target_": f"{SMALL_MODEL}.local_server.LocalServer", "engine": "evil==1"},
    ),
    ("embedder.build", {"_target_": f"{SMALL_MODEL}.weights.WeightsFile", "path": "x.gguf"}),
    ("embedder.build", {"_target_": f"{SMALL_MODEL}.weights.PackagedWeights", "module": "evil"}),
    ("dataset.build.data", "/etc"),
    ("dataset.build.data", "<data>/../../etc"),
    ("dataset.build.data", "~/secrets"),
]


def test_no_cluster_that_a_bundle_names_is_connected_to() -> None:
    config, _ = portable(resolved("dataset=generated_dialogues", "method=remem_i"), ())
    config["runner"] = {"name": "ray", "workers": 3, "address": "evil:6379", "num_cpus": None}
    here = run_config(compose_config(["runner=threads", "runner.workers=3"])).resolved["runner"]
    assert localised(config, HERE, [])["runner"] == here


def test_a_hostile_configuration_is_refused() -> None:
    for place, value in HOSTILE:
        config = deepcopy(portable(resolved("method=embedding_messages"), ())[0])
        *groups, key = place.split(".")
        reduce(getitem, groups, config)[key] = value
        with pytest.raises(UsageError, match=r"(a|the) bundle"):
            localised(config, HERE, ())


def test_a_name_cannot_lead_out_of_the_results() -> None:
    cases = ["../../../../etc", "/etc", "a/../../../../../b", "a\0b", "a\x1b[31m", "x" * 5_000]
    for name in cases:
        config, _ = portable(resolved(), ())
        config["dataset"]["name"] = name
        with pytest.raises(UsageError):
            replay_config(localised(config, HERE, ()))


def test_an_embedder_that_keeps_no_vectors_cannot_be_packed() -> None:
    bare = resolved("embedder=api", "method=embedding_messages")
    bare["method"]["build"]["retriever"]["embedder"] = bare["embedder"]["build"]["embedder"]
    with pytest.raises(UsageError, match="ApiEmbedder"):
        portable(bare, ())


def test_a_prompt_file_elsewhere_cannot_be_packed() -> None:
    with pytest.raises(UsageError, match=r"reader\.build\.prompt = '/home/ann/p\.txt'"):
        portable(
            resolved(
                "llm=openai_compatible", "reader=direct", "reader.build.prompt=/home/ann/p.txt"
            ),
            (),
        )


def test_a_model_may_be_called_by_the_folder_it_was_served_from() -> None:
    served = resolved("llm=vllm", "reader=direct", "llm.build.endpoint.model=/models/qwen")
    config, _ = portable(served, ())
    assert config["llm"]["build"]["endpoint"]["recorded"]["model"] == "/models/qwen"
