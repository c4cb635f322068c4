from typing import Any

import pytest
from omegaconf import OmegaConf

from remem.bundle.rivals import rival_code
from remem.config.conf_files import conf_folder


def build(method: str) -> Any:
    return OmegaConf.load(conf_folder() / "method" / f"{method}.yaml").build


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("mem0", "through mem0ai 0.7"),
        ("mem0_graph", "through mem0ai 0.7"),
        ("graphiti", "through graphiti-core 0.7"),
        ("hipporag2", "by remem 0.7, with its own code"),
        ("remem_i", None),
    ],
)
def test_a_rival_is_made_by_a_package_of_the_release_that_is_here(
    method: str, code: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.bundle.rivals.version", lambda name: "0.7")
    built_by = rival_code(build(method))
    assert (str(built_by) if built_by else None) == code
