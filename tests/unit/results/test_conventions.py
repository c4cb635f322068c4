"""Named sets of convention.score, and the scores that a command names."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError
from remem.results.conventions import convention_names, named_scores, score_sets
from remem.results.run import Run
from remem.types import Gold, Record

LOCOMO = "released_comma_cut"


@pytest.mark.parametrize("name", convention_names())
def test_a_set_by_name_is_that_of_the_configuration(name: str) -> None:
    config = run_config(compose_config(["dataset=locomo", f"convention={name}"]))
    sets = score_sets([name], config.settings.dataset.released_f1)
    assert sets == {name: config.score_convention()}


def test_single_keys_are_changed() -> None:
    paper = score_sets(["paper"], LOCOMO)["paper"]
    changed = score_sets(["f1=mem0,seed=3", "strict,bleu=mem0"], LOCOMO)
    first, second = changed.values()
    assert (first.f1, first.seed, first.bleu) == ("mem0", 3, paper.bleu)
    assert (second.bleu, second.multi_answer_gold) == ("mem0", "set")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nonsense",
            "unknown convention 'nonsense'; choose characters, paper, reference or strict",
        ),
        ("f1=nonsense", "f1 is 'nonsense'"),
        ("resamples=0", "expected 1 to 100,000"),
    ],
)
def test_what_is_no_set_is_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        score_sets([name], LOCOMO)


RECORD = Record("q0", "h", 0, "?", Gold(("a red bus",), "1"), "ok", answer="a bus")


def setting(heading: str) -> str:
    return (
        f"# @package score.words\nheading: {heading}\nunit: count\nbetter: lower\n"
        "build: {_target_: wordy.words, _partial_: true}\n"
    )


@pytest.fixture(autouse=True)
def wordy(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("wordy")
    exec("def words(record, convention): return len(record.answer.split())", module.__dict__)
    monkeypatch.setitem(sys.modules, "wordy", module)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conf/score").mkdir(parents=True)
    (tmp_path / "conf/score/words.yaml").write_text(setting("words"))
    return tmp_path / "conf"


def headings(scores: Iterable[object]) -> dict[str, str]:
    return {score.name: score.heading for score in scores}  # type: ignore[attr-defined]


def test_a_score_of_a_folder_is_found_and_admitted_by_its_package(folder: Path) -> None:
    found = named_scores(["words", "f1"], (), folder, ["wordy"])
    assert headings(found)["words"] == "words"
    assert found[-1].function is not None
    with pytest.raises(UsageError, match=r"add --package wordy"):
        named_scores(["words"], (), folder)


def test_a_score_that_a_run_was_made_with_is_found(
    folder: Path, make_run: Callable[..., Path]
) -> None:
    run = Run.open(
        make_run(
            [RECORD], f"hydra.searchpath=[file://{folder}]", "+score=words", "run.packages=[wordy]"
        )
    )
    assert headings(named_scores(["words"], [run], None, ["wordy"]))["words"] == "words"
    assert "words" not in headings(named_scores(["f1"], [run]))  # and built only where it is named


def test_the_folder_wins_over_the_run(folder: Path, make_run: Callable[..., Path]) -> None:
    run = Run.open(make_run([RECORD], f"hydra.searchpath=[file://{folder}]", "+score=words"))
    (folder / "score/words.yaml").write_text(setting("number of words"))
    found = headings(named_scores(["words"], [run], folder, ["wordy"]))
    assert found["words"] == "number of words"
