"""LoCoMo, REALTALK, LongMemEval and BEAM as inspect tasks, with the whole history in the prompt.

inspect loads this module by its path or by the entry point of the package; nothing else imports it.
"""
# mypy: disallow-untyped-decorators=False
# (where inspect_ai is not installed, its decorators have no types)

from collections.abc import Callable, Sequence

from remem.apps.inspect_tasks.answer_scores import answered_record, question_data, score_named
from remem.apps.inspect_tasks.full_context import full_context_config, prompted_questions
from remem.errors import RejectedReplyError
from remem.metrics.refusal import gold_answers
from remem.protocols import ChatReply
from remem.readers.answer_lines import parse_answer
from remem.types import Usage

try:
    from anyio import to_thread
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    raise ImportError(
        f"the Inspect tasks need the package inspect_ai ({error}): pip install '.[inspect]'"
    ) from error

Given = str | int | list[str] | None
"""The value of a task parameter; inspect makes a list of a value with commas."""
NO_ANSWER = "no_answer"
"""The key of the metadata that says why a reply has no answer; such a sample is not scored."""
METRICS = [mean(), stderr(cluster="group"), grouped(mean(), "category", all=False)]


@task
def locomo(history: Given = None, overrides: Given = None) -> Task:
    """Ask the questions of LoCoMo."""
    return _full_context_task("locomo", history, overrides, f1, bleu1, em)


@task
def realtalk(history: Given = None, overrides: Given = None) -> Task:
    """Ask the questions of REALTALK."""
    return _full_context_task("realtalk", history, overrides, f1, bleu1, em)


@task
def longmemeval(history: Given = None, overrides: Given = None) -> Task:
    """Ask the questions of LongMemEval-S."""
    return _full_context_task("longmemeval", history, overrides, judge, f1, bleu1, em)


@task
def beam(history: Given = None, overrides: Given = None) -> Task:
    """Ask the questions of BEAM about its chats of 100K tokens."""
    return _full_context_task("beam", history, overrides, judge, f1, bleu1, em)


@solver
def reply_reader() -> Solver:
    """Ask the model, and extract the answer from its reply as remem's reader does."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        output = (await generate(state)).output
        reply = ChatReply(output.completion, (), output.stop_reason == "max_tokens", Usage())
        try:
            state.output = ModelOutput.from_content(output.model, parse_answer(reply))
        except RejectedReplyError as error:
            state.metadata[NO_ANSWER] = str(error)
        return state

    return solve


@scorer(metrics=METRICS)
def f1(overrides: Sequence[str] = ()) -> Scorer:
    """Score an answer by F1."""
    return _scorer("f1", overrides)


@scorer(metrics=METRICS)
def bleu1(overrides: Sequence[str] = ()) -> Scorer:
    """Score an answer by BLEU-1."""
    return _scorer("bleu1", overrides)


@scorer(metrics=METRICS)
def em(overrides: Sequence[str] = ()) -> Scorer:
    """Score an answer by exact match."""
    return _scorer("em", overrides)


@scorer(metrics=METRICS)
def judge(overrides: Sequence[str] = ()) -> Scorer:
    """Score an answer by the verdict of a remem judge: by default `rules`, which uses no model."""
    return _scorer("llm_judge", overrides)


def _scorer(name: str, overrides: Sequence[str]) -> Scorer:
    score_of = score_named(name, full_context_config(overrides))

    async def score(state: TaskState, target: Target) -> Score | None:
        if NO_ANSWER in state.metadata:
            return None
        answer = state.output.completion
        record = answered_record(str(state.sample_id), state.metadata, answer)
        value = await to_thread.run_sync(score_of, record)  # a judge may ask a model
        return None if value is None else Score(value=value, answer=answer)

    return score


def _full_context_task(
    dataset: str, history: Given, overrides: Given, *scorers: Callable[[list[str]], Scorer]
) -> Task:
    chosen = [f"dataset={dataset}", *_texts(overrides)]
    config = full_context_config(chosen)
    benchmark, refusal_gold = config.build_benchmark(), config.score_convention().refusal_gold
    samples = [
        Sample(
            id=question.query.id,
            input=[{"role": message.role, "content": message.content} for message in prompt],
            target=list(gold_answers(question.gold, refusal_gold)),
            metadata=question_data(question),
        )
        for question, prompt in prompted_questions(config, benchmark, _texts(history))
    ]
    return Task(
        dataset=MemoryDataset(samples, name=config.dataset),
        solver=reply_reader(),
        scorer=[make_scorer(chosen) for make_scorer in scorers],
        metadata={"data": {file.name: file.sha256 for file in benchmark.files()}},
    )


def _texts(given: Given) -> list[str]:
    if given is None:
        return []
    return [str(item) for item in given] if isinstance(given, list) else [str(given)]
