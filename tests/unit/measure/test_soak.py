"""How the soak reads memory and times, and that no two of its questions are the same call."""

import json
from pathlib import Path

import pytest
from measure.figures import VARIABLE, note_figure, read_figures
from measure.process_watch import Look
from measure.soak import Soaked, Start, cpu_ratio, goals, p95_ratio, rss_growth
from measure.soak_history import SoakHistory


def test_memory_is_compared_with_what_it_was_after_a_fifth() -> None:
    looks = [Look(done, 100 + done / 10, 0.0) for done in range(0, 101, 1)]
    # The medians of the looks at 18 to 22 and at 96 to 100 questions: 102 and 109.8.
    assert rss_growth(looks, 100) == pytest.approx(109.8 / 102 - 1)


def test_the_last_tenth_is_compared_with_the_first_window_by_window() -> None:
    first, last = [1.0] * 100, [1.0] * 20 + [1.5] * 80
    seconds = [*first, *[9.0] * 800, *last]
    assert p95_ratio(seconds, 20) == 1.5  # one window in five is as fast as at first
    assert p95_ratio([*first, *[9.0] * 800, *[1.0] * 80, *[50.0] * 20], 20) == 1.0  # a disturbance


def test_the_processor_time_of_a_question_is_compared_likewise() -> None:
    # 2 ms each up to 90 questions, then 3 ms; the start of the process took a second.
    looks = [Look(n, 1.0, 1 + 0.002 * n + 0.001 * max(n - 90, 0)) for n in range(101)]
    assert cpu_ratio(looks, 100) == pytest.approx(1.5)


def soaked(**changed: float) -> Soaked:
    looks = (Look(1, 1.0, 0.1),)
    first = Start(10, 990, 10, 60, looks)
    resumed = Start(1, 1000, 0, 10, looks)
    figures = {"rss_growth": 0.01, "p95_ratio": 1.0, "cpu_ratio": 1.0} | changed
    return Soaked(1000, first, resumed, **figures)


def test_each_goal_can_be_missed() -> None:
    assert [goal.holds for goal in goals(soaked())] == [True] * 4
    assert [goal.holds for goal in goals(soaked(rss_growth=0.05, p95_ratio=1.21))] == [
        True,
        True,
        False,
        False,
    ]


def test_the_questions_differ_and_are_the_same_each_time() -> None:
    one, other = (SoakHistory(seed=7, events=5, questions=300) for _ in range(2))
    (history,) = one.histories()
    questions = one.questions(history.id)
    assert len({question.query.text for question in questions}) == 300
    assert questions == other.questions(history.id)
    assert one.files() == other.files()


def test_figures_are_appended_where_the_environment_says_and_added_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "figures.jsonl"
    monkeypatch.delenv(VARIABLE, raising=False)
    note_figure("kills", 2)
    assert not file.exists()
    monkeypatch.setenv(VARIABLE, str(file))
    note_figure("kills", 2, test="one")
    note_figure("kills", 3)
    assert json.loads(file.read_text().splitlines()[0]) == {
        "figure": "kills",
        "value": 2,
        "test": "one",
    }
    assert read_figures(file) == {"kills": 5}


def test_a_line_that_is_no_figure_is_named(tmp_path: Path) -> None:
    file = tmp_path / "figures.jsonl"
    file.write_text('{"figure": "kills", "value": 2}\n{"figure": "kills"}\n')
    with pytest.raises(ValueError, match=r"figures\.jsonl:2: not a figure"):
        read_figures(file)
