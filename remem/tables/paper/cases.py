"""`TABLE=cases`: the paper's worked examples beside the answers of our runs. Nothing is run for it.

Question and gold are looked up in the reader's own data, for their licences keep them out of ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from remem.config.run_config import compose_config, run_config
from remem.metrics.question_scores import question_scores
from remem.paper.cases import Case, PaperAnswer, find_case, read_cases, text_sum
from remem.paper.comparability import differences
from remem.paper.layout import Measured
from remem.paper.tables import CASES
from remem.tables.paper.cases_render import CaseAnswer, CaseTable, ShownCase
from remem.tables.paper.plan import made
from remem.tables.paper.rows import llm_free_rows, paper_overrides, run_command, without_models
from remem.tables.paper.runs import Runs
from remem.tables.row_run import RowRun
from remem.tables.table import NOT_RUN
from remem.types import Question

NOTES = (
    "Of the paper: right and wrong are the judge's in Table 8, what the text says elsewhere.",
    "Of ours: EM and F1 under the convention of the run; LLM-J where its answers were judged "
    "(remem judge).",
    "LLM-free rows are no rows of the paper; they are here once remem table recollection or "
    "reasoning has run them.",
    "Nothing is run for this table: the Markdown file ends with the commands that make its rows.",
)


def case_table(overrides: Sequence[str], runs: Runs, folder: Path) -> CaseTable:
    """Put every worked example of the paper beside the runs that there are.

    Args:
        overrides: Hydra overrides for every row, as for the other tables of the paper.
        runs: Finds the runs; made to run nothing.
        folder: The paper's numbers, `paper_folder()`.
    """
    cases = read_cases(folder)
    datasets = dict.fromkeys(case.dataset for case in cases)
    found = {dataset: _questions(dataset, overrides, runs) for dataset in datasets}
    missing = (one for one in found.values() if isinstance(one, str))
    return CaseTable(
        name=CASES,
        title="Worked examples of the paper",
        cases=tuple(_shown(case, found[case.dataset], overrides, runs) for case in cases),
        notes=(*NOTES, *missing),
    )


def _questions(dataset: str, overrides: Sequence[str], runs: Runs) -> Sequence[Question] | str:
    """Return all questions of a dataset, or why there are none."""
    config = run_config(compose_config([f"dataset={dataset}", *without_models(overrides)]))
    try:
        benchmark = runs.benchmark(config)
    except FileNotFoundError as error:
        return str(error)
    histories = benchmark.histories()
    return [question for history in histories for question in benchmark.questions(history.id)]


def _shown(
    case: Case, questions: Sequence[Question] | str, overrides: Sequence[str], runs: Runs
) -> ShownCase:
    asked = None if isinstance(questions, str) else find_case(case, questions)
    query_id = case.id if asked is None else asked.query.id
    lines = [
        *_paper_answers(case, query_id, overrides, runs),
        *_llm_free_answers(case, query_id, overrides, runs),
    ]
    return ShownCase(
        key=case.key,
        place=case.place,
        about=case.about,
        dataset=case.dataset,
        id=query_id or "",
        question="" if asked is None else asked.query.text,
        gold="" if asked is None else " | ".join(asked.gold.answers),
        notes=tuple(_notes(case, questions, asked)),
        answers=tuple(lines),
    )


def _notes(
    case: Case, questions: Sequence[Question] | str, asked: Question | None
) -> Iterator[str]:
    if isinstance(questions, str):
        yield f"its words and gold are not shown: no data of {case.dataset} at hand"
    elif asked is None:
        yield f"its words and gold are not shown: no question of {case.dataset} has its words"
    elif all(text_sum(answer) != case.gold for answer in asked.gold.answers):
        yield f"not the gold that the paper prints: {case.gold_note or 'it has other words'}"


def _paper_answers(
    case: Case, query_id: str | None, overrides: Sequence[str], runs: Runs
) -> Iterator[CaseAnswer]:
    for answer in case.answers:
        measured = _measured(case, answer)
        row = paper_overrides(measured, case.dataset, None)
        if row is None:
            raise ValueError(f"cases.yaml, {case.key}: unknown method {answer.memory!r}")
        run = runs.find((*row, *overrides), llm_free=False)
        yield _answer(
            run,
            query_id,
            system=answer.system,
            of_paper=answer,
            others=differences(made(run.config), measured, judged=False),
        )


def _llm_free_answers(
    case: Case, query_id: str | None, overrides: Sequence[str], runs: Runs
) -> Iterator[CaseAnswer]:
    """Yield the answers of the LLM-free rows that have been run."""
    for row in llm_free_rows(case.dataset):
        run = runs.find((*row.overrides, *without_models(overrides)), llm_free=True)
        if run.records:
            label = f"{run.config.label}, {row.note}" if row.note else run.config.label
            yield _answer(run, query_id, system=label, of_paper=None, others=())


def _measured(case: Case, answer: PaperAnswer) -> Measured:
    return Measured(
        memory=answer.memory,
        reader=answer.reader,
        ablation="none",
        variant="",
        dataset=case.dataset,
        category=f"example:{case.key}",
        metric="llm_j",
    )


def _answer(
    run: RowRun,
    query_id: str | None,
    *,
    system: str,
    of_paper: PaperAnswer | None,
    others: tuple[str, ...],
) -> CaseAnswer:
    record = next((one for one in run.records if one.query_id == query_id), None)
    asked = CaseAnswer(
        system=system,
        llm=run.config.llm,
        paper="" if of_paper is None else of_paper.answer,
        judged="" if of_paper is None else of_paper.verdict,
        command=run_command(run.plan.overrides),
    )
    if record is None:
        return replace(asked, reason="not asked" if run.records else NOT_RUN)
    if record.status != "ok":
        return replace(asked, reason="ended in an error", run=run.folder_name)
    convention = run.config.score_convention()
    scores = question_scores(record, convention, run.verdicts.get(record.query_id))
    return replace(
        asked,
        ours=record.answer,
        em=scores.value("em"),
        f1=scores.value("f1"),
        llm_judge=scores.value("llm_judge"),
        differences=others,
        run=run.folder_name,
    )
