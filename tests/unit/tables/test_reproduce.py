"""A table is composed before it is run, runs only what is missing, and is always the same."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hydra.errors import HydraException

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import StopRunError, UsageError
from remem.llm.budget import Price
from remem.metrics.columns import ScoreColumn
from remem.protocols import Benchmark
from remem.run.experiment import run_experiment
from remem.run.progress import OnProgress, not_shown
from remem.run.run_result import RunResult
from remem.tables.file_formats import as_csv
from remem.tables.reproduce import Reproduced, reproduce
from remem.tables.table_plan import (
    BlockPlan,
    RowPlan,
    TablePlan,
    read_plan,
    with_rows,
)
from remem.types import Gold, Query, Question

EM = ScoreColumn("EM", "em")
MakePlan = Callable[..., TablePlan]


class Silent:
    """A progress display that notes the labels it is given."""

    def __init__(self) -> None:
        self.labels: list[str] = []

    def __call__(self, label: str, price: Price | None) -> "Silent":
        self.labels.append(label)
        return self

    def __enter__(self) -> OnProgress:
        return not_shown

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def plan(tmp_path: Path, tiny: tuple[str, ...]) -> MakePlan:
    """The plan of a table with one block over the rehearsal's benchmark."""
    where = (*tiny, f"paths.results={tmp_path}", "convention.score.resamples=99", "run.health=warn")

    def make(*rows: tuple[str, ...], note: str = "") -> TablePlan:
        plans = tuple(RowPlan(row, note) for row in rows)
        block = BlockPlan("Block", where, (EM,), plans, ("Shows: little.",))
        return TablePlan("mine", "My table", (block,))

    return make


def test_a_table_over_a_part_of_our_own_choice_says_so_once(tmp_path: Path) -> None:
    asked = ("dataset=generated_tot", "dataset.build.graphs_per_cell=1", "dataset.subset=8")
    where = (*asked, f"paths.results={tmp_path}", "convention.score.resamples=9", "run.health=warn")
    rows = (RowPlan(FULL), RowPlan(("method=full_context", "reader=always_refuse")))
    (block,) = run(TablePlan("t", "T", (BlockPlan("B", where, (EM,), rows, ()),))).table.blocks
    named = "generated_tot(seed=7, graphs_per_cell=1) (subset of 8, seed 0: not the paper's sample)"
    assert [note for note in block.notes if note.startswith("Data: ")] == [f"Data: {named}."]


def run(plan: TablePlan, *overrides: str) -> Reproduced:
    return reproduce(plan, overrides, Silent())


FULL = ("method=full_context", "reader=symbolic")
REHEARSED = (
    "method=no_memory",
    "method.build._target_=rehearsal.Memory",
    "reader=always_refuse",
    "reader.build._target_=rehearsal.Reader",
)


SYMBOLIC = ("method=remem_i", "planner=symbolic", "reader=symbolic")


@pytest.mark.parametrize("override", ["run.packages=[os]", "~hydra.job"])
@pytest.mark.parametrize(("where", "trusted"), [("block", False), ("row", False), ("row", True)])
def test_a_plan_says_nothing_that_only_the_command_line_may(
    tmp_path: Path, override: str, where: str, trusted: bool
) -> None:
    overrides = {"block": "[]", "row": "[]", where: f"['{override}']"}
    (tmp_path / "table").mkdir()
    (tmp_path / "table/odd.yaml").write_text(
        f"title: T\nblocks:\n- {{title: B, overrides: {overrides['block']}, columns: [], notes: [],"
        f" rows: [{{overrides: {overrides['row']}}}]}}\n"
    )
    told = r"odd\.yaml: (run|hydra)\.\S+ sets .*, which only the conf of remem and the command line"
    with pytest.raises(UsageError, match=told):
        read_plan("odd", [tmp_path], trusted=trusted)


PLANNED = "{title: B, overrides: [], columns: [{heading: F, score: f1}], rows: [{overrides: []}]}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"blocks: [{PLANNED}]", r"own\.yaml: 'title' is missing; add title"),
        ("title: T\nblocks: [{title: B}]", r"own\.yaml, block 1: 'columns' is missing"),
        (f"title: T\nblocks: [{PLANNED[:-1]}, note: x}}]", "block 1: unknown key 'note'.*'notes'"),
        (
            f"title: T\nblocks: [{PLANNED.replace('f1', 'f9')}]",
            "block 1, column 'F': no score",
        ),
        (
            f"title: T\nblocks: [{PLANNED.replace('[{overrides: []}]', '[{}]')}]",
            "row 1: 'over",
        ),
    ],
)
def test_what_a_table_file_lacks_is_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table/own.yaml").write_text(content)
    with pytest.raises(UsageError, match=message):
        read_plan("own", [tmp_path])


