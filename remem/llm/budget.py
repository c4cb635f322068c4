"""Prices of models, from a dated list of published prices in conf/prices or your own file.

The dollar amounts in the paper's table follow from its token counts and the prices of gpt-4.1-mini.
"""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Condition

from pydantic import TypeAdapter, ValidationError

from remem.errors import BudgetReachedError
from remem.files.shipped import shipped_folder
from remem.files.yaml_text import read_plain_yaml
from remem.llm.ledger import NANO, Ledger, Shortage, is_within, nano
from remem.types import Usage

TOKENS_PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model per million tokens; cached input costs the full price, as in the paper.

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
    """Return the price of each model in a price list: a name in conf/prices, or a YAML file's path.

    Raises:
        FileNotFoundError: The price list does not exist.
        ValueError: The file is not plain YAML, or not a price list.
    """
    path = Path(prices) if prices.endswith(".yaml") else _prices_folder() / f"{prices}.yaml"
    if not path.is_file():
        raise FileNotFoundError(
            f"no such price list: {path}; choose one of {', '.join(_names()) or 'none'}, or give "
            "the path of your own YAML file"
        )
    content = read_plain_yaml(path)
    try:
        return TypeAdapter(dict[str, Price]).validate_python(content)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(
            f"{path}: {place or 'the file'}: {error.errors()[0]['msg']}; expected for each model "
            f"the keys input and output (dollars per million tokens), and optionally source, date "
            f"and verified"
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
            f"{', '.join(sorted(known))}; copy the list to your own YAML file, add the model, and "
            "set prices to that file"
        )
    return known[model]


def _prices_folder() -> Path:
    """Return conf/prices of the installed package, else of the checkout."""
    return shipped_folder("conf/prices", "conf/prices")


def _names() -> list[str]:
    return sorted(path.stem for path in _prices_folder().glob("*.yaml"))


log = logging.getLogger(__name__)


class Budget:
    """A limit on the dollars that all threads together may spend.

    Args:
        dollars: The limit; math.inf for no limit.
        price: The price of the model.
        ledger: The ledger whose total is limited; None to limit only what this object spends.
    """

    def __init__(self, dollars: float, price: Price, ledger: Ledger | None = None) -> None:
        if not dollars >= 0:
            raise ValueError(f"budget_dollars is {dollars}, expected at least 0")
        self._limit = dollars
        self._price = price
        self._ledger = ledger or _OwnLedger()
        self._changed = Condition()
        self._in_flight = 0
        self._dearest = 0.0
        """The highest cost of a call that cost more than its reservation."""
        self._bills_as_reserved: bool | None = None
        """Whether calls cost at most their reservation; None before the first bill."""
        self._has_warned = False
        """Whether the warning about replies without usage was shown."""

    @property
    def spent(self) -> float:
        """Return the total cost of settled calls in dollars."""
        with self._changed:
            return self._ledger.spent

    def reserve(self, most: Usage) -> float:
        """Reserve the maximum cost of a call and return it in dollars.

        If the reservations of calls in flight use up the budget, wait for these calls to end,
        because calls usually cost less than was reserved for them.

        Raises:
            BudgetReachedError: The budget is too small even without calls in flight, or more than
                the limit has already been spent.
        """
        with self._changed:
            while (dollars := self._reserved(most)) is None:
                self._ledger.wait(self._changed)
            self._in_flight += 1
        return dollars

    def settle(self, reserved: float, usage: Usage) -> None:
        """Replace the amount reserved for a call by its actual cost (0 if it got no reply)."""
        dollars = self._price.dollars(usage)
        with self._changed:
            if usage.calls and not usage.prompt_tokens:  # every call has a prompt
                dollars = max(dollars, reserved)
                self._warn_of_no_usage()
            self._in_flight -= 1
            if usage.calls:
                self._learn(reserved, dollars, usage.calls)
            self._changed.notify_all()
            self._ledger.settle(reserved, dollars)

    def _reserved(self, most: Usage) -> float | None:
        """Reserve the maximum cost of a call; return None if the call has to wait."""
        if self._has_to_be_alone():
            return None
        dollars = max(self._price.dollars(most), self._dearest)
        shortage = self._ledger.reserve(dollars, self._limit)
        if shortage is not None and not shortage.may_end:
            raise BudgetReachedError(shortage.complaint)
        return dollars if shortage is None else None

    def _has_to_be_alone(self) -> bool:
        """Return whether a call has to wait until the other calls of this process have ended."""
        if not self._in_flight or self._bills_as_reserved or self._limit == math.inf:
            return False
        return self._ledger.spent <= self._limit

    def _warn_of_no_usage(self) -> None:
        if self._has_warned or self._limit == math.inf:
            return
        self._has_warned = True
        log.warning(
            "a reply reports no token usage, so the call is counted at its highest possible cost, "
            "and the budget may be reached early; to remove the limit, set "
            "llm.build.budget_dollars=null"
        )

    def _learn(self, reserved: float, dollars: float, tries: int) -> None:
        """Compare the billed cost of a call with its reservation, to adjust later reservations."""
        if dollars > reserved:
            self._dearest = max(self._dearest, dollars)
        # Several tries may together cost more, although each keeps to the limit.
        if dollars > reserved * tries and self._bills_as_reserved is not False:
            self._bills_as_reserved = False
            log.warning(
                "a call cost $%.4f, expected at most $%.4f: the endpoint ignores "
                "max_output_tokens, so calls are sent one at a time from now on",
                *(dollars, reserved),
            )
        elif self._bills_as_reserved is None:
            self._bills_as_reserved = True


class _OwnLedger:
    """The ledger of one start, in memory."""

    def __init__(self) -> None:
        self._spent = 0
        self._reserved = 0

    @property
    def spent(self) -> float:
        return self._spent / NANO

    def reserve(self, dollars: float, limit: float) -> Shortage | None:
        amount = nano(dollars)
        if is_within(self._spent + self._reserved + amount, limit):
            self._reserved += amount
            return None
        complaint = (
            f"the budget of ${limit:.4f} is reached: ${self.spent:.4f} are spent and the next call "
            f"may cost ${dollars:.4f}; run the same command to continue with as much again, or set "
            f"llm.build.budget_dollars=<dollars> (null: no limit)"
        )
        return Shortage(complaint, may_end=self._reserved > 0 and self.spent <= limit)

    def settle(self, reserved: float, dollars: float) -> None:
        self._reserved -= nano(reserved)
        self._spent += nano(dollars)

    def wait(self, changed: Condition) -> None:
        changed.wait()
