"""A limit in dollars that no call passes: the worst case is reserved before each is sent.

It counts what this start of a run sends; what the call store serves costs nothing.
"""

from threading import Condition

from remem.llm.prices import Price
from remem.protocols import StopRunError
from remem.types import Usage


class BudgetReachedError(StopRunError):
    """The next call could pass the budget; the same command goes on from there."""


class Budget:
    """What may be spent by all threads together; math.inf for no limit."""

    def __init__(self, dollars: float, price: Price) -> None:
        if not dollars >= 0:
            raise ValueError(f"a budget is at least 0 dollars, found {dollars}")
        self._limit = dollars
        self._price = price
        self._changed = Condition()
        self._spent = 0.0
        self._reserved = 0.0
        self._in_flight = 0

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
            BudgetReachedError: There is no room though nothing is in flight.
        """
        dollars = self._price.dollars(most)
        with self._changed:
            while self._in_flight and self._spent + self._reserved + dollars > self._limit:
                self._changed.wait()
            if self._spent + self._reserved + dollars > self._limit:
                raise BudgetReachedError(
                    f"the budget of ${self._limit:.4f} is reached: ${self._spent:.4f} are spent "
                    f"and the next call may cost ${dollars:.4f}; the same command goes on from "
                    f"here and may spend as much again, or llm.build.budget_dollars=<dollars> "
                    f"(null: no limit)"
                )
            self._reserved += dollars
            self._in_flight += 1
        return dollars

    def settle(self, reserved: float, usage: Usage) -> None:
        """Replace what was reserved for a call by what it cost; a call without reply is free."""
        with self._changed:
            self._in_flight -= 1
            # Exactly nothing when nothing is in flight: differences of floats do not add up to it.
            self._reserved = self._reserved - reserved if self._in_flight else 0.0
            self._spent += self._price.dollars(usage)
            self._changed.notify_all()
