"""The multiple-choice reader for a small model: it picks the option that fits the evidence best.

For each option, the prompt quotes the option as the text of an assistant, and the model returns the
likelihood that a sentence of the evidence follows. The sentence is the same for all options. (The
likelihoods of the options themselves would depend on their length and style.) No text is generated.
Prompts are cut to a few characters, because a small model reads about a hundred tokens per second
on one core.
"""

import math
from collections.abc import Sequence
from statistics import fmean

from remem.errors import ModelUnavailableError
from remem.llm.likelihood import LikelihoodModel, LikelihoodRequest
from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap
from remem.prompts.library import PromptLibrary
from remem.readers.answer_lines import parse_lines
from remem.readers.choice import chosen, options_of
from remem.readers.direct import evidence_texts
from remem.readers.ranked_sentences import sentences, terms
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query, Usage


class ChoiceSmallReader:
    """Chooses the option after which the evidence is most likely; refuses without evidence."""

    def __init__(
        self,
        *,
        chat_model: LikelihoodModel,
        prompts: PromptLibrary,
        prompt: str,
        option_characters: int,
        evidence_characters: int,
    ) -> None:
        """Store the model and the settings.

        Args:
            chat_model: The model that returns likelihoods.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            option_characters: The number of characters after which an option is cut.
            evidence_characters: The number of characters after which the sentence is cut.
        """
        if option_characters < 1 or evidence_characters < 1:
            raise ValueError(
                f"option_characters is {option_characters} and evidence_characters is "
                f"{evidence_characters}, expected at least 1 for each"
            )
        self._model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._option = Cap(1, option_characters)
        self._characters = evidence_characters

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the option after which the best sentence of the evidence is most likely."""
        options = options_of(query)
        sentence = best_sentence(query.text, options, evidence_texts(evidence))[: self._characters]
        if not sentence:
            return Answer(REFUSAL_PHRASE)
        usage, fits = Usage(), []
        for option in options:
            try:
                log_probabilities, spent = self._model.likelihood(self._request(option, sentence))
            except ModelUnavailableError as error:
                error.usage = usage + error.usage
                raise
            usage += spent
            fits.append(fmean(log_probabilities))
        best = chosen(fits.index(max(fits)))
        return Answer(best.text, estimated_tokens(sentence), usage)

    def _request(self, option: str, sentence: str) -> LikelihoodRequest:
        [message] = self._prompt.render(option=self._option.line(option))
        return LikelihoodRequest("read", message.content, f" {sentence}")


def best_sentence(question: str, options: Sequence[str], texts: Sequence[str]) -> str:
    """Return the sentence of the evidence whose words distinguish the options best.

    A word counts if it is in some of the options, but not in all of them and not in the question. A
    word has the weight idf(word) = log(1 + sentences / (1 + sentences with the word)). The sentence
    with the largest sum of weights is returned, or the first if several are equal; "" if the
    evidence has no sentence.
    """
    scored = [
        sentence
        for text in texts
        for line in parse_lines(text)
        for sentence in sentences(line.body)
    ]
    words = [terms(sentence) for sentence in scored]
    option_terms = [terms(option) for option in options]
    telling = (
        frozenset().union(*option_terms) - frozenset.intersection(*option_terms) - terms(question)
    )
    idf = {
        word: math.log(1 + len(words) / (1 + sum(word in each for each in words)))
        for word in telling
    }
    weights = [math.fsum(idf[word] for word in each & telling) for each in words]
    return scored[weights.index(max(weights))] if weights else ""
