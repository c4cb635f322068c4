"""The reader by likelihood: which sentence it shows, what it asks, and which option it chooses."""

import pytest

from remem.apps.small_model.choice_small import ChoiceSmallReader, best_sentence
from remem.errors import ModelUnavailableError
from remem.llm.likelihood import LikelihoodRequest
from remem.prompts.library import own_library
from remem.types import REFUSAL_PHRASE, Evidence, Passage, Query, Usage

QUERY = Query("q1", "h", 0, "What now?", options=("Go and row.", "Go and ski.", "Go home now."))
FOUND = Evidence(passages=(Passage("m1", "User: It rained. I ski a lot!", None, ("m1",)),))


class Likelihoods:
    """A model with given likelihoods for each option, chosen by a word in the prompt."""

    model = "by hand"

    def __init__(self, **by_word: tuple[float, ...]) -> None:
        self.by_word = by_word
        self.asked: list[LikelihoodRequest] = []

    def likelihood(self, request: LikelihoodRequest) -> tuple[tuple[float, ...], Usage]:
        self.asked.append(request)
        [found] = [value for word, value in self.by_word.items() if word in request.prompt]
        if not found:
            raise ModelUnavailableError("no reply", Usage(1, 5, 0))
        return found, Usage(1, 50, 10)


def reader(model, option_characters=240, evidence_characters=100):
    return ChoiceSmallReader(
        chat_model=model,
        prompts=own_library(),
        prompt="reader_choice_small.v1",
        option_characters=option_characters,
        evidence_characters=evidence_characters,
    )


def test_the_option_after_which_the_evidence_is_most_likely_is_chosen():
    model = Likelihoods(row=(-3.0, -3.0), ski=(-1.0, -2.0), home=(-2.0, -2.0))
    answer = reader(model).read(QUERY, FOUND)
    assert (answer.text, answer.usage) == ("(b)", Usage(3, 150, 30))
    assert answer.context_tokens == 4  # I ski a lot!
    assert {request.text for request in model.asked} == {" I ski a lot!"}
    assert [request.stage for request in model.asked] == ["read"] * 3
    for option, request in zip(QUERY.options, model.asked, strict=True):
        assert f'"{option}"' in request.prompt
        assert "I ski a lot" not in request.prompt


def test_of_equal_likelihoods_the_first_option_is_chosen():
    model = Likelihoods(row=(-2.0,), ski=(-2.0,), home=(-2.0,))
    assert reader(model).read(QUERY, FOUND).text == "(a)"


def test_options_and_evidence_are_cut():
    model = Likelihoods(Go=(-1.0,))
    reader(model, option_characters=6, evidence_characters=5).read(QUERY, FOUND)
    assert '"Go and [cut]"' in model.asked[0].prompt
    assert model.asked[0].text == " I ski"


def test_without_evidence_it_refuses_and_asks_nothing():
    model = Likelihoods()
    assert reader(model).read(QUERY, Evidence()).text == REFUSAL_PHRASE
    assert model.asked == []


def test_an_error_carries_the_usage_of_the_calls_before_it():
    with pytest.raises(ModelUnavailableError) as raised:
        reader(Likelihoods(row=(-1.0,), ski=())).read(QUERY, FOUND)
    assert raised.value.usage == Usage(2, 55, 10)


def test_the_sentence_has_most_words_that_tell_the_options_apart():
    options = ("You row in Rome.", "You ski in Rome.")
    texts = ("User: Rome, now. I love Rome.", "User: Well. I often ski. You row, you ski.")
    assert best_sentence("Now?", options, texts) == "You row, you ski."
    assert best_sentence("Now?", options, texts[:1]) == "Rome, now."
    assert best_sentence("Now?", options, ()) == ""


def test_words_of_all_options_and_of_the_question_do_not_count():
    options = ("You row in Rome, Italy.", "You ski in Rome, Italy.")
    texts = ("User: Rome, Italy! Dear summer. I often ski.",)
    assert best_sentence("Dear summer?", options, texts) == "I often ski."


@pytest.mark.parametrize("sizes", [(0, 10), (10, 0)])
def test_a_size_below_one_is_refused(sizes):
    with pytest.raises(ValueError, match="expected at least 1"):
        reader(Likelihoods(), *sizes)


def test_a_question_without_options_is_an_error():
    with pytest.raises(ValueError, match="q1 has no options"):
        reader(Likelihoods()).read(Query("q1", "h", 0, "Who?"), FOUND)
