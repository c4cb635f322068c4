"""The benchmark of one long log runs at any size; without faiss it says so."""

from importlib.util import find_spec

import pytest
from measure import long_log
from measure.line import Growth, Line

from remem.metrics.tokens import estimated_tokens


def test_a_log_has_the_tokens_that_were_asked_for_and_no_session_more():
    episodes = list(long_log.long_log(3_000, seed=1))
    told = [
        sum(estimated_tokens(message.text) for message in episode.messages) for episode in episodes
    ]
    assert sum(told) >= 3_000
    assert sum(told[:-1]) < 3_000
    messages = [message for episode in episodes for message in episode.messages]
    assert len({message.id for message in messages}) == len(messages)
    assert all(message.time and message.date for message in messages)
    assert episodes == list(long_log.long_log(3_000, seed=1))


@pytest.mark.extra
def test_everything_is_measured_and_what_is_appended_is_found():
    pytest.importorskip("faiss", reason="faiss is not installed")
    found = list(long_log.compare((3_000, 6_000), repeats=2))
    names = " ".join(item.name for item in found if isinstance(item, Line))
    for what in ("index, processor time", "peak memory", "lexical_retrieve", "append 1%"):
        assert what in names
    assert len([item for item in found if isinstance(item, Growth)]) == 11
    (share,) = (item for item in found if isinstance(item, Line) and item.peer)
    assert share.ratio is not None
    assert share.ratio > 0


@pytest.mark.skipif(find_spec("faiss") is not None, reason="faiss is installed")
def test_without_faiss_the_line_says_how_to_get_it():
    [line] = long_log.compare((100,), repeats=1)
    assert line.note.startswith("pip install")
