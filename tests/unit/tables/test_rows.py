"""Which of the user's overrides a row of a table takes."""

import pytest
from hydra.errors import HydraException

from remem.config.run_config import configure
from remem.errors import UsageError
from remem.llm.endpoint import AS_STUB
from remem.tables.rows import check_overrides, check_rehearsal, fitted

MODEL = ("dataset=generated_dialogues", "llm=gpt-4.1-mini-2025-04-14")
FREE = ("dataset=generated_dialogues", "llm=none")
BUDGET, PART = "llm.build.budget_dollars=5", "run.limit=2"


def test_a_row_takes_the_overrides_that_it_has_a_key_for() -> None:
    assert fitted(MODEL, [BUDGET, PART]) == (*MODEL, BUDGET, PART)
    assert fitted(FREE, [BUDGET, PART]) == (*FREE, PART)
    # a choice of the user brings its keys, and an added key is always taken
    chosen = ("llm=gpt-5-chat", BUDGET, "+reader.build.mine=1", "~run.stream_every")
    assert fitted(FREE, chosen) == (*FREE, *chosen)


def test_only_an_override_that_no_row_has_is_refused() -> None:
    check_overrides([FREE, MODEL], [BUDGET, PART])
    check_overrides([], ["nosuch.key=1"])
    for rows, override in (([FREE], BUDGET), ([FREE, MODEL], "llm.build.nosuch=1")):
        with pytest.raises(HydraException, match=override.partition("=")[0]):
            check_overrides(rows, [override])


def test_a_row_that_would_ask_a_paid_server_is_not_rehearsed() -> None:
    asking = configure(*MODEL, "reader=direct")
    check_rehearsal(asking, ())
    with pytest.raises(UsageError, match=r"would ask https://api\.openai\.com/v1"):
        check_rehearsal(asking, (AS_STUB,))
    check_rehearsal(configure(*FREE), (AS_STUB,))
