"""What a composed configuration may not set, whichever file or override it comes from."""

from pathlib import Path

import pytest
from omegaconf import DictConfig

from remem.config.admission import check_composed
from remem.config.run_config import compose_config
from remem.errors import UsageError


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("seen", "${oc.env:HOME}", r"reader\.seen is .*reads the environment"),
        ("_target_", "${dataset.name}", r"reader\._target_ is '\$\{dataset\.name\}'"),
    ],
)
def test_a_reference_reads_no_environment_and_names_no_class(
    key: str, value: str, told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        compose_config([f"+reader.{key}={value}"])


def test_sizes_are_checked_where_a_stranger_has_a_part(tmp_path: Path) -> None:
    overrides = ["dataset.build.conversations=100000", "dataset.build.sessions=1000"]
    composed: DictConfig = compose_config(overrides)
    check_composed(composed, overrides)
    with pytest.raises(UsageError, match=r"dataset\.build sets .*generated data"):
        check_composed(composed, overrides, [tmp_path])


def test_a_reference_to_nothing_is_left_to_whoever_follows_it(tmp_path: Path) -> None:
    check_composed(compose_config(["+reader.x=${nothing}"]), [], [tmp_path])
