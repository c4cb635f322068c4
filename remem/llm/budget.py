"""A limit in dollars: the maximum cost of each call is reserved before it is sent.

Only calls sent by this start of a run count; replies from the call store are free. An endpoint may
bill more than was reserved if it ignores `max_output_tokens`. So the first call is sent alone, and
after a call that cost more than its reservation, each later call reserves that much and is sent
alone. A reply that reports no usage counts at its reservation.
"""

import logging
import math
from threading import Condition

from remem.llm.prices import Price
from remem.protocols import StopRunError
from remem.types import Usage

log = logging.getLogger(__name__)


class BudgetReachedError(StopRunError):
    """The next call could exceed the budget; the same command continues the run."""


class Budget:
    """The dollars that all threads together may spend; math.inf for no limit."""

    def __init__(self, dollars: float, price: Price) -> None:
        if not dollars >= 0:
            raise ValueError(f"budget_dollars is {dollars}, expected at least 0")
        self._limit = dollars
        self._price = price
        self._changed = Condition()
        self._spent = 0.0
        self._reserved = 0.0
        self._in_flight = 0
        self._dearest = 0.0
        """The highest cost of a call that cost more than its reservation."""
        self._kept: bool | None = None
        """Whether calls cost at most their reservation; None before the first bill."""
        self._is_told = False
        """Whether the warning about replies without usage was shown."""

    @property
    def spent(self) -> float:
        """Return the total cost of settled calls in dollars."""
        with self._changed:
            return self._spent

    def reserve(self, most: Usage) -> float:
        """Reserve the maximum cost of a call and return it in dollars.

        If the reservations of calls in flight use up the budget, wait for these calls to end, as
        they usually cost less.

        Raises:
            BudgetReachedError: The budget is too small even with nothing in flight, or more than
                the limit has already been spent.
        """
        with self._changed:
            while self._in_flight and self._spent <= self._limit and self._must_wait(most):
                self._changed.wait()
            dollars = self._at_most(most)
            if self._spent + self._reserved + dollars > self._limit:
                raise BudgetReachedError(
                    f"the budget of ${self._limit:.4f} is reached: ${self._spent:.4f} are spent "
                    f"and the next call may cost ${dollars:.4f}; run the same command to continue "
                    f"with as much again, or set llm.build.budget_dollars=<dollars> (null: no "
                    f"limit)"
                )
            self._reserved += dollars
            self._in_flight += 1
        return dollars

    def settle(self, reserved: float, usage: Usage) -> None:
        """Replace the amount reserved for a call by its actual cost, 0 without a reply."""
        dollars = self._price.dollars(usage)
        with self._changed:
            if usage.calls and not usage.prompt_tokens:  # no call is without a prompt
                dollars = max(dollars, reserved)
                self._tell_of_no_usage()
            self._in_flight -= 1
            # Set to exactly 0 when nothing is in flight: sums of float differences may not be 0.
            self._reserved = self._reserved - reserved if self._in_flight else 0.0
            self._spent += dollars
            if usage.calls:
                self._learn(reserved, dollars, usage.calls)
            self._changed.notify_all()

    def _tell_of_no_usage(self) -> None:
        if self._is_told or self._limit == math.inf:
            return
        self._is_told = True
        log.warning(
            "a reply reports no token usage, so the call counts as the most that it could cost, "
            "and the budget may be reached early; llm.build.budget_dollars=null sets no limit"
        )

    def _learn(self, reserved: float, dollars: float, tries: int) -> None:
        """Compare the billed cost of a call with its reservation, for the reservations to come."""
        if dollars > reserved:
            self._dearest = max(self._dearest, dollars)
        # Several tries may together cost more although each one keeps to the limit.
        if dollars > reserved * tries and self._kept is not False:
            self._kept = False
            log.warning(
                "a call cost $%.4f, expected at most $%.4f: the endpoint ignores "
                "max_output_tokens, so calls are sent one at a time from now on",
                *(dollars, reserved),
            )
        elif self._kept is None:
            self._kept = True

    def _must_wait(self, most: Usage) -> bool:
        if self._limit == math.inf:
            return False
        return not self._kept or self._spent + self._reserved + self._at_most(most) > self._limit

    def _at_most(self, most: Usage) -> float:
        return max(self._price.dollars(most), self._dearest)
