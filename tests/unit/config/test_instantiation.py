"""What a configuration may name: our own parts, with arguments of the right types."""

from typing import Any

import pytest
from omegaconf import DictConfig, OmegaConf

from remem.config.admission import check_composed
from remem.config.instantiation import OURS, check_targets, instantiate_checked
from remem.errors import UsageError

READER = "remem.readers.extractive.AlwaysRefuse"
EMBEDDER = "remem.embed.hashing.HashingEmbedder"
RAG = "baselines.passage_rag.PassageRAG"
SEARCHING = {"_target_": RAG, "_partial_": True, "unit": "message", "top_k": 3, "embed_date": True}


@pytest.mark.parametrize(
    ("build", "complaint"),
    [
        ({"_target_": READER, "_args_": [1]}, "has '_args_', which is not allowed here"),
        ({"_target_": READER, "_recursive_": False}, "has '_recursive_', which is not allowed"),
        ({"_target_": EMBEDDER, "dimension": "64"}, "dimension is '64': Input should be a valid"),
        ({"_target_": EMBEDDER, "dimension": 64.0}, r"dimension is 64\.0: Input should be a valid"),
        ({**SEARCHING, "embed_date": "no"}, "embed_date is 'no': Input should be a valid boolean"),
        ({**SEARCHING, "unit": "word"}, "unit is 'word'"),
        ({"parts": [{"_target_": READER}, [{"_target_": "os.system"}]]}, "'os.system' is not in"),
        ({"_target_": EMBEDDER}, "missing a required .*argument: 'dimension'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_anything_else_is_refused_with_what_is_wrong(build: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        check_targets("part", build, OURS)


def test_only_the_command_line_admits_packages() -> None:
    def admitting(*packages: str) -> DictConfig:
        return OmegaConf.create({"run": {"packages": list(packages), "model_code": []}})

    for override in ("run.packages=[mine]", "+run.packages=[mine]"):
        check_composed(admitting("mine"), ["method=remem_i", override])
    check_composed(admitting(), ["method=remem_i"])
    with pytest.raises(UsageError, match=r"run\.packages is \['evil'\] in a file"):
        check_composed(admitting("evil"), ["method=remem_i", "run.limit=3"])


def test_parts_of_parts_and_of_lists_are_built_first() -> None:
    made = instantiate_checked({"readers": [{"_target_": READER}], "left": {"as": "it is"}})
    assert [type(reader).__name__ for reader in made["readers"]] == ["AlwaysRefuse"]
    assert made["left"] == {"as": "it is"}
