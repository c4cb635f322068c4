"""The reader that refuses."""

from remem.readers.extractive import AlwaysRefuse
from remem.types import Answer, Evidence, Passage, Query


def test_it_refuses_whatever_the_evidence_and_reads_no_token_of_it() -> None:
    evidence = Evidence(passages=(Passage("m", "The answer is 42.", None, ("m",)),))
    answer = AlwaysRefuse().read(Query("q", "h", 0, "What is the answer?"), evidence)
    assert answer == Answer("no information available", context_tokens=0)
