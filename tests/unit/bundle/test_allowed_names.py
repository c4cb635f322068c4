import math
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from remem.bundle.allowed_names import check_trusted
from remem.config.conf_files import REPLAY_ENDPOINT, conf_folder
from remem.config.permissions import CHAT_MODEL
from remem.errors import UsageError


def test_data_that_would_never_be_generated_are_refused() -> None:
    cases = ["generated_dialogues", "generated_tot", "generated_complex_tr"]
    for name in cases:
        build = OmegaConf.load(Path(conf_folder()) / "dataset" / f"{name}.yaml").build
        sizes = OmegaConf.to_container(build, resolve=False)
        assert isinstance(sizes, dict)
        check_trusted({"dataset": {"build": sizes}}, (), "store")
        chosen = next(
            key for key, value in sizes.items() if isinstance(value, int) and key != "seed"
        )
        endless = {**sizes, chosen: 10**8}
        with pytest.raises(UsageError, match=r"so much data"):
            check_trusted({"dataset": {"build": endless}}, (), "store")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("embedder.build.dimension", 2**16 + 1),
        ("embedder.build.dimension", 10**30),
        ("embedder.build.dimension", math.inf),
        ("embedder.build.embedder.dimension", -(10**9)),
        ("runner.workers", 1025),
        ("method.build.parallel_episodes", 10**6),
        ("convention.resamples", 10**9),
        ("method.build.steps.0", 10**9),
    ],
)
def test_a_number_that_would_fill_the_memory_is_refused(setting: str, value: float) -> None:
    def config(number: float) -> dict[str, Any]:
        nested: Any = number
        for name in reversed(setting.split(".")):
            nested = [nested] if name == "0" else {name: nested}
        return {**nested, "seed": 2**60}

    check_trusted(config(1024), (), "store")
    with pytest.raises(UsageError, match=rf"^{setting} is .* a bundle may set it to \d+ at most"):
        check_trusted(config(value), (), "store")


def test_recorded_replies_are_read_from_the_store_of_the_replay_alone() -> None:
    model = {"_target_": CHAT_MODEL, "endpoint": {"_target_": REPLAY_ENDPOINT}, "store": "store"}
    check_trusted({"llm": {"build": model}}, (), "store")
    with pytest.raises(UsageError, match=r"names the store 'home/x\.sqlite', expected store"):
        check_trusted({"llm": {"build": {**model, "store": "home/x.sqlite"}}}, (), "store")
    check_trusted({"llm": {"build": {**model, "ledger": None}}}, (), "store")
    with pytest.raises(UsageError, match=r"names the ledger 'x\.sqlite', expected none"):
        check_trusted({"llm": {"build": {**model, "ledger": "x.sqlite"}}}, (), "store")
