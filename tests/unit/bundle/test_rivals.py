from typing import Any

import pytest
from omegaconf import OmegaConf

from remem.bundle.rivals import made_by
from remem.config.conf_files import conf_folder


def build(method: str) -> Any:
    return OmegaConf.load(conf_folder() / "method" / f"{method}.yaml").build


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("mem0", "through mem0ai 0.7"),
        ("mem0_graph", "through mem0ai 0.7"),
        ("graphiti", "through graphiti-core 0.7"),
        ("hipporag2", "by remem 0.7, which has its own code for it"),
        ("remem_i", ""),
        ("bm25_messages", ""),
        ("full_context", ""),
    ],
)
def test_a_rival_is_made_by_a_package_of_the_release_that_is_here(
    method: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.bundle.rivals.version", lambda name: "0.7")
    assert made_by(build(method)) == told
