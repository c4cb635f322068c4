"""Which of the paper's numbers can get a verdict, judged from configurations alone."""

from collections import Counter

import pytest

from remem.cli import main as cli
from remem.paper.layout import paper_folder, paper_table_names, read_table
from remem.tables.paper.comparable import Comparable, comparable

OWN = ("prompts=own", "judge=llm")


def looked_at(*overrides: str, tables: tuple[str, ...] = ()) -> Comparable:
    names = tables or paper_table_names(paper_folder())
    return comparable([read_table(paper_folder() / f"{name}.yaml") for name in names], overrides)


@pytest.fixture(scope="module")
def released() -> Comparable:
    """The comparability of all tables as in the paper, with nothing fetched."""
    return looked_at()


@pytest.mark.slow
def test_no_number_lacks_a_verdict_for_a_prompt_of_ours(released: Comparable) -> None:
    assert not [obstacle for obstacle in released.obstacles if "our own prompts" in obstacle.reason]


@pytest.mark.slow
def test_of_323_numbers_of_agent_hipporag_and_tiser_few_remain(released: Comparable) -> None:
    ours = looked_at("prompts=own")
    by_prompt = {
        (obstacle.table, obstacle.row, obstacle.column)
        for obstacle in ours.obstacles
        if any(name in obstacle.reason for name in ("planner", "hipporag2", "tiser"))
    }
    left = {
        (obstacle.table, obstacle.row, obstacle.column) for obstacle in released.obstacles
    } & by_prompt
    assert len(by_prompt) == 323
    assert len(left) <= 60


@pytest.mark.slow
def test_every_number_without_a_verdict_has_its_reason(released: Comparable) -> None:
    assert released.numbers == 855
    reasons = Counter(obstacle.reason for obstacle in released.obstacles)
    assert reasons["which 100 questions people judged was not published"] == 10  # Table 7
    assert reasons["REMem-I: the paper says only REMem"] == 13
    assert reasons["seconds and memory of another machine"] == 6
    assert (
        sum(obstacle.out_of_reach for obstacle in released.obstacles) == 76
    )  # all but "only REMem"


def test_counts_of_the_data_need_no_prompt() -> None:
    assert looked_at(tables=("datasets",)).obstacles == ()


def test_own_prompts_are_named_where_a_number_needs_others() -> None:
    found = looked_at(*OWN, tables=("realtalk",)).obstacles
    reasons = {item.reason for item in found if item.row == "HippoRAG 2"}
    assert any("hipporag2_filter.v1" in reason for reason in reasons)


@pytest.mark.slow
def test_the_command_counts_and_lists(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["remem", "data", "paper"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    said = " ".join(capsys.readouterr().out.split())
    assert not stop.value.code
    assert "855 numbers of the paper: " in said
    assert "which 100 questions people judged" in said


def test_the_published_classes_of_questions_make_their_numbers_comparable() -> None:
    found = looked_at(tables=("temporal_categories", "temporal_scores"))
    assert (found.numbers, found.obstacles) == (48, ())
