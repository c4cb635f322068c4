"""Scores named in `conf/scores.yaml` and in users' own files, and which names are refused."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.config.settings import checked_convention, our_scores
from remem.errors import UsageError
from remem.metrics.convention import Score
from remem.metrics.question_scores import question_scores, read_score_row, score_row
from remem.results.compare import ScoredRuns, compare_scored, format_comparison
from remem.types import Gold, Record

SETTINGS = "heading: words\nunit: count\nbetter: lower\n"
BUILD = "build: {_target_: wordy.words, _partial_: true}\n"
RECORD = Record("q0", "h", 0, "?", Gold(("a red bus",), "1"), "ok", answer="a bus")


@pytest.fixture(autouse=True)
def wordy() -> Iterator[None]:
    """A package with a score: the number of words of an answer."""
    module = ModuleType("wordy")
    exec("def words(record, convention): return len(record.answer.split())", module.__dict__)
    sys.modules["wordy"] = module
    yield
    del sys.modules["wordy"]


def configured(folder: Path, settings: str, name: str = "words") -> RunConfig:
    (folder / "score").mkdir()
    (folder / f"score/{name}.yaml").write_text(f"# @package score.{name}\n{settings}")
    places = (f"hydra.searchpath=[file://{folder}]", "run.packages=[wordy]")
    return run_config(compose_config([*places, f"+score={name}"]))


def test_a_score_of_ones_own_is_scored_after_ours(tmp_path: Path) -> None:
    config = configured(tmp_path, SETTINGS + BUILD)
    assert config.fingerprint(()) == run_config(compose_config([])).fingerprint(())
    convention = config.score_convention()
    assert convention.score_names == (*(score.name for score in our_scores()), "words")
    assert question_scores(RECORD, convention).value("words") == 2
    assert not convention.is_share("words")
    assert convention.better("words") == "lower"
    names = ("words", "recall_at_10", "refusal_f1", "refused")
    headings = ["words", "recall@10", "refusal F1", "refused"]
    assert list(map(convention.heading, names)) == headings


def test_no_two_of_our_scores_have_the_same_heading() -> None:
    assert len({score.heading for score in our_scores()}) == len(our_scores())


WORDS = SETTINGS + BUILD
HIDDEN = r"is not in remem, baselines, wordy; .*run\.packages=\[hidden\] .* --package hidden to"
F1 = r"score\.words\.heading is 'F1', which is already the heading of f1; choose another heading"


@pytest.mark.parametrize(
    ("settings", "name", "message"),
    [
        (WORDS.replace("wordy", "hidden"), "words", HIDDEN),
        (WORDS, "f1", r"score\.f1: remem already has a score with this name"),
        (WORDS.replace("heading: words", "heading: F1"), "words", F1),
        (SETTINGS, "words", "has no function: name one in build"),
        (WORDS.replace("count", "metre"), "words", "Score unit is 'metre'"),
        (WORDS.replace("better", "best"), "words", "expected only better, build"),
    ],
)
def test_what_is_wrong_with_a_score_is_named(
    settings: str, name: str, message: str, tmp_path: Path
) -> None:
    config = configured(tmp_path, settings, name=name)
    with pytest.raises(UsageError, match=message):
        config.score_convention()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1.0"])
def test_a_score_that_is_no_number_is_refused(value: object) -> None:
    score = Score(
        name="odd",
        heading="odd",
        unit="share",
        better="higher",
        function=lambda record, convention: value,  # type: ignore[arg-type,return-value]
    )
    convention = replace(run_config(compose_config([])).score_convention(), scores=(score,))
    with pytest.raises(ValueError, match=r"score odd of question q0 is .* expected a finite"):
        question_scores(RECORD, convention)


def test_less_of_a_score_is_better_where_it_says_so() -> None:
    convention = replace(run_config(compose_config([])).score_convention(), resamples=9)
    first = [replace(RECORD, query_id=f"q{at}", context_tokens=100) for at in range(3)]
    second = [replace(item, context_tokens=200) for item in first]
    how = {"score": "context_tokens", "category": None, "convention": convention}
    found = compare_scored(ScoredRuns.of_records((first, second), (None, None), **how))
    assert (found.difference.mean, found.first_better, found.second_better) == (-100, 3, 0)
    assert format_comparison(found, ("BM25", "REMem-S"))[0].startswith(
        "context tokens: BM25 minus REMem-S = -100.0000 (lower is better), "
    )


def test_the_scores_of_a_question_come_out_of_a_line_as_they_went_in() -> None:
    found = question_scores(RECORD, run_config(compose_config([])).score_convention())
    assert read_score_row(score_row(found)) == found
    with pytest.raises(ValueError, match="refused"):
        read_score_row({"query_id": "q0"})


def test_a_convention_names_no_scores() -> None:
    with pytest.raises(UsageError, match=r"no key 'scores'; .* set dataset\.scores"):
        checked_convention({"scores": ["f1"]}, our_scores())
