"""Invented names for a generated Complex-TR, with what makes the real ones hard to read.

Commas, "and", "to", "of", parentheses, double spaces, quotation marks, digits, diacritics, names
that begin like others, and institutions that one can study at as well as work for.
"""

from collections.abc import Mapping, Sequence

import numpy as np

GIVEN_NAMES = (
    *("Aino", "Ana", "Björn", "Chloé", "Dagný", "Édith", "Faruk", "Gülsen", "Håkon", "Ines"),
    *("Jiří", "Kaja", "Łucja", "Mireia", "Nuno", "Olga", "Paweł", "Rui", "Søren", "Tomáš"),
    *("Uwe", "Víctor", "Wanda", "Yusuf", "Žofia"),
)
FAMILY_STEMS = (
    *("Arv", "Brisk", "Chol", "Drav", "Elm", "Fjør", "Gund", "Hask", "Iv", "Jarn"),
    *("Kost", "Lönn", "Mirk", "Nadj", "Ostr", "Pról", "Quist", "Rand", "Švel", "Tolm"),
    *("Urb", "Vint", "Wend", "Zab"),
)
FAMILY_ENDINGS = ("ander", "berg", "bergen", "eira", "elis", "enko", "ić", "mann", "ová", "sen")
PLACE_STEMS = (
    *("Alt", "Brå", "Calv", "Dorn", "Est", "Fal", "Grön", "Holm", "Ist", "Kres"),
    *("Lind", "Mont", "Nøst", "Oster", "Pell", "Rav", "Sand", "Tál", "Ulm", "Vell"),
    *("Wyn", "Žel"),
)
PLACE_ENDINGS = ("aria", "by", "ford", "haven", "ingen", "mark", "mouth", "ovo", "tal", "ville")

# {p} and {q} are places, {n} a number.
TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "P69": (
        "University of {p}",
        "University of {p} Law School",
        "University of {p}, {q}",
        "{p} University",
        "{p} University School of Arts and Letters",
        "{p} Institute of Technology and Design",
        "École normale de {p}  ({q})",
        "Lycée Saint-{p}",
        "The Queen's School, {p}",
        "SMA Negeri {n} {p}",
    ),
    "P108": (
        "University of {p}",
        "{p} University",
        "{p} Centre for Disease Control",
        "{p} & Sons",
        "Bank of {p} and {q}",
        '{p} Research Institute "{q}"',
        "The {p} Nurses' Organization",
        "AC \N{EN DASH} {p} Confederation of Crafts",
        "{p} Army",
        "Studio {n}",
    ),
    "P54": (
        "{p} F.C.",
        "FC {p}",
        "{p} United",
        "{p} national football team",
        "{p} national under-{n} football team",
        "{p} Owls men's basketball",
    ),
    "P39": (
        "president",
        "chief executive officer",
        "mayor of {p}",
        "Minister of Youth and Sports of {p}",
        "Ambassador of {p} to {q}",
        "member of the {p} Senate",
        "Member of the {n}th Parliament of {p}",
        "seat {n} of the Academy of {p}",
        "rector of the University of {p}",
        "Commissioner for Justice, Rights and Trade in {p}",
    ),
    "P102": (
        "independent politician",
        "Liberal Union",
        "Liberal Union ({n})",
        "The People of {p}",
        "Union, Work and Progress",
        "{p} Workers' Party",
        "{p} Greens \N{EN DASH} Alliance",
        "Movement for {p}",
    ),
    "P166": (
        "Knight of the Order of {p}",
        "Grand Officer of the Order of {p}",
        "{p} Prize for Peace and Letters",
        "Médaille de {p}",
        "Medal of {p} (First Class)",
    ),
    "P551": ("{p}", "{p}, {q}", "{p} Hills"),
    "P937": ("{p}",),
    "club": ("FC {p}", "SK {p}", "{p} F.C.", "U.C. {p}", "{p} Chess Federation"),
    "state": ("Republic of {p}", "Free State of {p}", "Ministry of Health of {p}"),
}
"""What the objects of a relation are called, and two kinds of subjects."""


def draw_name(kind: str, places: Sequence[str], rng: np.random.Generator) -> str:
    """Draw a name of a kind of `TEMPLATES` from two places; any other kind is a person."""
    if kind not in TEMPLATES:
        return draw_person(places, rng)
    here, there = rng.permutation(len(places))[:2]
    number = rng.integers(4, 20)
    return _pick(TEMPLATES[kind], rng).format(p=places[here], q=places[there], n=number)


def draw_places(count: int, rng: np.random.Generator) -> list[str]:
    """Draw different names of towns or countries."""
    names: dict[str, None] = {}
    while len(names) < count:
        names[_pick(PLACE_STEMS, rng) + _pick(PLACE_ENDINGS, rng)] = None
    return list(names)


def draw_person(places: Sequence[str], rng: np.random.Generator) -> str:
    """Draw a name like "Ana Lönnberg", some with an initial, a title or a second family name."""
    given = _pick(GIVEN_NAMES, rng)
    family = _pick(FAMILY_STEMS, rng) + _pick(FAMILY_ENDINGS, rng)
    match int(rng.integers(12)):
        case 0:
            return f"{given} {family[0]}. {family}"
        case 1:
            return f"{given} {family}, {rng.integers(4, 9)}th Baron {_pick(places, rng)}"
        case 2:
            return f"{given} {family} i {_pick(FAMILY_STEMS, rng)}elis"
        case 3:
            return f"{given}-{_pick(GIVEN_NAMES, rng)} {family}"
        case _:
            return f"{given} {family}"


def _pick(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]
