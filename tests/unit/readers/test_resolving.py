"""Relative dates of passages are written out for a reader, and nothing else changes."""

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.readers.quoting import ResolvingReader, with_dates
from remem.types import Answer, Evidence, Gist, Passage, Query

SAID = "[1:56 pm on 8 May, 2023] Ann: "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"{SAID}I ran yesterday, and swam last week.",
            f"{SAID}I ran yesterday (7 May 2023), and swam last week (the week before 8 May 2023).",
        ),
        (f"{SAID}I ran on 5 May 2023.", f"{SAID}I ran on 5 May 2023."),
        ("Ann: I ran yesterday.", "Ann: I ran yesterday."),  # nobody knows when
        (
            "[8 May 2023] Ann: yesterday\n[10 May 2023] Bob: yesterday",
            "[8 May 2023] Ann: yesterday (7 May 2023)\n[10 May 2023] Bob: yesterday (9 May 2023)",
        ),
    ],
)
def test_a_relative_date_is_followed_by_what_it_means(text: str, expected: str) -> None:
    assert with_dates(text) == expected


def chosen(*overrides: str) -> RunConfig:
    return run_config(compose_config(["method=bm25_messages", *overrides]))


def test_the_dated_rules_are_a_reader_that_anyone_can_choose() -> None:
    evidence = Evidence(passages=(Passage("m1", f"{SAID}I ran yesterday.", None, ("m1",)),))
    question = Query("q1", "h", 0, "When did Ann run?")
    dated = chosen("reader=extractive_dated")
    plain = chosen("reader=extractive", "reader.build.refusal_threshold=0.0")
    assert dated.build_reader().read(question, evidence).text == "7 May 2023"
    assert plain.build_reader().read(question, evidence).text == "8 May 2023"


@pytest.mark.app("small_model")
def test_the_dated_rules_are_the_rules_of_the_hybrid_reader() -> None:
    dated = chosen("reader=extractive_dated").resolved["reader"]["build"]
    hybrid = chosen("reader=hybrid", "llm=smollm2").resolved["reader"]["build"]
    assert dated == hybrid["rules"]


def test_gists_stay_as_the_memory_wrote_them() -> None:
    seen = []

    class Seeing:
        def read(self, query: Query, evidence: Evidence) -> Answer:
            seen.append(evidence)
            return Answer("")

    gist = Gist("g1", f"{SAID}I ran yesterday.", None, "s1", ("m1",))
    evidence = Evidence(gists=(gist,))
    ResolvingReader(reader=Seeing()).read(Query("q1", "h", 0, "When?"), evidence)
    assert seen == [evidence]
