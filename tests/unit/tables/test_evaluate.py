"""A user's memory object appears in a table next to the baselines, and is asked like them."""

import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import remem
from remem.errors import UsageError
from remem.run.store import read_records
from remem.tables.evaluate import Evaluation

Ask = Callable[..., Evaluation]


class Everything:
    """Recalls all messages of its history."""

    def __init__(self) -> None:
        self.messages: list[remem.Message] = []
        self.histories: list[str] = []

    def index(self, history: remem.History) -> None:
        self.histories.append(history.id)
        self.messages.extend(history.messages())

    def recall(self, query: remem.Query) -> remem.Evidence:
        assert self.histories == [query.history_id], "another history is in this memory"
        return remem.Evidence(passages=tuple(map(remem.message_passage, self.messages)))


class Failing(Everything):
    """Fails at the first question of each history."""

    def recall(self, query: remem.Query) -> remem.Evidence:
        if query.index == 0:
            raise OSError("the shop is closed")
        return super().recall(query)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder in which the baselines are run once for all tests."""
    return tmp_path_factory.mktemp("evaluate") / "its results"


@pytest.fixture
def ask(tiny: tuple[str, ...], results: Path) -> Ask:
    """Evaluate on a benchmark of two histories with two questions each."""

    def evaluate(memory: object, *overrides: str, label: str = "", **scores: Any) -> Evaluation:
        return remem.evaluate(
            memory,  # type: ignore[arg-type]  # some are no memories
            "generated_tot",
            *tiny,
            *overrides,
            label=label,
            results=results,
            **scores,
        )

    return evaluate


def everything() -> Everything:
    return Everything()


def test_an_object_a_class_and_a_function_are_fresh_for_each_history(ask: Ask) -> None:
    given = Everything()
    folders = set()
    for memory in (given, Everything, everything):
        made = ask(memory)
        folders |= {made.folder("Everything"), made.folder("BM25")}
        assert made.errors == ()
        assert made.headings == ("EM",)
        assert [row.label for row in made.rows] == [
            *("Everything", "BM25", "hashing", "REMem-S", "No memory"),
        ]
        own = made.cell("Everything", "EM")
        assert own is not None
        assert own.n == 4
    assert given.histories == []
    assert len(folders) == 3 + 1  # the memory is asked each time, and the baselines are not
    with pytest.raises(KeyError, match="unknown row 'Mine'; choose from Everything, BM25"):
        made.cell("Mine", "EM")
    with pytest.raises(KeyError, match="unknown column 'F1'; choose from EM"):
        made.cell("BM25", "F1")


class Waiting:
    """An asynchronous memory that recalls everything, and fails if its event loop changes."""

    def __init__(self) -> None:
        self.recalled = 0
        self.loops: set[int] = set()
        self.said: tuple[remem.Passage, ...] = ()

    async def aindex(self, history: remem.History) -> None:
        self.loops.add(id(asyncio.get_running_loop()))
        self.said = tuple(map(remem.message_passage, history.messages()))

    async def arecall(self, query: remem.Query) -> remem.Evidence:
        await asyncio.sleep(0)
        self.loops.add(id(asyncio.get_running_loop()))
        assert len(self.loops) == 1
        self.recalled += 1
        return remem.Evidence(passages=self.said)


def test_a_memory_of_coroutines_needs_nothing_else(ask: Ask) -> None:
    given = Waiting()
    for memory in (given, Waiting):
        made = ask(memory)
        assert made.errors == ()
        assert made.cell("Waiting", "EM") is not None
    assert (given.recalled, type(given)) == (0, Waiting)


def test_an_exception_in_a_memory_is_an_error_and_is_not_scored(ask: Ask) -> None:
    made = ask(Failing)
    row = made.rows[0]
    assert (row.answered, row.total) == (2, 4)
    assert made.errors == ("OSError: the shop is closed (test_evaluate.py:42 in recall)",)
    assert "2 questions have an error, such as: OSError: the shop is closed" in str(made)
    cell = made.cell("Failing", "EM")
    assert cell is not None
    assert cell.n == 2
    assert made.files == ()


def test_a_memory_that_returns_no_evidence_is_told_what_to_return(ask: Ask) -> None:
    class Texts(Everything):
        def recall(self, query: remem.Query) -> remem.Evidence:
            return ["a text"]  # type: ignore[return-value]  # the mistake

    made = ask(Texts)
    assert made.rows[0].answered == 0
    assert "recall returned list, expected remem.Evidence" in made.errors[0]


def test_the_table_is_printed_and_written_where_the_caller_says(ask: Ask, results: Path) -> None:
    made = ask(Everything(), label="What I've built")
    assert "What I've built" in str(made)
    assert [path.suffix for path in made.files] == [".md", ".tex", ".csv"]
    assert all(path.is_relative_to(results) for path in made.files)
    records = read_records(made.folder("What I've built"))
    assert len(records) == 4
    assert all(len(record.retrieved) > 0 for record in records)


def test_a_chat_dataset_has_the_columns_and_the_oracle_of_chats(tmp_path: Path) -> None:
    made = remem.evaluate(
        Everything,
        "generated_dialogues",
        *("dataset.build.conversations=1", "run.limit=2", "convention.score.resamples=9"),
        results=tmp_path,
    )
    assert made.headings == ("F1", "recall@10", "refusal F1")
    assert "Oracle Message" in [row.label for row in made.rows]


@pytest.mark.parametrize("wrong", ["bm25", object(), lambda: 7])
def test_what_is_no_memory_is_refused_with_what_one_needs(ask: Ask, wrong: object) -> None:
    with pytest.raises(UsageError, match=r"it needs the methods index\(history\) and recall"):
        ask(wrong)


def test_a_class_that_needs_arguments_is_refused_with_two_ways_out(ask: Ask) -> None:
    class Sized(Everything):
        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

    with pytest.raises(UsageError) as raised:
        ask(Sized)
    assert str(raised.value) == (
        "Sized cannot be called without arguments: missing a required argument: 'size'; pass an "
        "object, such as Sized(...), or a function that makes one, such as lambda: Sized(...)"
    )
    assert ask(lambda: Sized(3)).errors == ()


def test_an_object_that_cannot_be_copied_is_refused_with_a_way_out(ask: Ask) -> None:
    class Locked(Everything):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

    with pytest.raises(UsageError, match=r"Locked cannot be copied for each history: .*its class"):
        ask(Locked())
    assert ask(Locked).errors == ()


def test_an_unknown_dataset_or_override_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown dataset 'nothing'; choose"):
        remem.evaluate(Everything, "nothing", results=tmp_path)
    with pytest.raises(UsageError, match=r"unknown key 'run\.limt'; did you mean 'run\.limit'"):
        remem.evaluate(Everything, "generated_tot", "run.limt=3", results=tmp_path)
    with pytest.raises(FileNotFoundError, match="locomo"):
        remem.evaluate(Everything, "locomo", f"paths.data={tmp_path / 'none'}", results=tmp_path)
    with pytest.raises(UsageError, match="choose runner=serial or runner=threads"):
        remem.evaluate(Everything, "generated_tot", "runner=ray", results=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def own_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a score of the user: 7 for every answer."""
    module = ModuleType("sevens")
    exec("def seven(record, convention): return 7", module.__dict__)
    monkeypatch.setitem(sys.modules, "sevens", module)
    (tmp_path / "conf/score").mkdir(parents=True)
    (tmp_path / "conf/score/seven.yaml").write_text(
        "# @package score.seven\nheading: always 7\nunit: count\nbetter: higher\n"
        "build: {_target_: sevens.seven, _partial_: true}\n"
    )
    return tmp_path / "conf"


def test_a_score_of_the_user_and_another_of_ours_are_columns(ask: Ask, own_score: Path) -> None:
    wanted = ["seven", "bleu1", "tot_em"]
    made = ask(Everything, scores=wanted, config_dir=own_score, packages=["sevens"])
    assert made.headings[-2:] == ("always 7", "BLEU-1")  # the table has tot_em already
    assert [made.cell(row.label, "always 7").mean for row in made.rows] == [7.0] * len(made.rows)
    assert "always 7" in str(made)
    (csv,) = (path for path in made.files if path.suffix == ".csv")
    assert ",seven," in csv.read_text()


@pytest.mark.parametrize(
    ("scores", "packages", "message"),
    [
        (["sevn"], [], r"unknown score 'sevn'; choose .*"),
        (["seven"], [], r"'sevens\.seven' is not in remem"),
        (["refused"], [], r"'refused' has no mean over questions; choose f1"),
    ],
)
def test_a_score_that_cannot_be_a_column_is_refused(
    scores: list[str], packages: list[str], message: str, ask: Ask, own_score: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        ask(Everything, scores=scores, config_dir=own_score, packages=packages)
