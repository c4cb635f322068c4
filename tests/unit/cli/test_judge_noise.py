"""`remem judge-noise` tells repeats of a judge from repeats of answers."""

from collections.abc import Callable

from typer.testing import Result

from remem.run.run_result import RunResult

Ask = Callable[..., Result]


def test_the_noise_of_a_judge_is_told_from_its_repeats(
    run: RunResult, ask: Ask, judged: Callable[..., None]
) -> None:
    assert "found none; choose one with --judge" in str(ask("judge-noise", run.folder).exception)
    judged(True, False)
    result = ask("judge-noise", run.folder)
    assert "contradicts itself on 100.0% of the answers" in result.output
