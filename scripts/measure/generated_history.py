"""A generated history of any size with a random extraction, for timing a memory.

Words follow a Zipf law, entities recur; gists are dated at random, facts in the order of time.
"""

import time
from dataclasses import dataclass

import numpy as np

from measure.workload import ITEMS_PER_EPISODE, sentences
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message

DAYS = 40_000
FIRST_DAY = np.datetime64("1900-01-01")
PREDICATES = 200


@dataclass(slots=True)
class DrawnExtractor:
    """Draws ten gists and ten facts for an episode from its number, and times itself."""

    size: int
    """Number of gists of the whole history, and of facts."""
    seed: int
    seconds: float = 0.0

    def extract(self, episode: Episode) -> Extraction:
        """Return random gists and facts for an episode."""
        begun = time.perf_counter()
        number = int(episode.id)
        rng = np.random.default_rng((self.seed, number))
        texts = sentences(ITEMS_PER_EPISODE, rng)
        days = rng.integers(0, DAYS, ITEMS_PER_EPISODE)
        gists = tuple(
            Gist("", text, TimeScope(point_in_time=day_point(int(day))), "", ("m",))
            for text, day in zip(texts, days, strict=True)
        )
        ends = (rng.zipf(1.3, (ITEMS_PER_EPISODE, 2)) % self.entities).tolist()
        predicates = rng.integers(0, PREDICATES, ITEMS_PER_EPISODE).tolist()
        day = day_point(number * ITEMS_PER_EPISODE * DAYS // self.size % DAYS)
        scope = TimeScope(start_time=day, end_time=day)
        facts = tuple(
            Fact("", self.name(subject), f"relation {by}", self.name(other), scope, "", ("m",))
            for (subject, other), by in zip(ends, predicates, strict=True)
        )
        self.seconds += time.perf_counter() - begun
        return Extraction(gists, facts)

    def name(self, entity: int) -> str:
        """Return the name of an entity; a thousand names share each ending."""
        return f"entity {entity} of town {entity % self.towns}"

    @property
    def entities(self) -> int:
        """Return the number of possible names."""
        return max(self.size // 4, 2)

    @property
    def towns(self) -> int:
        """Return the number of groups of names."""
        return max(self.entities // 1000, 1)


def numbered_history(first: int, last: int) -> History:
    """Return the episodes with the gists from `first` to `last` (exclusive)."""
    numbers = range(first // ITEMS_PER_EPISODE, last // ITEMS_PER_EPISODE)
    return History("drawn", tuple(Episode(str(at), (Message("m", "", ""),)) for at in numbers))


def day_point(day: int) -> TimePoint:
    """Return a day, counted from the first possible day."""
    year, month, day_of_month = str(FIRST_DAY + day).split("-")
    return TimePoint(int(year), int(month), int(day_of_month))


def span(first_share: float, share: float) -> dict[str, str]:
    """Return the arguments of a filter for `share` of the days, starting at `first_share`."""
    first, last = int(first_share * DAYS), int((first_share + share) * DAYS) - 1
    return {"start_time": str(FIRST_DAY + first), "end_time": str(FIRST_DAY + last)}
