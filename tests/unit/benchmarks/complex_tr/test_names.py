import numpy as np
import pytest

from remem.benchmarks.complex_tr.facts import draw_name, draw_person, draw_places, parts

PLACES = ["Kres", "Holm"]


@pytest.fixture(scope="module")
def names():
    rng = np.random.default_rng(0)
    return {kind: {draw_name(kind, PLACES, rng) for _ in range(300)} for kind in parts().templates}


def test_every_template_is_used(names):
    for kind, templates in parts().templates.items():
        for template in templates:
            head = template.split("{")[0]
            assert any(name.startswith(head) for name in names[kind]), template


def test_the_two_places_of_a_name_differ(names):
    schools = {name for name in names["P69"] if name.startswith("École")}
    assert schools == {"École normale de Kres  (Holm)", "École normale de Holm  (Kres)"}


def test_no_name_holds_the_separator_of_answers_or_a_line_end(names):
    assert not any(mark in name for kind in names.values() for name in kind for mark in ";\n")


def test_people_are_named_in_five_ways():
    rng = np.random.default_rng(1)
    people = [draw_person(PLACES, rng) for _ in range(300)]
    assert any(". " in name for name in people)
    assert any("th Baron " in name for name in people)
    assert any(" i " in name for name in people)
    assert any("-" in name for name in people)
    assert any(len(name.split()) == 2 for name in people)
    assert any(not name.isascii() for name in people)


def test_places_are_different_and_drawn_from_the_seed():
    places = draw_places(40, np.random.default_rng(2))
    assert len(set(places)) == 40
    assert draw_places(40, np.random.default_rng(2)) == places