def test_rows_are_labelled_counted_and_shown_in_the_order_of_the_plan(
    plan: MakePlan, tmp_path: Path
) -> None:
    show = Silent()
    other_data = (*FULL, "dataset.build.histories=5")
    made = reproduce(plan(FULL, SYMBOLIC, other_data, note="ceiling"), [], show)
    rows = made.table.blocks[0].rows
    assert [(row.label, row.note, row.llm) for row in rows] == [
        ("Full-Context", "ceiling", "none"),
        ("REMem-I (symbolic)", "ceiling", "none"),
        ("Full-Context", "ceiling", "none"),
    ]
    assert [(row.answered, row.total) for row in rows] == [(4, 4), (4, 4), (10, 10)]
    assert show.labels == [f"tiny: {row.label}" for row in rows]
    assert (made.errors, made.results) == (0, tmp_path)


def test_questions_in_error_are_counted_and_leave_the_mean_to_the_others(
    plan: MakePlan, rehearsal: ModuleType
) -> None:
    rehearsal.FAILING.update({"h1/0", "h2/1"})
    made = run(plan(REHEARSED))
    row = made.table.blocks[0].rows[0]
    assert (made.errors, row.answered, row.total) == (2, 2, 4)
    assert [number.n for number in row.numbers] == [2]

    rehearsal.FAILING.clear()
    row = run(plan(REHEARSED)).table.blocks[0].rows[0]
    assert (row.answered, row.total) == (4, 4)


def test_a_second_time_nothing_is_asked_and_the_table_is_the_same(
    plan: MakePlan, rehearsal: ModuleType
) -> None:
    first = run(plan(REHEARSED, FULL))
    rehearsal.ASKED.clear()
    again = run(plan(REHEARSED, FULL))
    assert rehearsal.ASKED == []
    assert again == first
    assert as_csv(again.table) == as_csv(first.table)


def test_the_share_of_questions_that_could_not_be_parsed_is_noted(plan: MakePlan) -> None:
    block = run(plan(SYMBOLIC, FULL)).table.blocks[0]
    assert block.notes[:2] == (
        "Shows: little.",
        "REMem-I (symbolic): 2 of 4 questions (50.0%) could not be parsed.",
    )


def test_failed_episodes_are_noted_under_the_table(plan: MakePlan, rehearsal: ModuleType) -> None:
    rehearsal.FAILING.update({"h1", "h2"})
    rows = [*REHEARSED, "method.build._target_=rehearsal.Accounting", "method.label=Mine"]
    notes = run(plan(tuple(rows))).table.blocks[0].notes
    assert notes[-1] == "Mine lost 2 episodes at indexing (manifest.json: failed_episodes)."


def test_a_row_whose_package_is_lacking_has_dashes_and_the_command_to_get_it(
    plan: MakePlan, rehearsal: ModuleType
) -> None:
    lacking = [*REHEARSED, "method.build._target_=rehearsal.Lacking", "method.label=Mine"]
    block = run(plan(FULL, tuple(lacking))).table.blocks[0]
    assert [(row.label, row.cells[0] is None, row.run) for row in block.rows][1:] == [
        ("Mine", True, "")
    ]
    assert "Mine: not run: nosuch is not installed: pip install nosuch==1.0" in block.leading


