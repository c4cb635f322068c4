"""A split has two disjoint parts with each category in both, and depends on a seed."""

from collections import Counter

import pytest

from remem.benchmarks.loaded import LoadedBenchmark
from remem.benchmarks.split import Split
from remem.protocols import DataFile
from remem.types import Episode, Gold, History, Message, Query, Question


def benchmark() -> LoadedBenchmark:
    """Two histories of 20 questions; 30 are of category a, 10 of b."""
    asked = []
    for history in ("h1", "h2"):
        questions = [
            Question(
                Query(f"{history}/{n}", history, n, "Who?"),
                Gold(("Ann",), "b" if n % 4 == 0 else "a"),
            )
            for n in range(20)
        ]
        told = Episode(f"{history}/e", (Message(f"{history}/m", "Ann", "Hello."),))
        asked.append((History(history, (told,)), questions))
    return LoadedBenchmark(asked, [DataFile("made up", "0" * 64)])


def ids(split: Split) -> list[str]:
    return [
        question.query.id
        for history in split.histories()
        for question in split.questions(history.id)
    ]


def made(part: str, share: float = 0.2, seed: int = 0) -> Split:
    return Split(whole=benchmark(), part=part, share=share, seed=seed)  # type: ignore[arg-type]


def test_each_category_gives_its_share_and_the_rest_is_the_other_part() -> None:
    split, rest = made("validation"), ids(made("test"))
    assert len(rest) == 32
    assert {*ids(split), *rest} == {f"h{h}/{n}" for h in (1, 2) for n in range(20)}
    categories = Counter(
        question.gold.category
        for history in split.histories()
        for question in split.questions(history.id)
    )
    assert categories == {"a": 6, "b": 2}


def test_a_seed_draws_the_same_again_and_another_others() -> None:
    assert ids(made("validation")) == ids(made("validation"))
    assert ids(made("validation")) != ids(made("validation", seed=1))


def test_a_small_share_has_one_of_each_category_and_only_their_histories() -> None:
    split = made("validation", share=0.01)
    assert len(ids(split)) == 2
    assert all(split.questions(history.id) for history in split.histories())


def test_questions_are_numbered_anew_and_the_data_are_marked() -> None:
    split = made("test")
    for history in split.histories():
        numbers = [question.query.index for question in split.questions(history.id)]
        assert numbers == list(range(len(numbers)))
    assert split.files()[0].name.startswith("made up (test part: 0.2 of each category")


def test_a_share_of_1_is_the_whole_and_leaves_no_test_part() -> None:
    whole = benchmark()
    split = made("validation", share=1)
    for history in whole.histories():
        assert split.questions(history.id) == whole.questions(history.id)
    with pytest.raises(ValueError, match="the test part has no questions"):
        made("test", share=1)


@pytest.mark.parametrize("share", [0, 1.01, -0.5, float("nan")])
def test_no_share_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="expected more than 0 and at most 1"):
        made("validation", share=share)
