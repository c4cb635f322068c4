"""`remem data classify`: counts by rules, by a model, and beside the paper's."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from typer.testing import Result

from remem.errors import QuestionsInErrorError

Ask = Callable[..., Result]
MODEL = (
    "run.packages=[rehearsal,scripted_model]",
    "llm.name=scripted",
    "+llm.build={_target_:scripted_model.Configured,repeat:0}",
)


def rows(output: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in output.splitlines() if line.strip()}


def test_a_model_stands_beside_the_rules_with_kappa(
    ask: Ask, tiny: tuple[str, ...], tmp_path: Path, scripted_model: ModuleType
) -> None:
    scripted_model.SCRIPTS.append(lambda request, repeat: '{"temporal_class": "event_attributes"}')
    done = ask("data", "classify", *tiny, *MODEL, f"paths.results={tmp_path}")
    assert done.exit_code == 0, done.output
    assert rows(done.output)["event_attributes"] == ["2", "4"]
    assert "agree on 2 of 4 questions, Cohen's kappa 0.000" in done.output
    assert len(list(tmp_path.glob("cache/temporal_classes/tiny/temporal_classes.scripted-*"))) == 1
    scripted_model.SCRIPTS[:] = [lambda request, repeat: "none of these"]
    done = ask("data", "classify", *tiny, *MODEL, f"paths.results={tmp_path / 'other'}")
    assert isinstance(done.exception, QuestionsInErrorError)
    assert "questions without a class from scripted: 4" in str(done.exception)


def test_the_papers_counts_stand_beside_those_of_the_rules_for_locomo(
    ask: Ask, tiny: tuple[str, ...]
) -> None:
    done = ask("data", "classify", *tiny, "dataset.name=locomo")
    assert done.exit_code == 0, done.output
    # both histories ask "Which entity was the R1 of E2 in 1965?" and "Was it nice?"
    counts = rows(done.output)
    assert (counts["event_attributes"][0], counts["temporal"][0]) == ("2", "2")
    assert counts["order"] == ["0", "22", "49"]
    assert counts["non_temporal"] == ["2", "1270", "1086"]
