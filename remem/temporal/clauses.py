"""Decide whether the clause around a time is about the past, the future, or a habit.

"On Friday" is the last Friday in "we met on Friday", the next one in "she is coming on Friday", and
no date in "I usually swim on Friday". The decision depends on cues: verb forms, and words such as
"deadline". Cues in the same clause are tried first: those before the time, nearest first, and then
those after it.
"""

import re
from dataclasses import dataclass
from typing import Literal

Direction = Literal["past", "ahead", "present", "habit", "unknown"]
"""What a clause is about; "present" is "is" or "has" without a sign of the future."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DEADLINE = re.compile(r"(?:for|by|until|till)\b", re.IGNORECASE)
_NEAR = 300
"""Characters before and after a time that are looked at, which bounds the work for a long text."""
_SENTENCE_END = re.compile(r"[.!?]+(?=[\s\"')\u2019\u201d]|$)|\n|\u2026|\s[-*#\u2022]+\s")
_LABEL = re.compile(r":[\s*]")
"""What ends a label, such as "Confirmed: Friday"; it says nothing of the time behind it."""
_WORD = re.compile(
    r"[^\W\d_]+?(?=n['\u2019]t\b)|n['\u2019]t\b|['\u2019](?:m|re|s|ll|ve|d)\b|[^\W\d_]+|\d+|"
    r"[,;:()\u2013\u2014/-]"
)
_CLAUSE_ENDS = _words(
    ", ; : ( ) \u2013 \u2014 - and but because so although though while when if which who "
    "that as until"
)
_ADVERBS = _words(
    "not n't also still all both finally only just actually definitely probably now already "
    "never ever really even always currently again soon hopefully apparently i we you he she "
    "they it"
)
_DEGREES = _words("kinda so very too quite pretty super")
_HABITS = _words("usually always often normally typically generally sometimes rarely seldom mostly")
_BE, _BE_PAST = _words("am are is 'm 're 's im"), _words("was were")
_HAVE = _words("have has 've having")
_MODALS = _words(
    "will wo shall 'll gonna might may should would can ca cannot could must wanna gotta ll 'd"
)
_TO_COME = _words(
    "upcoming deadline due let lets reminder remind forget remember see tickets booked "
    "scheduled planned reserved rsvp countdown tomorrow tonight plan plans planning hope "
    "hoping want wants need needs intend intends expect expects expecting aiming looking free "
    "available todo appointment interview exam rehearsal agenda next coming starting "
    "effective onwards"
)
_SHIFTED = _words(
    "adjusted extended bumped moved postponed rescheduled pushed delayed changed switched "
    "shifted brought put booked scheduled planned reserved invited set arranged agreed "
    "confirmed fixed pencilled back forward"
)
_DUE = _words(
    "due scheduled booked planned set moved confirmed postponed rescheduled invited meant "
    "supposed about free off away back here ready available open closed"
)
_SCHEDULES = _words(
    "starts begins opens closes ends finishes leaves departs arrives comes returns lands "
    "flies moves launches expires takes kicks goes graduates turns gets sails ships resumes "
    "reopens premieres retires falls runs lifts visits plays meets airs drops start begin "
    "open close end finish leave depart arrive come return land fly move launch expire "
    "graduate retire meet works matures lapses stops stop works suits"
)
_DETERMINERS = _words(
    "a an the my our his her their your another some two three four no to tickets plans "
    "guests work class school practice dinner lunch training exams visitors it that this off "
    "there someone people"
)
_IRREGULAR = _words(
    "cost hit hurt shut quit spread beat cut put ate became began bent bit blew bought broke "
    "brought built burnt came caught chose did drank drew drove dug fell felt fed flew "
    "forgave forgot fought found froze gave got grew had heard hid held kept knew laid learnt "
    "led left lent lit lost made meant met overslept paid ran rang rode rose said sang sank "
    "saw sent shook shot slept slid smelt sold spent spilt spoke spoilt spun stole stood "
    "struck stuck swam swept swore taught thought threw told took tore understood went woke "
    "won wore wound wrote thanks thank sorry ago happened"
)
_PARTICIPLES = _words(
    "been begun broken come done eaten fallen flown forgotten given gone gotten grown known "
    "run seen spoken taken thrown worn written put cut hit hurt read quit let cost"
) | (_IRREGULAR - _words("came did went saw took wrote ate"))
_NOT_PAST = _words(
    "need feed speed seed bleed breed exceed proceed succeed indeed hundred bed red shed"
)
_INTENDED = _words("decided agreed promised arranged chose offered")
_LEADING = _words(
    "to be been being stay stays remain remains keep keeps get gets a an the my our your his "
    "her their"
)
_NEARBY = 5
"""Words between "moved to" and its time, such as a clock time."""
_FEW = 4
"""A clause with so few words before its time may have its verb in another clause."""
_COMMANDS = _words(
    "call bring come meet remind send book keep save join pick submit please try be check "
    "make get stop start tell ask buy take put note mark cancel pay return finish hand give "
    "go watch visit prepare order renew collect ring text email drop turn do have leave"
)
_WE = _words("i we you they")


@dataclass(frozen=True, slots=True)
class _Cue:
    """A word that shows a direction; a word for a habit overrules a weak cue."""

    place: int
    direction: Direction
    weak: bool = False


def direction_of(text: str, start: int, end: int) -> Direction:
    """Return the direction of the clause around the time at text[start:end].

    >>> direction_of("She said she will come on Friday", 23, 32)
    'ahead'
    """
    before = _LABEL.split(_SENTENCE_END.split(text[max(0, start - _NEAR) : start])[-1])[-1]
    after, mark = text[end : end + _NEAR], ""
    if stop := _SENTENCE_END.search(after):
        after, mark = after[: stop.start()], stop[0]
    head = [word.lower().replace("\u2019", "'") for word in _WORD.findall(before)]
    tail = [word.lower().replace("\u2019", "'") for word in _WORD.findall(after)]
    direction = _decided(_Sentence((*head, *tail), len(head), "?" in mark))
    if text[start : start + 3].lower() == "to ":
        return "ahead"  # "moved to May"
    if deadline := _DEADLINE.match(text, start):
        if deadline[0].lower() == "for" and head and head[-1].endswith("ed"):
            return "ahead"  # "suggested for May"
        if direction == "past" and deadline[0].lower() == "by":
            return "unknown"
        return "ahead" if direction in {"present", "unknown"} else direction
    return direction


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The words of a sentence without its time; the time stands before word number `time`."""

    words: tuple[str, ...]
    time: int
    is_question: bool

    def at(self, place: int) -> str:
        return self.words[place] if 0 <= place < len(self.words) else ""

    def after_adverbs(self, place: int) -> int:
        """Return the index of the first word from `place` on that is neither adverb nor pronoun.

        Return the index of the time if it is reached first.
        """
        while place != self.time and (self.at(place) in _ADVERBS or self.at(place).endswith("ly")):
            place += 1
        return place

    def before_adverbs(self, place: int) -> str:
        """Return the last word at or before `place` that is neither an adverb nor a pronoun."""
        while place > 0 and (
            self.at(place) in _ADVERBS | _DEGREES or self.at(place).endswith("ly")
        ):
            place -= 1
        return self.at(place)


