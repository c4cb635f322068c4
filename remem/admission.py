"""Packages and code of models, which a configuration admits if the command line says so."""

from collections.abc import Mapping, Sequence

from omegaconf import DictConfig, ListConfig, OmegaConf

from remem.instantiation import UsageError
from remem.interpolations import check_interpolations

ADMITTED: Mapping[str, str] = {"packages": "packages", "model_code": "code of models"}


def check_composed(config: DictConfig, overrides: Sequence[str]) -> None:
    """Refuse a composed configuration that admits code or reads the environment by itself.

    Raises:
        UsageError: A file admits packages or code of models, or a text that is not of `conf` reads
            the environment.
    """
    check_interpolations(OmegaConf.to_container(config, resolve=False))
    for key, what in ADMITTED.items():
        if not isinstance(config.run[key], ListConfig):
            raise UsageError(f"run.{key} is {config.run[key]!r}, expected a list of {what}")
        admitted = list(config.run[key])
        if admitted and not any(one.lstrip("+~").startswith(f"run.{key}=") for one in overrides):
            raise UsageError(
                f"run.{key} is {admitted} in a file; only the command line admits {what}"
            )
