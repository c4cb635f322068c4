"""Content words for comparing a question with a sentence: stems, with irregular forms undone."""

from functools import lru_cache

from remem.readers.lines import content_stems, stem

_FORMS = (
    "be is was were been", "become became", "begin began begun", "break broke broken",
    "bring brought", "build built", "buy bought", "catch caught", "choose chose chosen",
    "come came", "cost costs", "cut cutting", "die died dies dying", "draw drew drawn",
    "drink drank drunk",
    "drive drove driven", "eat ate eaten", "fall fell fallen", "feel felt", "fight fought",
    "find found", "fly flew flown", "forget forgot forgotten", "get got gotten", "give gave given",
    "go went gone", "grow grew grown", "hear heard", "hide hid hidden", "hold held", "keep kept",
    "know knew known", "leave left", "lend lent", "lose lost", "make made", "meet met",
    "pay paid", "read reading", "ride rode ridden", "rise rose risen", "run ran", "see saw seen",
    "sell sold", "send sent", "shake shook", "sing sang sung", "sleep slept", "speak spoke spoken",
    "spend spent", "stand stood", "steal stole stolen", "swim swam swum", "take took taken",
    "teach taught", "tear tore torn", "tell told", "think thought", "throw threw thrown",
    "wake woke woken", "wear wore worn", "win won", "write wrote written", "child children",
    "person people", "foot feet", "mum mom mother", "dad father", "wife wives", "knife knives",
)  # fmt: skip
_BASE = {stem(form): stem(forms.split()[0]) for forms in _FORMS for form in forms.split()}
_EMPTY = frozenset(
    map(stem, ("he", "they", "be", "come", "day", "get", "give", "go", "make", "take", "tell"))
)
_SHORTEST, _ENDING, _ALMOST = 5, 4, 0.8


@lru_cache(maxsize=1 << 15)
def terms(text: str) -> frozenset[str]:
    """Return the content words of a text in one form each.

    >>> sorted(terms("She bought the children's bikes"))
    ['bik', 'buy', 'child']
    """
    return frozenset(_BASE.get(found, found) for found in content_stems(text)) - _EMPTY


def match(term: str, words: frozenset[str]) -> float:
    """Return 1 if a term is among some words, 0.8 if a longer form of it is, else 0.

    >>> match("graduat", frozenset({"graduation"})), match("car", frozenset({"cart"}))
    (0.8, 0.0)
    """
    if term in words:
        return 1.0
    if len(term) < _SHORTEST:
        return 0.0
    start = term[:_SHORTEST]
    alike = (word for word in words if word.startswith(start))
    return _ALMOST if any(_related(term, word) for word in alike) else 0.0


def _related(first: str, other: str) -> bool:
    """Tell whether the longer of two words adds at most an ending to the shorter."""
    if len(first) > len(other):
        first, other = other, first
    return len(other) - len(first) <= _ENDING and other.startswith(first)
