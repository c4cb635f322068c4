"""When a model leaves its API: conf/retirements.yaml, and what a run says of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from omegaconf import OmegaConf
from pydantic import TypeAdapter

from remem.config.conf_files import conf_folder

WARNED_DAYS = 365
"""How long before its retirement a model is warned of."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """The day a model leaves its API, and where that was read."""

    date: date
    source: str


def read_retirements() -> Mapping[str, Retirement]:
    """Return what is known of models that leave their API, by name."""
    content = OmegaConf.to_container(OmegaConf.load(conf_folder() / "retirements.yaml"))
    return TypeAdapter(dict[str, Retirement]).validate_python(content)


def retirement_warning(
    model: str, retirements: Mapping[str, Retirement], today: date
) -> str | None:
    """Say that a model leaves its API within a year, or has left; None where there is no need.

    >>> known = {"m": Retirement(date(2027, 1, 14), "a page")}
    >>> retirement_warning("m", known, date(2026, 11, 21))
    'm will be retired on 2027-01-14, in 54 days (a page)'
    """
    known = retirements.get(model)
    if known is None:
        return None
    days = (known.date - today).days
    if days > WARNED_DAYS:
        return None
    when = f"will be retired on {known.date}, in {days} days"
    return f"{model} {when if days > 0 else f'was retired on {known.date}'} ({known.source})"
