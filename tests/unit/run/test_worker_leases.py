"""What workers hold: it is given back once, by them or for them."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from remem.run.worker_leases import Holdings


class Room:
    def __init__(self) -> None:
        self.inside: list[str] = []

    @contextmanager
    def entered(self, who: str) -> Iterator[str]:
        self.inside.append(who)
        yield who
        self.inside.remove(who)


@pytest.fixture
def room() -> Room:
    return Room()


def test_what_is_taken_is_held_until_it_is_given_back(room: Room) -> None:
    held = Holdings()
    number, value = held.take("w1", room.entered("a"))
    assert (value, room.inside, held.value("w1", number)) == ("a", ["a"], "a")
    held.give_back("w1", number)
    assert (room.inside, held.value("w1", number)) == ([], None)
    held.give_back("w1", number)  # a message that came late


def test_a_dead_worker_gives_back_all_of_its_own_and_takes_nothing_more(room: Room) -> None:
    held = Holdings()
    held.take("w1", room.entered("a"))
    held.take("w1", room.entered("b"))
    held.take("w2", room.entered("c"))
    held.give_up("w1")
    assert room.inside == ["c"]
    held.take("w1", room.entered("d"))  # it had waited for it when it died
    assert room.inside == ["c"]
