"""Check that only the command line allows packages and model code to be used."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from remem.config.composed_size import check_composed_size, check_interpolations
from remem.config.config_dir import granting
from remem.config.untrusted_composed import check_plain_targets, check_together
from remem.errors import UsageError

ADMITTED: Mapping[str, str] = {"packages": "packages", "model_code": "code of models"}


def check_composed(
    config: DictConfig, overrides: Sequence[str], strangers: Sequence[Path] = ()
) -> None:
    """Raise an error if a composed configuration has settings that are forbidden in files.

    Args:
        config: The configuration.
        overrides: The overrides of the command line.
        strangers: The untrusted folders that it was composed with.

    Raises:
        UsageError: A file admits packages or model code, a text outside `conf` reads the
            environment, references make the configuration too large, a `_target_` is interpolated,
            or an untrusted folder has forbidden settings.
    """
    written = OmegaConf.to_container(config, resolve=False)
    check_composed_size(written)
    check_interpolations(written)
    check_plain_targets(written)
    for key, what in ADMITTED.items():
        if not isinstance(config.run[key], ListConfig):
            raise UsageError(f"run.{key} is {config.run[key]!r}, expected a list of {what}")
        admitted = list(config.run[key])
        if admitted and not any(
            override.lstrip("+~").startswith(f"run.{key}=") for override in overrides
        ):
            raise UsageError(
                f"run.{key} is {admitted} in a file; {what} can only be allowed on the command line"
            )
    for folder in strangers:
        check_together(folder, _followed(config), granting(folder))


def _followed(config: DictConfig) -> Mapping[str, Any]:
    """Return a configuration with all references resolved; empty if one cannot be resolved.

    An error in a reference is reported later, when the configuration is used.
    """
    try:
        resolved = OmegaConf.to_container(config, resolve=True)
    except OmegaConfBaseException:
        return {}
    return (
        {str(key): value for key, value in resolved.items()} if isinstance(resolved, dict) else {}
    )
