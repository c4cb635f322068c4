"""`TABLE=cases`: the paper's worked examples next to the answers of our runs; nothing is run.

Questions and golds are looked up in the user's own data, because their licences keep them out of
this repository. The files therefore contain text of the data sets.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from remem.config.run_config import compose_config, run_config
from remem.metrics.columns import ScoreColumn
from remem.paper.cases import Case, PaperAnswer, find_case, read_cases, text_sum
from remem.paper.layout import CASES, MeasuredQuantity
from remem.paper.verdict import differences
from remem.tables.paper.plan import run_components
from remem.tables.paper.rows import changed, llm_free_rows, paper_overrides, without_models
from remem.tables.paper.runs import TableRuns
from remem.tables.rows import RowOutcome, run_command
from remem.tables.table import ABSENT, NOT_RUN, Block, Cell, Row, Table
from remem.types import Question

COLUMNS = tuple(
    ScoreColumn(heading, score)
    for heading, score in (
        ("the paper's answer", ""),
        ("judged", ""),
        ("our answer", ""),
        ("EM", "em"),
        ("F1", "f1"),
        ("LLM-J", "llm_judge"),
    )
)
LLM_FREE = "LLM-free"
JUDGED = {"T": "right", "F": "wrong"}

NOTES = (
    "Of the paper: right and wrong are the judge's in Table 8, what the text says elsewhere.",
    "Of ours: EM and F1 under the convention of the run; LLM-J where its answers were judged "
    "(remem judge run).",
    "LLM-free rows are no rows of the paper; they are here once remem table recollection or "
    "reasoning has run them.",
    "Nothing is run for this table: the Markdown file ends with the commands that make its rows.",
)


def case_table(overrides: Sequence[str], runs: TableRuns, folder: Path) -> Table:
    """Return a table with a block for every worked example of the paper.

    Args:
        overrides: Hydra overrides for every row, as for the other tables of the paper.
        runs: Finds the runs; it must not start any.
        folder: The paper's numbers, `paper_folder()`.
    """
    cases = read_cases(folder)
    datasets = dict.fromkeys(case.dataset for case in cases)
    by_dataset = {dataset: _questions(dataset, overrides, runs) for dataset in datasets}
    return Table(
        name=CASES,
        title="Worked examples of the paper",
        blocks=tuple(_block(case, by_dataset[case.dataset], overrides, runs) for case in cases),
        notes=(*NOTES, *(reason for reason in by_dataset.values() if isinstance(reason, str))),
        of_texts=True,
    )


def _questions(dataset: str, overrides: Sequence[str], runs: TableRuns) -> Sequence[Question] | str:
    """Return all questions of a dataset, or the reason why its data cannot be read."""
    config = run_config(compose_config([f"dataset={dataset}", *without_models(overrides)]))
    try:
        benchmark = runs.benchmark(config)
    except FileNotFoundError as error:
        return str(error)
    histories = benchmark.histories()
    return [question for history in histories for question in benchmark.questions(history.id)]


def _block(
    case: Case, questions: Sequence[Question] | str, overrides: Sequence[str], runs: TableRuns
) -> Block:
    question = None if isinstance(questions, str) else find_case(case, questions)
    query_id = case.id if question is None else question.query.id
    rows = (
        *_paper_rows(case, query_id, overrides, runs),
        *_llm_free_rows(case, query_id, overrides, runs),
    )
    facts = [f"{case.dataset}, question {query_id or 'of an id not known yet'}"]
    if question is not None:
        golds = " | ".join(question.gold.answers)
        facts += [f"question: {question.query.text}", f"gold: {golds}"]
    facts += _notes(case, questions, question)
    return Block(f"{case.key}: {case.about} ({case.place})", COLUMNS, rows, facts=tuple(facts))


def _notes(
    case: Case, questions: Sequence[Question] | str, question: Question | None
) -> Iterator[str]:
    if isinstance(questions, str):
        yield f"its words and gold are not shown: no data of {case.dataset} at hand"
    elif question is None:
        yield f"its words and gold are not shown: no question of {case.dataset} has its words"
    elif all(text_sum(answer) != case.gold for answer in question.gold.answers):
        yield f"not the gold that the paper prints: {case.gold_note or 'it has other words'}"


def _paper_rows(
    case: Case, query_id: str | None, overrides: Sequence[str], runs: TableRuns
) -> Iterator[Row]:
    for answer in case.answers:
        measured = _measured(case, answer)
        row = paper_overrides(measured, case.dataset, None)
        if row is None:
            raise ValueError(f"cases.yaml, {case.key}: unknown method {answer.memory!r}")
        run = runs.find(changed(row, overrides), llm_free=False)
        others = differences(run_components(run.config, run.encoder), measured, judged=False)
        printed = (answer.answer, JUDGED.get(answer.verdict, ""))
        yield _row(run, query_id, answer.system, printed, others)


def _llm_free_rows(
    case: Case, query_id: str | None, overrides: Sequence[str], runs: TableRuns
) -> Iterator[Row]:
    """Yield the LLM-free rows that have been run."""
    for row in llm_free_rows(case.dataset):
        run = runs.find((*row.overrides, *without_models(overrides)), llm_free=True)
        if run.records:
            label = f"{run.config.label}, {row.note}" if row.note else run.config.label
            yield _row(run, query_id, label, ("", ""), ())


def _measured(case: Case, answer: PaperAnswer) -> MeasuredQuantity:
    return MeasuredQuantity(
        memory=answer.memory,
        reader=answer.reader,
        ablation="none",
        variant="",
        dataset=case.dataset,
        category=f"example:{case.key}",
        metric="llm_j",
    )


def _row(
    run: RowOutcome,
    query_id: str | None,
    system: str,
    printed: tuple[str, str],
    others: tuple[str, ...],
) -> Row:
    """Return the row of a system: the paper's answer and its verdict, our answer and its scores."""
    record = next((record for record in run.records if record.query_id == query_id), None)
    answered = record is not None and record.status == "ok"
    llm = run.config.llm
    note = LLM_FREE if llm == "none" else llm if answered else ""
    folder = () if record is None else (run.folder_name,)
    command = run_command(run.plan.overrides)
    if record is None or not answered:
        reason = "failed" if record else "not asked" if run.records else NOT_RUN
        ours = Cell(ours=None, instead=f"({reason})", command=command, runs=folder)
        return Row(system, (*map(_text, printed), ours, None, None, None), note, llm)
    scores = run.scores[record.query_id]
    f1 = scores.value("f1")
    scored = (
        _verdict(scores.value("em")),
        ABSENT if f1 is None else f"{f1:.2f}",
        _verdict(scores.value("llm_judge")),
    )
    ours = Cell(
        ours=None,
        instead=record.answer or "(empty)",
        command=command,
        runs=folder,
        differences=others,
    )
    return Row(system, (*map(_text, printed), ours, *map(_text, scored)), note, llm)


def _text(text: str) -> Cell:
    return Cell(ours=None, instead=text or ABSENT)


def _verdict(share: float | None) -> str:
    """Return the verdict as words: right, wrong, or both if repeated verdicts differ."""
    if share is None:
        return ABSENT
    return {0.0: "wrong", 1.0: "right"}.get(share, f"right in {share:.0%}")
