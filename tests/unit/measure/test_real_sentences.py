"""Sentences of real texts: where they end, what is left of marks, and that each comes once."""

from measure.real_sentences import distinct_questions, distinct_sentences, sentences_of

from remem.types import Episode, Gold, History, Message, Query, Question


class OneHistory:
    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def histories(self):
        messages = tuple(Message(str(at), "Ann", text) for at, text in enumerate(self._texts))
        return [History("h", (Episode("e", messages),))]

    def questions(self, history_id):
        queries = [Query(str(at), history_id, at, text) for at, text in enumerate(self._texts)]
        return [Question(query, Gold(("yes",), True)) for query in queries]


def test_a_sentence_ends_at_a_full_stop_a_mark_or_a_line():
    text = "I walked to the lake. Did you see the boat?\nWe both saw it there! Yes."
    assert list(sentences_of(text)) == [
        "I walked to the lake.",
        "Did you see the boat?",
        "We both saw it there!",
    ]


def test_marks_of_lists_and_emphasis_are_dropped():
    text = "1. **Bring** a warm coat\n- `pip` is a tool too\n## What to do next"
    assert list(sentences_of(text)) == [
        "Bring a warm coat",
        "pip is a tool too",
        "What to do next",
    ]


def test_too_short_and_too_long_sentences_are_left_out():
    assert not list(sentences_of("Only three words. " + "word " * 41))
    assert len(list(sentences_of("word " * 40))) == 1


def test_each_text_comes_once_whatever_its_case():
    data = OneHistory("I walked to the lake.", "i walked to the LAKE. We swam until dark.")
    assert distinct_sentences([data, data]) == ["I walked to the lake.", "We swam until dark."]
    assert len(distinct_questions([data, data])) == 2
