"""The paper's numbers stand beside a run of the same memory and dataset."""

import pytest

from remem.reports.html.paper_comparison import NO_MODEL, NO_ROW, beside_the_paper
from remem.results.run import Run
from remem.types import Gold, Record

RECORDS = [Record("q", "h", 0, "What?", Gold(("red",), "2"), "ok", answer="red")]
LOCOMO = ("dataset=locomo", "method=remem_i")
WITH_LLM = ("extractor=llm", "planner=llm", "reader=direct")


def lines(folder):
    return {(item.category, item.metric): item for item in beside_the_paper(Run.open(folder))}


def test_a_run_without_a_model_is_labelled_as_no_comparison(make_run) -> None:
    found = lines(make_run(RECORDS, *LOCOMO))
    # Table 9 of the paper: REMem-I has F1 37.9 on its Single-Hop, which is our category 2
    line = found["2 when: Single-Hop (321)", "F1"]
    assert (line.paper, line.row, line.delta, line.said) == ("37.9", "REMem-I", None, NO_MODEL)
    assert line.ours is not None and line.ours.mean == 100.0
    assert {item.delta for item in found.values()} == {None}


def test_a_category_without_a_question_has_no_number_of_ours(make_run) -> None:
    line = lines(make_run(RECORDS, *LOCOMO))["1 multi-hop: Multi-Hop (282)", "F1"]
    assert line.ours is None and line.paper == "32.6"


def test_a_stub_is_no_row_of_the_paper(make_run) -> None:
    found = lines(make_run(RECORDS, *LOCOMO, *WITH_LLM, "llm=loopback-stub"))
    assert {item.said for item in found.values()} == {NO_ROW}


def test_a_run_with_a_model_has_delta_and_verdict(make_run) -> None:
    found = lines(make_run(RECORDS, *LOCOMO, *WITH_LLM, "llm=gpt-4.1-mini-2025-04-14"))
    line = found["2 when: Single-Hop (321)", "F1"]
    assert line.delta == pytest.approx(62.1)  # 100.0 - 37.9
    assert line.said == "incomplete (1/321 questions)"


def test_an_embedder_of_the_papers_second_row_is_compared_with_that(make_run) -> None:
    memory = ("dataset=locomo", "method=embedding_messages", "embedder=qwen3_embedding_8b")
    found = lines(make_run(RECORDS, *memory))
    assert found["2 when: Single-Hop (321)", "F1"].paper == "24.8"  # Table 9, Qwen3-Embed-8B


def test_a_served_encoder_of_the_papers_second_row_is_compared_with_that_too(make_run) -> None:
    served = ("embedder=served", "embedder.build.embedder.model=qwen3_embedding_8b")
    found = lines(make_run(RECORDS, "dataset=locomo", "method=embedding_messages", *served))
    assert found["2 when: Single-Hop (321)", "F1"].paper == "24.8"


def test_generated_data_have_nothing_beside_them(make_run) -> None:
    assert lines(make_run(RECORDS, "dataset=generated_tot", "method=remem_i")) == {}