def test_an_oracle_that_no_question_tells_its_evidence_has_dashes_and_is_not_run(
    plan: MakePlan, rehearsal: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [Question(Query("h1/0", "h1", 0, "?"), Gold(("SECRET",), "kind"))]
    monkeypatch.setattr(rehearsal.Tiny, "questions", lambda self, history: asked)
    oracle = ("method=oracle_message", "reader=symbolic")
    block = run(plan(FULL, oracle)).table.blocks[0]
    assert [(row.cells[0] is None, row.run == "") for row in block.rows] == [
        (False, False),
        (True, True),
    ]
    assert any("no question of tiny has any" in note for note in block.leading)


REFUSES = ("reader=always_refuse",)
STUBBED = (*FULL, "llm=openai_compatible", "llm.name=loopback-stub")


def test_a_stub_makes_no_table_unless_that_is_asked_for(plan: MakePlan) -> None:
    with pytest.raises(UsageError, match=r"not a result; --rehearse"):
        run(plan(FULL, STUBBED))
    made = reproduce(plan(FULL, STUBBED, note="ceiling"), [], Silent(), allow_stub=True)
    notes = [row.note for row in made.table.blocks[0].rows]
    assert notes == ["ceiling", "ceiling, rehearsed"]


@pytest.mark.app("small_model")
@pytest.mark.parametrize("is_small_model", [True, False])
def test_a_row_of_a_gguf_file_is_plumbing_if_its_weights_are_those_of_the_small_model(
    plan: MakePlan, is_small_model: bool
) -> None:
    packaged = compose_config(["llm=smollm2"]).llm.identity.weights_sha256
    sha256 = packaged if is_small_model else "0" * 64
    file = ("llm.path=model.gguf", f"llm.sha256={sha256}", "llm.name=mine")
    asking = ("method=remem_i", "planner=llm", *REFUSES, "llm=gguf", *file)
    made = reproduce(plan(asking), ["run.limit=1"], Silent(), answered=always_refusing)
    (row,) = made.table.blocks[0].rows
    assert row.note == ("plumbing: no score" if is_small_model else "")
    assert any(row.cells) is not is_small_model


MISSING = ("llm=smollm2", "llm.build.endpoint.server.engine='nosuchengine==1'")
"""A model of this machine whose engine is not installed."""


@pytest.mark.app("small_model")
def test_a_table_without_the_local_model_that_it_asks_stops_before_its_first_row(
    plan: MakePlan, tmp_path: Path
) -> None:
    shown = Silent()
    rows = plan(FULL, ("method=full_context", "reader=direct", *MISSING))
    with pytest.raises(StopRunError, match=r"llm=smollm2 cannot be served: .*nosuchengine"):
        reproduce(rows, [], shown)
    assert shown.labels == []
    assert not (tmp_path / "runs").exists()
    row = run(plan((*FULL, *MISSING))).table.blocks[0].rows[0]  # it asks no model
    assert row.answered == row.total == 4


@pytest.mark.app("small_model")
def test_a_row_that_is_plumbing_has_no_score_and_no_comparison(plan: MakePlan) -> None:
    asking = ("method=remem_i", "planner=llm", *REFUSES)
    replayed = ("llm=replay", "llm@llm.recorded=smollm2")
    unasked = ("method=no_memory", "llm=smollm2", *REFUSES)
    rows = [unasked, (*asking, "llm=smollm2"), (*asking, *replayed)]
    made = reproduce(plan(*rows), ["run.limit=1"], Silent(), answered=always_refusing)
    first, *plumbing = made.table.blocks[0].rows
    assert any(first.cells) and first.note == "SmolLM2-135M, no key"
    for row in plumbing:
        assert row.note == "SmolLM2-135M, no key, plumbing: no score"
        assert not any(row.cells)


def always_refusing(
    config: RunConfig, *, benchmark: Benchmark, on_progress: OnProgress
) -> RunResult:
    asked = (*REFUSES, "dataset=generated_tot", "method=no_memory", "run.health=warn")
    plain = run_config(compose_config([*asked, f"paths.results={config.results}"]))
    return run_experiment(plain, benchmark=benchmark, on_progress=on_progress)


def test_a_row_whose_encoder_is_not_served_costs_no_other_row(plan: MakePlan) -> None:
    nowhere = "embedder.build.embedder.base_url=http://127.0.0.1:1/v1"
    served = ("method=embedding_messages", "reader=symbolic", "embedder=served", nowhere)
    (block,) = run(plan(FULL, served)).table.blocks
    assert [row.answered for row in block.rows] == [4, 0]
    (note,) = (note for note in block.leading if "nothing answers at" in note)
    assert "serve nv_embed_v2 there" in note and "serve embeddings embedder=nv_embed_v2" in note


def test_a_row_can_be_added_and_is_compared_with_every_other(plan: MakePlan) -> None:
    chosen = with_rows(plan(FULL, ("method=no_memory", "reader=symbolic")), ["+bm25_messages"])
    made = run(chosen, "reader=symbolic")
    assert made.table.name == "mine+bm25_messages+reader=symbolic"
    (block,) = made.table.blocks
    assert [row.label for row in block.rows] == ["Full-Context", "No memory", "BM25"]
    # Of the four questions the two on the R1 in 1965 can be answered; no gold is met.
    assert block.leading == (
        "BM25 against Full-Context: EM +0.0 [+0.0, +0.0], better on 0, worse on 0 of 4 questions.",
        "BM25 against No memory: EM +0.0 [+0.0, +0.0], better on 0, worse on 0 of 4 questions.",
    )


def test_rows_can_be_kept_by_their_method(plan: MakePlan) -> None:
    whole = plan(FULL, SYMBOLIC)
    kept = with_rows(whole, ["remem_i"])
    assert [row.overrides for row in kept.blocks[0].rows] == [SYMBOLIC]
    with pytest.raises(UsageError, match=r"no row method=x, only full_context, rem"):
        with_rows(whole, ["x"])


def test_nothing_runs_before_all_rows_are_known_to_compose(
    plan: MakePlan, rehearsal: ModuleType, tmp_path: Path
) -> None:
    with pytest.raises(HydraException):
        run(plan(FULL, ("method=nosuch",)))
    with pytest.raises(ValueError, match="bootstrap_unit is 'coins'"):
        run(plan(FULL), "convention.score.bootstrap_unit=coins")
    assert rehearsal.BENCHMARKS == []
    assert not (tmp_path / "runs").exists()


def test_a_column_is_called_as_its_score_is_unless_the_table_names_it(tmp_path: Path) -> None:
    listed = "{score: recall_at_10}, {score: refusal_f1}, {score: words}, {score: f1, heading: F}"
    block = PLANNED.replace("{heading: F, score: f1}", listed)
    for name, content in {
        "table/own.yaml": f"title: T\nblocks: [{block}]",
        "score/words.yaml": "heading: length in words",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(content)
    columns = read_plan("own", [tmp_path]).blocks[0].columns
    headings = [column.heading for column in columns]
    assert headings == ["recall@10", "refusal F1", "length in words", "F"]
    (tmp_path / "score/words.yaml").write_text("heading: [words]")
    with pytest.raises(UsageError, match=r"score\.words: heading is \['words'\], expected text"):
        read_plan("own", [tmp_path])
