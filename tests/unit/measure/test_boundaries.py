"""A memory program and the same memory in this process recall alike; all copied runs are listed."""

import json
from pathlib import Path

from measure.boundaries import measure_program, measure_view

from remem.reports.html.site import LIVE, Site


def test_a_program_is_held_against_the_same_memory_in_this_process() -> None:
    line = measure_program(2)
    assert line.ratio is not None and line.ratio > 1


def test_each_copy_of_a_run_is_listed(tmp_path: Path) -> None:
    lines = list(measure_view(tmp_path, 3))
    assert [line.ours.n for line in lines] == [3, 3]
    listed = json.loads(Site(tmp_path).page(LIVE) or b"")
    assert len(listed["runs"]) == 3 and listed["unreadable"] == []
