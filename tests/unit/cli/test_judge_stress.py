"""`remem judge-stress` counts the generated answers that a judge accepts."""

from collections.abc import Callable
from types import ModuleType

from typer.testing import Result

from remem.errors import UsageError

Ask = Callable[..., Result]


def test_a_judge_that_needs_a_rubric_is_refused(
    tiny: tuple[str, ...], scripted_model: ModuleType, ask: Ask
) -> None:
    model = "judge.build.chat_model={_target_:scripted_model.Configured,repeat:0}"
    packages = "run.packages=[rehearsal,scripted_model]"
    result = ask("judge-stress", *tiny, "judge=longmemeval", model, packages)
    assert isinstance(result.exception, UsageError)
    assert "judge=longmemeval grades by the rubric or the type" in str(result.exception)


def test_a_judge_is_shown_right_and_wrong_answers(
    tiny: tuple[str, ...], scripted_model: ModuleType, rehearsal: ModuleType, ask: Ask
) -> None:
    scripted_model.SCRIPTS.append(
        lambda request, repeat: (
            f'{{"label": "{"CORRECT" if "has to do" in str(request.messages) else "WRONG"}"}}'
        )
    )
    model = "judge.build.chat_model={_target_:scripted_model.Configured,repeat:0}"
    packages = "run.packages=[rehearsal,scripted_model]"
    result = ask("judge-stress", *tiny, model, packages, "--size", 2)
    assert result.exit_code == 0, result.output
    shown = [line.split("│")[1:4] for line in result.output.splitlines() if "│" in line]
    assert [[cell.strip() for cell in cells] for cells in shown] == [
        ["right", "4", "0"],
        ["gold", "2", "0"],
        ["sentence", "2", "0"],
        ["wrong: vague", "4", "2"],
        ["generic", "2", "0"],
        ["topical", "2", "2"],
    ]
