"""Facts from chats: what stands alone is kept, and what is asked, denied or vague is not.

The parses in parsed_chat.jsonl are spaCy's; tests/extras/test_spacy_extractor.py checks that they
still are. The facts here are what a reader would write down.
"""

import pytest

from remem.memory.parsed_text import Parse
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.spacy_extractor import chat_facts
from remem.time_scope import TimePoint
from remem.types import Episode, Fact, Message

SAID = TimePoint(2023, 5, 8)


def told(text: str, parse: Parse, *others: str) -> list[tuple[str, ...]]:
    messages = [Message("D1:1", "Omar", text, SAID)]
    messages += [Message("D1:2", name, "Hello!", SAID) for name in others]
    return [triple(fact) for fact in chat_facts(messages, parse)]


def triple(fact: Fact) -> tuple[str, ...]:
    time = (str(fact.time),) if fact.time else ()
    return (fact.subject, fact.predicate, fact.object, *time)


KEPT = {
    "I visited Rome in May 2021.": [("Omar", "visited", "Rome", "2021-05")],
    "I went to a rowing club last Friday and it was fun.": [
        ("Omar", "went to", "a rowing club", "2023-05-05")
    ],
    "I joined a film club with my sister.": [
        ("Omar", "has", "a sister"),
        ("Omar", "joined", "a film club with Omar's sister"),
    ],
    "We roasted chestnuts in the forest.": [
        ("Omar and others", "roasted", "chestnuts in the forest")
    ],
    "My brother Paul works in Lisbon.": [
        ("Omar", "has", "a brother"),
        ("Omar's brother Paul", "works in", "Lisbon"),
    ],
    "My dog loves the beach.": [("Omar", "has", "a dog"), ("Omar's dog", "loves", "the beach")],
    "I'm learning Portuguese.": [("Omar", "is learning", "Portuguese")],
    "I've been working on a film script.": [("Omar", "has been working on", "a film script")],
    "I don't eat red meat.": [("Omar", "does not eat", "red meat")],
    "I never tried windsurfing.": [("Omar", "never tried", "windsurfing")],
    "I had a great time at a jazz festival.": [("Omar", "had a great time at", "a jazz festival")],
    "I saw the stone bridge.": [("Omar", "saw", "the stone bridge")],
    "I am a nurse.": [("Omar", "is", "a nurse")],
    "I'm interested in old maps and modern art.": [
        ("Omar", "is interested in", "old maps"),
        ("Omar", "is interested in", "modern art"),
    ],
    "I play chess and tennis.": [("Omar", "plays", "chess"), ("Omar", "plays", "tennis")],
    "I enjoy swimming.": [("Omar", "enjoys", "swimming")],
    "I want to open a small bakery.": [("Omar", "wants to open", "a small bakery")],
    "I gave a talk at a primary school.": [("Omar", "gave a talk at", "a primary school")],
    "I took my son to a museum.": [
        ("Omar", "has", "a son"),
        ("Omar", "took Omar's son to", "a museum"),
    ],
    "Just finished a history course!": [("Omar", "finished", "a history course")],
    "Been painting an old boat.": [("Omar", "has been painting", "an old boat")],
    "Dancing is my favorite hobby.": [("Dancing", "is", "Omar's favorite hobby")],
    "Music calms me.": [("Music", "calms", "Omar")],
    "I'm glad that I sold a house.": [("Omar", "sold", "a house")],
    "I moved here because I found a teaching job.": [("Omar", "found", "a teaching job")],
    "Big news - I adopted a grey cat!": [("Omar", "adopted", "a grey cat")],
    "I'm gonna visit Norway.": [("Omar", "is going to visit", "Norway")],
    "Dad bought a farm.": [("Omar's dad", "bought", "a farm")],
    "I found this old clock.": [("Omar", "found", "an old clock")],
    "My wife and I rented a small house.": [
        ("Omar", "has", "a wife"),
        ("Omar's wife and Omar", "rented", "a small house"),
    ],
    "I studied law at Oxford in 2015.": [
        ("Omar", "studied", "law", "2015"),
        ("Omar", "studied law at", "Oxford", "2015"),
    ],
    "I don't like coffee, but I drink green tea.": [
        ("Omar", "does not like", "coffee"),
        ("Omar", "drinks", "green tea"),
    ],
    "I bought bread, milk and fresh eggs.": [("Omar", "bought", "bread, milk and fresh eggs")],
    "She is my sister.": [("Omar", "has", "a sister")],
    "I'm so proud of my daughter!": [
        ("Omar", "has", "a daughter"),
        ("Omar", "is proud of", "Omar's daughter"),
    ],
    "I'm looking for a new flat.": [("Omar", "is looking for", "a new flat")],
    "I cooked a soup - it was spicy.": [("Omar", "cooked", "a soup")],
    "I was told a story about my own shop.": [("Omar", "has", "a shop")],
    "I have lots of old coins.": [("Omar", "has", "lots of old coins")],
    "I study biology, which is hard.": [("Omar", "studies", "biology")],
}

