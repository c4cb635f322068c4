"""For a name that differs slightly: which known name is meant, or that none is."""

import pytest

from remem.temporal.statements import resolve_name


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("Unity", ["Unity", "unity", "Unity (2013)"], "Unity"),
        ("Unity (1994)", ["Progress", "Unity"], "Unity"),
        ("Unity", ["Progress", "Unity (1994)"], "Unity (1994)"),
        ("Unity (1994)", ["Unity", "Unity (2013)"], "Unity"),
        ("Medical School, Oslo Town", ["Oslo Town Medical School"], "Oslo Town Medical School"),
        ("the The People of Peace", ["The People of Peace"], "The People of Peace"),
        ("Social-Economic Council", ["Social and Economic Council"], "Social and Economic Council"),
        ("ÉCOLE normale  (Lyon)", ["École normale (Lyon)"], "École normale (Lyon)"),
        ("Oslo (Medical School)", ["Medical School, Oslo"], "Medical School, Oslo"),
        ("Unity (1994)", ["Unity (2013)"], None),
        ("Unity", ["Unity (1994)", "Unity (2013)"], None),
        ("Unity", ["UNITY", "unity"], None),
        ("Oslo University", ["Oslo University Medical School"], None),
        ("Ecole normale", ["École normale"], None),
        ("???", ["!!!", "(The)"], None),
        ("Unity", [], None),
    ],
)
def test_the_same_name_is_meant_else_the_only_one_that_agrees(name, known, meant):
    assert resolve_name(name, known) == meant
    assert resolve_name(name, known[::-1]) == meant