def _decided(sentence: _Sentence) -> Direction:
    ends = [place for place, word in enumerate(sentence.words) if word in _CLAUSE_ENDS]
    first = max((place for place in ends if place < sentence.time), default=-1)
    last = min((place for place in ends if place >= sentence.time), default=len(sentence.words))
    cues = [cue for place in range(len(sentence.words)) if (cue := _cue(sentence, place))]
    before = [cue for cue in cues if cue.place < sentence.time][::-1]
    after = [cue for cue in cues if cue.place >= sentence.time]
    ranked = [cue for cue in before if cue.place > first]
    ranked += [cue for cue in after if cue.place < last]
    ranked += after if sentence.time == 0 else []
    ranked += [*before, *after] if sentence.time - first <= _FEW else []
    chosen = ranked[0] if ranked else None
    if (chosen is None or chosen.weak) and _HABITS & set(sentence.words[first + 1 : last]):
        return "habit"
    if chosen is None:
        return "ahead" if sentence.is_question else "unknown"
    return chosen.direction


def _cue(sentence: _Sentence, place: int) -> _Cue | None:
    """Return the cue at a word, or None if the word says nothing about the time."""
    word, following = sentence.at(place), sentence.after_adverbs(place + 1)
    then = "" if following == sentence.time else sentence.at(following)
    ahead, past = _Cue(place, "ahead"), _Cue(place, "past")
    if word in _BE and not sentence.at(place - 1).isdecimal():  # "3 am"
        return _of_be(sentence, place, following, then)
    if word in _BE_PAST or (word == "used" and then == "to"):
        return past
    if word in _MODALS:
        perfect = sentence.at(sentence.after_adverbs(following + 1))
        is_perfect = then in {"have", "'ve"} and (perfect in _PARTICIPLES or perfect.endswith("ed"))
        return past if is_perfect else ahead
    if sentence.before_adverbs(place - 1) in _MODALS:
        return None  # the modal says the time
    if word in _HAVE:
        if then == "got" and sentence.at(following + 1) in _DETERMINERS:
            return ahead
        if then in _PARTICIPLES or (then.endswith("ed") and then not in _NOT_PAST):
            return past
        return ahead if then in _DETERMINERS else _Cue(place, "present", weak=True)
    return _of_verb(sentence, place)