LEFT_OUT = [
    'Everybody told me "I bought a farm" today.',
    "I fixed her old bike.",
    "I play chess, don't you?",
    "I play chess, right?",
    "Did you meet my sister?",
    "Do you like jazz?",
    "If I win the race, I'll buy a boat.",
    "I would love a new bike.",
    "Maybe I bought a red car.",
    "I think it was great.",
    "It broke the old window.",
    "They visited my school.",
    "I bought it in Rome.",
    "I had a great time.",
    "I love your old violin.",
    "I saw the bridge.",
    "I read a book that I found.",
    "I was a kid back then.",
    "My mother-in-law is nice.",
    "Hello Ines!",
    "Thanks for the help!",
    "I said that I sold a house.",
    "I'm on fire!",
    "I love the green colors.",
    "I'm making progress.",
    "I hurt my left knee.",
    'I read "Emma" again.',
    "I met a friend of yours.",
    "We were happy together.",
    "I have lots of fun.",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_message_gives_the_facts_that_a_reader_would_note(
    text: str, recorded_parse: Parse
) -> None:
    assert told(text, recorded_parse, "Ines") == KEPT[text]


@pytest.mark.parametrize("text", LEFT_OUT)
def test_what_does_not_stand_alone_is_no_fact(text: str, recorded_parse: Parse) -> None:
    assert told(text, recorded_parse, "Ines") == []


def test_a_fact_says_when_it_was_said_and_by_which_message(recorded_parse: Parse) -> None:
    (fact,) = chat_facts(
        [Message("D7:3", "Omar", "I'm learning Portuguese.", SAID)], recorded_parse
    )
    assert fact == Fact(
        id="",
        subject="Omar",
        predicate="is learning",
        object="Portuguese",
        time=None,
        episode_id="",
        source=("D7:3",),
        record_time=SAID,
    )


def test_a_session_tells_each_fact_once(recorded_parse: Parse) -> None:
    same = [Message(f"D1:{n}", "Omar", "I enjoy swimming.", SAID) for n in (1, 2)]
    assert [fact.source for fact in chat_facts(same, recorded_parse)] == [("D1:1",)]
    other = Message("D1:3", "Ines", "I enjoy swimming.", SAID)
    assert [fact.subject for fact in chat_facts([*same, other], recorded_parse)] == ["Omar", "Ines"]


def test_the_same_event_on_another_day_is_another_fact(recorded_parse: Parse) -> None:
    text = "I went to a rowing club last Friday and it was fun."
    later = TimePoint(2023, 5, 15)
    messages = [Message("D1:1", "Omar", text, SAID), Message("D1:2", "Omar", text, later)]
    days = [str(fact.time) for fact in chat_facts(messages, recorded_parse)]
    assert days == ["2023-05-05", "2023-05-12"]


def test_a_statement_without_a_speaker_is_not_parsed() -> None:
    def parse(texts: object) -> list[object]:
        raise AssertionError("nothing was said")

    assert chat_facts([Message("f1", "", "I enjoy swimming.", SAID)], parse) == ()  # type: ignore[arg-type]


def test_the_text_is_parsed_without_its_line_breaks(recorded_parse: Parse) -> None:
    assert told("I  enjoy\nswimming.", recorded_parse) == [("Omar", "enjoys", "swimming")]


def test_gists_are_those_of_the_rules() -> None:
    """The facts are added to what the rules extract; this is what they extract from a chat."""
    message = Message("D1:1", "Omar", "I enjoy swimming.", SAID)
    extraction = RulesExtractor().extract(Episode("s", (message,)))
    assert [gist.text for gist in extraction.gists] == ["[8 May 2023] Omar: I enjoy swimming."]
    assert extraction.facts == ()
