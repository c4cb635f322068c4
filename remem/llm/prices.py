"""Prices of models: dated lists of published prices in conf/prices, or a file of your own.

With the prices of gpt-4.1-mini, the token counts in the paper's table give the paper's dollars.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from remem.files.plain_yaml import read_plain_yaml
from remem.files.shipped import shipped_folder
from remem.types import Usage

TOKENS_PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens; cached input is charged in full, as the paper does.

    >>> round(Price(0.40, 1.60).dollars(Usage(1, 1_190_000, 170_000)), 2)
    0.75
    """

    input: float
    output: float
    source: str = ""
    date: str = ""
    verified: bool = False

    def dollars(self, usage: Usage) -> float:
        """Return the cost of the tokens in dollars."""
        cost = usage.prompt_tokens * self.input + usage.completion_tokens * self.output
        return cost / TOKENS_PER_PRICE


def read_prices(prices: str) -> Mapping[str, Price]:
    """Read a price list by model: a name in conf/prices, or the path of a YAML file.

    Raises:
        FileNotFoundError: The price list does not exist.
        ValueError: The file is not plain YAML, or not a price list.
    """
    path = Path(prices) if prices.endswith(".yaml") else _prices_folder() / f"{prices}.yaml"
    if not path.is_file():
        raise FileNotFoundError(
            f"no such price list: {path}; choose one of {', '.join(_names()) or 'none'}, or a "
            f"YAML file of your own"
        )
    content = read_plain_yaml(path)
    try:
        return TypeAdapter(dict[str, Price]).validate_python(content)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(
            f"{path}: {place or 'it'}: {error.errors()[0]['msg']}; expected a mapping of models "
            f"to input and output (dollars per million tokens), source, date, verified"
        ) from error


def read_price(prices: str, model: str) -> Price:
    """Return the price of one model.

    Raises:
        ValueError: The list has no price for the model.
    """
    known = read_prices(prices)
    if model not in known:
        raise ValueError(
            f"the price list {prices} has no price for {model!r}, only for "
            f"{', '.join(sorted(known))}; copy the list to a YAML file of your own, add the "
            f"model, and set prices to that file"
        )
    return known[model]


def _prices_folder() -> Path:
    """Return conf/prices of the installed package, else of the checkout."""
    return shipped_folder("conf/prices", "conf/prices")


def _names() -> list[str]:
    return sorted(path.stem for path in _prices_folder().glob("*.yaml"))
