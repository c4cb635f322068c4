"""The URL paths that label the gateway's callers, and the usage counted for each label."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.apps.rivals.gateway_account import NONE, Place, read_label
from remem.serve.http_handler import RequestError
from remem.types import Stage

names = st.text().filter(lambda name: name != NONE)
stages: st.SearchStrategy[Stage] = st.sampled_from(["index", "recall", "read", "judge"])


@given(names, names, stages)
def test_a_path_brings_run_history_and_stage_back(run: str, history: str, stage: Stage) -> None:
    place = Place(run, history, stage)
    assert read_label(place.label) == place
    assert place.label.isascii() and place.label.count("/") == 4


def test_no_path_is_the_index_of_nobody() -> None:
    assert read_label("") == Place("", "", "index")


@pytest.mark.parametrize("label", ["/run/r/h", "/run/r/h/", "/run/r/h/Index", "/run/r/h/x/index"])
def test_another_path_is_refused(label: str) -> None:
    with pytest.raises(RequestError, match=r"does not have the form /run/<run>/<history>/<stage>"):
        read_label(label)
