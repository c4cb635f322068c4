"""Which interpolations may read the environment, and which only look within a configuration."""

import pytest
from omegaconf import OmegaConf

from remem.config.conf_files import conf_folder
from remem.config.instantiation import UsageError
from remem.config.interpolations import check_interpolations, reads_outside


@pytest.mark.parametrize(
    "text",
    [
        "${oc.env:HOME}",
        "a ${oc.env:HOME,none} b",
        "${ oc.env : HOME }",
        "${oc.${a}:HOME}",
        "${${a}:HOME}",
        "${oc.select:x,${oc.env:HOME}}",
        "${oc.decode:'${a}${b}'}",
        "${oc.create:${a}}",
        "${hydra:job.name}",
        "${another:x}",
        "${oc.select:x,'}${oc.env:HOME}'}",
        "${oc.select:'{',${oc.env:HOME}}",
    ],
)
def test_what_may_read_the_environment_is_found(text: str) -> None:
    assert reads_outside(text)
    with pytest.raises(
        UsageError, match=r"a\.b\.0 is .*, an interpolation that only our own conf may use"
    ):
        check_interpolations({"a": {"b": [text]}})


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "$5 {a}",
        "${a.b}",
        "REMem-I (${planner.name})",
        "${.a.${b.c}}",
        "${oc.select:a.b,${c.d}}",
        "${paths.results}/${now:%Y-%m-%dT%H-%M-%S-%f}/x",
    ],
)
def test_what_looks_within_a_configuration_is_let_through(text: str) -> None:
    assert not reads_outside(text)
    check_interpolations([text])


def test_all_of_conf_is_let_through() -> None:
    for file in conf_folder().rglob("*.yaml"):
        check_interpolations(OmegaConf.to_container(OmegaConf.load(file)))


@pytest.mark.parametrize("text", ["${a}" * 50_000, "${" * 50_000, "${" * 50_000 + "}" * 50_000])
def test_a_long_text_is_read_once(text: str) -> None:
    assert reads_outside(text) == (text.count("}") == 0)
