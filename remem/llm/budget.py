"""A limit in dollars that no call passes: the worst case is reserved before each is sent.

It counts what this start of a run sends; what the call store serves costs nothing. An endpoint may
bill more than it was allowed (`max_output_tokens` ignored): so the first call goes alone, and once
one has cost more than was reserved for it, each next one reserves as much and goes alone. A reply
that reports no usage counts as what was reserved for it.
"""

import logging
import math
from threading import Condition

from remem.llm.prices import Price
from remem.protocols import StopRunError
from remem.types import Usage

log = logging.getLogger(__name__)


class BudgetReachedError(StopRunError):
    """The next call could pass the budget; the same command goes on from there."""


class Budget:
    """What may be spent by all threads together; math.inf for no limit."""

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
        """The most that a call has cost of those that cost more than was reserved."""
        self._kept: bool | None = None
        """Whether calls cost at most what was reserved; None before the first one is billed."""
        self._is_told = False
        """Whether it was said that replies report no usage."""

    @property
    def spent(self) -> float:
        """Return the dollars that settled calls have cost."""
        with self._changed:
            return self._spent

    def reserve(self, most: Usage) -> float:
        """Set aside what a call can cost at most and return it.

        Where the worst cases of the calls in flight leave no room, this waits for them to end:
        they cost less as a rule.

        Raises:
            BudgetReachedError: There is no room though nothing is in flight, or more is spent
                already than the limit.
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
        """Replace what was reserved for a call by what it cost; a call without reply is free."""
        dollars = self._price.dollars(usage)
        with self._changed:
            if usage.calls and not usage.prompt_tokens:  # no call is without a prompt
                dollars = max(dollars, reserved)
                self._tell_of_no_usage()
            self._in_flight -= 1
            # Exactly nothing when nothing is in flight: differences of floats do not add up to it.
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
        """Note how a call that was billed compares with what was reserved for it."""
        if dollars > reserved:
            self._dearest = max(self._dearest, dollars)
        # Several tries may cost more together though the endpoint keeps to its limit in each.
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
