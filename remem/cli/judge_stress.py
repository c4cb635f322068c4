"""`remem judge-stress`: does a judge accept right answers, and no wrong ones?"""

from typing import Annotated

import typer

from remem.cli.override_completion import Overrides
from remem.cli.score_options import SAMPLE
from remem.reports.terminal.console import say


def judge_stress(
    overrides: Overrides = None,
    size: Annotated[int, typer.Option(help="number of answers of each kind")] = SAMPLE,
    seed: Annotated[int, typer.Option(help="seed of the random choice")] = 0,
) -> None:
    """Show how many right and wrong generated answers a judge accepts.

    Example: remem judge-stress dataset=locomo llm=<a model>
    """
    from remem.config.run_config import compose_config, run_config
    from remem.errors import QuestionsInErrorError, UsageError
    from remem.judge.right_answers import right_answers
    from remem.judge.stress import stress, wrong_answers
    from remem.protocols import GradesByGold
    from remem.reports.terminal.stress import show_stress
    from remem.reports.terminal.table_console import table_console

    config = run_config(compose_config(["judge=llm", *(overrides or [])]))
    judge = config.build_judges()[0]
    if isinstance(judge, GradesByGold):
        raise UsageError(
            f"judge={config.settings.judge.name} grades by the rubric or the type of a question, "
            f"which generated answers do not have: choose judge=llm or judge=mem0"
        )
    benchmark = config.build_benchmark()
    asked = [
        question
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    ]
    made = [*right_answers(asked, size, seed), *wrong_answers(asked, size, seed)]
    result = stress(judge, made, config.workers)
    table_console().print(show_stress(result))
    say(f"judge prompt: {config.judge_prompt}; {result.usage.calls} calls")
    if result.errors:
        raise QuestionsInErrorError(
            f"{result.errors} verdicts failed; run the same command to ask for them again"
        )
