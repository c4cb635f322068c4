"""Judge an answer by how much it increases the likelihood of the gold answer, and by simple rules.

This judge needs no chat model. It is calibrated on published verdicts of other judges
(docs/apps/small_model/small_models.md); it is not the judge of the paper.
"""

from collections.abc import Sequence

from remem.apps.small_model.calibration import Calibration
from remem.errors import ModelUnavailableError
from remem.judge.rules_judge import (
    AnswerFeatures,
    answer_features,
    says_no_answer,
    without_citations,
)
from remem.llm.likelihood import LikelihoodModel, LikelihoodRequest
from remem.metrics.refusal import is_blank_or_phrase
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.types import Usage


class LikelihoodJudge:
    """Scores an answer by a calibrated combination of a likelihood ratio and simple rules."""

    def __init__(
        self,
        *,
        chat_model: LikelihoodModel,
        prompts: PromptLibrary,
        prompt: str,
        calibration: Calibration,
        characters_shown: int,
    ) -> None:
        """Store the model, the prompt and the calibration.

        Args:
            chat_model: The model that returns the likelihood of the gold.
            prompts: The library with the prompt.
            prompt: The name of the prompt, which has two messages: with and without the answer.
            calibration: The weights, fitted with this model and prompt.
            characters_shown: The number of characters after which an answer is cut.

        Raises:
            ValueError: The calibration belongs to another model.
        """
        if chat_model.model != calibration.model:
            raise ValueError(
                f"judge=likelihood is calibrated for {calibration.model}, not for "
                f"{chat_model.model}; set llm@judge_llm=smollm2"
            )
        self._model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._calibration = calibration
        self._characters = characters_shown

    def judge(self, question: str, golds: Sequence[str], answer: str) -> tuple[bool, Usage]:
        """Return whether the answer matches one of the gold answers, and the usage of the model.

        Raises:
            ModelUnavailableError: The server gave no likelihood.
        """
        usage = Usage()
        for gold in golds:
            if is_blank_or_phrase(gold):
                right = is_blank_or_phrase(answer) or says_no_answer(answer)
            elif is_blank_or_phrase(answer):
                right = False
            else:
                try:
                    features, spent = self.features(question, gold, answer)
                except ModelUnavailableError as error:
                    error.usage = usage + error.usage
                    raise
                usage += spent
                right = self._calibration.score(features) >= self._calibration.threshold
            if right:
                return True, usage
        return False, usage

    def features(self, question: str, gold: str, answer: str) -> tuple[AnswerFeatures, Usage]:
        """Return the features of an answer, and the usage of the model.

        Two likelihoods of the gold answer are compared: after a prompt with `answer`, and after a
        prompt without it.
        """
        bare_answer = without_citations(answer)
        given, alone = self._prompt.render(
            question=question, answer=bare_answer[: self._characters]
        )
        with_answer, first = self._model.likelihood(self._request(given.content, gold))
        without, second = self._model.likelihood(self._request(alone.content, gold))
        return answer_features(gold, bare_answer, with_answer, without), first + second

    def _request(self, prompt: str, gold: str) -> LikelihoodRequest:
        return LikelihoodRequest("judge", prompt, f" {gold.strip()}")
