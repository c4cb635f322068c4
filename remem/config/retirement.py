"""Retirement dates of models: conf/retirements.yaml, and the warning that a run shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from omegaconf import OmegaConf
from pydantic import TypeAdapter

from remem.config.conf_files import conf_folder
from remem.files.yaml_text import load_yaml

WARNED_DAYS = 365
"""Number of days before a model's retirement from which a warning is shown."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """The day on which a model is retired, and the source of that date."""

    date: date
    source: str


def read_retirements() -> Mapping[str, Retirement]:
    """Return the known retirements by model name."""
    content = OmegaConf.to_container(load_yaml(conf_folder() / "retirements.yaml"))
    return TypeAdapter(dict[str, Retirement]).validate_python(content)


def retirement_warning(
    model: str, retirements: Mapping[str, Retirement], today: date
) -> str | None:
    """Return a warning if a model is retired or will be within a year, else None.

    >>> known = {"m": Retirement(date(2027, 1, 14), "a page")}
    >>> retirement_warning("m", known, date(2026, 11, 21))
    'm will be retired on 2027-01-14, in 54 days (a page)'
    """
    retirement = retirements.get(model)
    if retirement is None:
        return None
    days = (retirement.date - today).days
    if days > WARNED_DAYS:
        return None
    when = f"will be retired on {retirement.date}, in {days} days"
    return (
        f"{model} {when if days > 0 else f'was retired on {retirement.date}'} ({retirement.source})"
    )