def _of_be(sentence: _Sentence, place: int, following: int, then: str) -> _Cue | None:
    if sentence.at(place) == "'s" and then in _PARTICIPLES and then not in _DUE:
        return _Cue(place, "past")  # "she's gone"
    if following == sentence.time or then in _DUE or then in _DETERMINERS:
        return _Cue(place, "ahead")
    if then.endswith("ing") and len(then) > len("ring"):
        return _Cue(place, "ahead")
    return _Cue(place, "present", weak=True)


def _of_verb(sentence: _Sentence, place: int) -> _Cue | None:
    word, former = sentence.at(place), sentence.at(place - 1)
    ruling = sentence.before_adverbs(place - 1)
    if ruling in {"did", "didn"}:
        return None  # "did you see"
    near = sentence.words[place + 1 : sentence.time] if place < sentence.time else ()
    shifted = (
        word in _SHIFTED and len(near) <= _NEARBY and {"to", "for", "until", "from"} & set(near)
    )
    if former in _LEADING and not shifted:
        return None  # the word before says the time, or makes it an adjective
    if word in _INTENDED and "to" in near:
        return _Cue(place, "ahead")
    if shifted or word in _TO_COME or word.removesuffix("s") in _TO_COME:
        was = {sentence.at(place - 1), sentence.at(place - 2)} & _BE_PAST
        return _Cue(place, "past" if was else "ahead")
    if word in {"after", "since"} and sentence.at(place + 1).endswith("ing"):
        return _Cue(place, "past")
    if word in _SCHEDULES:
        return _Cue(place, "ahead", weak=True)
    if place == 0 and word in _COMMANDS:
        return _Cue(place, "ahead")
    if word in _IRREGULAR and not (word == "got" and ruling in _HAVE):
        return _Cue(place, "past")
    if word.endswith("ed") and len(word) > len("bed") and word not in _NOT_PAST:
        return _Cue(place, "present" if ruling in _BE else "past", weak=ruling in _BE)
    if former in _WE and word not in _ADVERBS | _CLAUSE_ENDS | _PARTICIPLES and word.isalpha():
        return _Cue(place, "ahead", weak=True)
    if former in _WE and word in _PARTICIPLES:
        return _Cue(place, "past")
    return None
