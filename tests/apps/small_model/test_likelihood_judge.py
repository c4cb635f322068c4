"""The likelihood judge on hand-made likelihoods: what it asks for, and its verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from remem.apps.small_model.calibration import Calibration
from remem.apps.small_model.likelihood_judge import LikelihoodJudge
from remem.errors import ModelUnavailableError
from remem.llm.likelihood import LikelihoodRequest
from remem.prompts.library import own_library
from remem.types import REFUSAL_PHRASE, Usage

ALONE = "Question: Which dog?\nIn short, the answer is:"


@dataclass
class Likely:
    """A model that finds a gold answer more likely after the answers named in `gains`."""

    gains: Mapping[str, float] = field(default_factory=dict)
    fails_on: str = "\0"
    model: str = "tiny"
    asked: list[LikelihoodRequest] = field(default_factory=list)

    def likelihood(self, request: LikelihoodRequest) -> tuple[tuple[float, ...], Usage]:
        self.asked.append(request)
        if self.fails_on in request.text:
            raise ModelUnavailableError("no", Usage(1, 5, 0))
        gain = next((gain for said, gain in self.gains.items() if said in request.prompt), 0.0)
        return (-4.0 + gain, -2.0 + gain), Usage(1, 10, 2)


def judge(model: Likely, **differing: float) -> LikelihoodJudge:
    weights = {
        "intercept": -1.0,
        "log_ratio": 1.0,
        "recall": 0.5,
        "no_answer": -2.0,
        "contradicts": -3.0,
        "threshold": 0.0,
    }
    return LikelihoodJudge(
        chat_model=model,
        prompts=own_library(),
        prompt="judge_likelihood.v1",
        calibration=Calibration(model="tiny", **(weights | differing)),
        characters_shown=40,
    )


def test_the_gold_is_asked_for_after_the_question_with_and_without_the_answer() -> None:
    model = Likely()
    judge(model).judge("Which dog?", (" Rex ",), "It was Rex [source=1].")
    assert model.asked == [
        LikelihoodRequest(
            "judge", "Question: Which dog?\nReply: It was Rex.\nIn short, the answer is:", " Rex"
        ),
        LikelihoodRequest("judge", ALONE, " Rex"),
    ]


def test_a_long_answer_is_shown_up_to_the_limit() -> None:
    model = Likely()
    judge(model).judge("Which dog?", ("Rex",), "a" * 30 + "b" * 30)
    assert f"Reply: {'a' * 30}{'b' * 10}\n" in model.asked[0].prompt


@pytest.mark.parametrize(
    ("gain", "answer", "expected"),
    [
        (1.5, "The black one.", True),  # -1 + 1.5
        (0.75, "The black one.", False),  # -1 + 0.75
        (0.75, "Rex, the black one.", True),  # -1 + 0.75 + 0.5
        (2.75, "Rex? I don't know the dog.", True),  # -1 + 2.75 + 0.5 - 2
        (1.5, "Rex? I don't know the dog.", False),  # -1 + 1.5 + 0.5 - 2
    ],
)
def test_the_verdict_is_whether_the_weighted_sum_reaches_the_threshold(
    gain: float, answer: str, expected: bool
) -> None:
    model = Likely({"Reply": gain})
    assert judge(model).judge("Which dog?", ("Rex",), answer) == (expected, Usage(2, 20, 4))


def test_another_date_is_wrong_however_likely_it_makes_the_gold() -> None:
    model = Likely({"Reply": 3.0})
    assert judge(model).judge("When?", ("7 May 2023",), "On 7 May 2023.")[0] is True
    assert judge(model).judge("When?", ("7 May 2023",), "On 9 May 2023.")[0] is False


def test_a_higher_threshold_asks_for_more() -> None:
    model = Likely({"Reply": 1.5})
    assert judge(model, threshold=1.0).judge("Which dog?", ("Rex",), "The black one.")[0] is False


def test_each_gold_is_asked_about_until_one_is_met() -> None:
    model = Likely({"Reply": 0.75})  # not enough without the gold's word
    assert judge(model).judge("Which dog?", ("Max", "Bello"), "Bello") == (True, Usage(4, 40, 8))
    model = Likely({"Reply": 3.0})
    assert judge(model).judge("Which dog?", ("Rex", "Bello"), "x") == (True, Usage(2, 20, 4))


@pytest.mark.parametrize("answer", ["", " - ", REFUSAL_PHRASE])
def test_an_answer_that_says_nothing_is_wrong_and_nobody_is_asked(answer: str) -> None:
    model = Likely()
    assert judge(model).judge("Which dog?", ("Rex",), answer) == (False, Usage())
    assert model.asked == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(REFUSAL_PHRASE, True), ("", True), ("I don't have that information.", True), ("Rex", False)],
)
def test_an_unanswerable_question_is_answered_by_refusing(answer: str, expected: bool) -> None:
    model = Likely()
    assert judge(model).judge("Which dog?", (REFUSAL_PHRASE,), answer) == (expected, Usage())
    assert model.asked == []


def test_what_earlier_golds_took_is_counted_when_a_later_one_fails() -> None:
    with pytest.raises(ModelUnavailableError) as raised:
        judge(Likely(fails_on="Bello")).judge("Which dog?", ("Rex", "Bello"), "x")
    assert raised.value.usage == Usage(3, 25, 4)


def test_a_model_that_was_not_calibrated_is_refused() -> None:
    with pytest.raises(ValueError, match="is calibrated for tiny, not for large"):
        judge(Likely(model="large"))
