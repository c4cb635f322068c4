"""A start of the command is timed in alternation with bare imports."""

import subprocess

import pytest
from measure import starts
from measure.beside import beside, scaled, timed
from measure.line import Sample
from measure.starts import import_alone


def test_two_things_are_measured_in_turns_and_the_first_round_does_not_count():
    ticks, done = iter(range(100)), []
    ours, peer = beside(
        lambda: done.append("ours"), lambda: done.append("peer"), 2, lambda: float(next(ticks))
    )
    assert done == ["ours", "peer"] * 3
    assert ours == peer == Sample(2, 1.0, 1.0, 1.0)
    assert scaled(ours, 1000) == Sample(2, 1000.0, 1000.0, 1000.0)
    assert timed(lambda: None, iter([3.0, 5.0]).__next__) == 2.0


def test_a_package_that_imports_something_heavy_is_refused(monkeypatch):
    import_alone("remem")
    monkeypatch.setattr(starts, "HEAVY", ("json",))
    with pytest.raises(subprocess.CalledProcessError):
        import_alone("json")


def test_a_start_is_measured_in_cpu_seconds_beside_bare_imports(monkeypatch):
    monkeypatch.setattr(starts, "STARTS", {("--help",): "import typer"})
    (line,) = starts.measure_starts(1)
    assert (line.name, line.against) == ("remem --help", "python -c 'import typer'")
    assert line.peer.median > 0
    assert line.ours.median > 0  # about as much: the help imports typer and little else
    assert line.goal.most == 2


def test_a_start_that_fails_is_no_measurement():
    with pytest.raises(subprocess.CalledProcessError):
        starts.start(("nosuch",))
