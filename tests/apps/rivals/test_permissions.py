"""A stranger's files and bundles may start only the programs that our conf names."""

from typing import Any

import pytest
from omegaconf import OmegaConf

from remem.bundle.allowed_names import check_trusted
from remem.bundle.rivals import rival_code
from remem.config.conf_files import conf_file
from remem.config.instantiation import OURS, check_targets
from remem.config.permissions import app_permissions
from remem.config.untrusted import refused_settings
from remem.config.untrusted_overrides import refused_override
from remem.errors import UsageError

[(STARTING, STARTED)] = app_permissions().started.items()
ONLY_OF_CONF = "may run only the programs of conf/method"


def build_of(method: str) -> dict[str, Any]:
    file = conf_file("method", method)
    assert file is not None
    build = OmegaConf.to_container(OmegaConf.load(file).build, resolve=False)
    assert isinstance(build, dict)
    return {str(key): value for key, value in build.items()}


@pytest.fixture
def of_conf() -> dict[str, Any]:
    """The settings of a method of ours that name a program in another environment."""
    build = build_of("mem0_2")
    return {"_target_": STARTING, **{name: build[name] for name in STARTED}}


@pytest.mark.parametrize("name", STARTED)
def test_a_bundle_starts_only_a_program_of_conf(of_conf: dict[str, Any], name: str) -> None:
    check_trusted({"method": {"build": of_conf}}, (), "store")
    changed = {**of_conf, name: "theirs"}
    with pytest.raises(UsageError, match=ONLY_OF_CONF):
        check_trusted({"method": {"build": changed}}, (), "store")


def test_a_configuration_starts_only_a_program_of_conf(of_conf: dict[str, Any]) -> None:
    build = {"_partial_": True, **of_conf}
    check_targets("method", build, OURS)
    for name in STARTED:
        with pytest.raises(UsageError, match=ONLY_OF_CONF):
            check_targets("method", {**build, name: "theirs"}, OURS)
    check_targets("method", {**build, "worker": "mine"}, (*OURS, "my_package"))


@pytest.mark.parametrize(
    "build",
    [
        {"command": "true"},
        {"command": ["true"]},
        *({"_target_": target} for target in app_permissions().outside),
    ],
)
def test_a_file_of_a_stranger_names_no_program(build: dict[str, Any]) -> None:
    assert [each.kind for each in refused_settings({"build": build}, "method")] == ["program"]


def test_a_method_of_ours_may_be_chosen() -> None:
    assert refused_override("method=mem0_2") is None


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("mem0_2", "through mem0ai 2.2.1, in its own environment"),
        ("graphiti_new", "through graphiti-core 0.31.1, in its own environment"),
        ("langmem", "through langmem 0.0.30, in its own environment"),
        ("lightrag", "through lightrag-hku 1.5.7, in its own environment"),
        ("mempalace", "through mempalace 3.11.0, in its own environment"),
        ("simplemem", "through simplemem 0.1.0, in its own environment"),
    ],
)
def test_a_replay_names_the_package_of_a_rival(method: str, code: str) -> None:
    assert str(rival_code(build_of(method))) == code
