"""The messages that a gist or fact is attributed to."""

from hypothesis import given
from hypothesis import strategies as st

from remem.memory.attribution import Attribution
from remem.types import Message

SESSION = (
    Message("D1:1", "Ravi", "You look worn out, Ines!"),
    Message("D1:2", "Ines", "We scraped the hull of the Petrel at the Varnholm yard."),
    Message("D1:3", "Ravi", "Was your cousin with you?"),
    Message("D1:4", "Ines", "Joost, yes. He cut his thumb on the hull."),
    Message("D1:5", "Ravi", "My pottery course starts next month."),
)


def test_a_gist_comes_from_the_message_whose_words_it_takes_up() -> None:
    gist = "[14 June 2022] Ravi's pottery course starts next month (July 2022)."
    assert Attribution(SESSION).supporting(gist) == ("D1:5",)


def test_a_gist_of_several_messages_comes_from_all_of_them_in_their_order() -> None:
    gist = "Joost cut his thumb when Ines and her cousin scraped the hull of the Petrel."
    assert Attribution(SESSION).supporting(gist) == ("D1:2", "D1:4")


def test_a_word_that_every_message_holds_decides_nothing() -> None:
    messages = tuple(Message(str(at), "Ann", f"the the the {word}") for at, word in enumerate("xy"))
    assert Attribution(messages).supporting("the y the") == ("1",)


def test_at_most_three_messages_support_a_text_the_first_ones_among_equals() -> None:
    messages = tuple(Message(str(at), "", "red boat") for at in range(5))
    assert Attribution(messages).supporting("A red boat.") == ("0", "1", "2")


def test_a_text_that_shares_no_word_comes_from_the_whole_episode() -> None:
    assert Attribution(SESSION).supporting("全く別の文") == tuple(message.id for message in SESSION)


def test_an_episode_without_messages_supports_nothing() -> None:
    assert Attribution(()).supporting("Ines rows.") == ()


@given(st.text(), st.lists(st.text(), min_size=1, max_size=6))
def test_there_is_always_a_source_and_it_is_in_the_episode(text: str, said: list[str]) -> None:
    messages = tuple(Message(str(at), "Ann", words) for at, words in enumerate(said))
    source = Attribution(messages).supporting(text)
    assert source
    assert list(source) == sorted(set(source), key=int)
    assert set(source) <= {message.id for message in messages}
