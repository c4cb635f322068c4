"""A stranger's files are checked in the configuration that they compose together."""

from pathlib import Path
from typing import Any

import pytest

from remem.config.run_config import compose_config, run_config
from remem.config.untrusted_composed import check_plain_targets, check_together
from remem.errors import UsageError

FOLDER = Path("/of/a/stranger")
LARGE = {"_target_": "remem.benchmarks.tot.generator.X", "a": 1000, "b": 1001, "seed": 9}
STORE = {"_target_": "remem.llm.vector_store.VectorStore", "store": "x"}


@pytest.mark.app("small_model")
def test_our_own_configuration_passes() -> None:
    for chosen in ((), ("embedder=minilm", "llm=smollm2", "reader=direct", "judge=llm")):
        check_together(FOLDER, run_config(compose_config(chosen)).resolved, "")


@pytest.mark.parametrize(
    ("group", "settings", "message"),
    [
        ("reader", {"build": {"parts": [STORE]}}, "reader sets a model to use"),
        ("embedder", {"build": {"dimension": 2**16 + 1}}, r"embedder\.build\.dimension.*\(65537\)"),
        ("extractor", {"workers": 1025}, r"extractor\.workers.*\(1025\)"),
        (
            "dataset",
            {"build": LARGE},
            "dataset.build sets a number, or a size of generated data",
        ),
    ],
)
def test_what_is_too_large_or_asks_a_model_is_refused_with_the_folder(
    group: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=f"^{FOLDER}: {message}.*so it is granted"):
        check_together(FOLDER, {group: settings}, "so it is granted")


def test_a_model_is_known_by_the_group_that_names_it() -> None:
    shared = {"embedder": {"build": STORE}, "method": {"build": {"embedder": STORE}}}
    check_together(FOLDER, shared, "")


def test_a_class_is_named_itself_and_not_by_a_reference() -> None:
    check_plain_targets({"reader": {"_target_": "remem.x.X", "label": "${name}"}})
    with pytest.raises(UsageError, match=r"reader\.parts\.1\._target_ is '\$\{name\}'"):
        check_plain_targets({"reader": {"parts": [{}, {"_target_": "${name}"}]}})
