"""Which interpolations may read the environment, and which only look within a configuration."""

import pytest
from omegaconf import OmegaConf

from remem.config.composed_size import check_interpolations, reads_outside
from remem.config.conf_files import all_conf_files
from remem.errors import UsageError


def test_what_may_read_the_environment_is_found() -> None:
    cases = [
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
    ]
    for text in cases:
        assert reads_outside(text)
        with pytest.raises(
            UsageError, match=r"a\.b\.0 is .*, an interpolation that only the conf of remem may use"
        ):
            check_interpolations({"a": {"b": [text]}})


def test_what_looks_within_a_configuration_is_let_through() -> None:
    cases = [
        "plain",
        "$5 {a}",
        "${a.b}",
        "REMem-I (${planner.name})",
        "${.a.${b.c}}",
        "${oc.select:a.b,${c.d}}",
        "${paths.results}/${now:%Y-%m-%dT%H-%M-%S-%f}/x",
    ]
    for text in cases:
        assert not reads_outside(text)
        check_interpolations([text])


def test_all_of_conf_is_let_through() -> None:
    for file in all_conf_files():
        check_interpolations(OmegaConf.to_container(OmegaConf.load(file)))


def test_a_long_text_is_read_once() -> None:
    cases = ["${a}" * 50_000, "${" * 50_000, "${" * 50_000 + "}" * 50_000]
    for text in cases:
        assert reads_outside(text) == (text.count("}") == 0)
