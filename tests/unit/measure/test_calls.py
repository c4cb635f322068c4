"""The benchmark of the call path measures what it says: all calls, in each way, of one server."""

from pathlib import Path

import pytest
from measure.calls import Load, Round, call_server, compare_ways, stored

from remem.llm.call_store import CallStore


def test_each_way_is_measured_in_each_round(tmp_path: Path) -> None:
    compared = compare_ways(Load(2, 0.0, 100, 4), tmp_path, rounds=2)
    ways = ["openai, threads", "openai, asyncio", "remem"]
    assert [item.way for item in compared.rounds] == ways * 2
    assert all(item.calls_per_second > 0 for item in compared.rounds)
    assert compared.share_low <= compared.share <= compared.share_high


@pytest.mark.parametrize("characters", [10, 200_000])
def test_every_call_of_ours_is_in_the_store(tmp_path: Path, characters: int) -> None:
    with call_server(0.001) as url:
        measured = stored(url, Load(3, 0.001, characters, 6), tmp_path / "calls.sqlite")
    assert isinstance(measured, Round)
    file = CallStore(tmp_path / "calls.sqlite")._file
    counted = "SELECT count(*), min(length(text)), min(length(request)) FROM calls"
    ((calls, least_reply, least_request),) = file.rows(counted)
    assert (calls, least_reply) == (6 + 3, 1000)  # three to warm up
    assert least_request > characters
