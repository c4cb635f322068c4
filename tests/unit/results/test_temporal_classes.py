"""Temporal classes by rules and by a model: the model's prompt, and the file of classes."""

import os
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from remem.benchmarks.locomo import LoCoMo
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import OtherServerError, RejectedReplyError, UnusableReplyError, UsageError
from remem.metrics.agreement import cohens_kappa
from remem.protocols import ChatReply
from remem.results.class_counts import Classified, count_category
from remem.results.temporal_classes import (
    REPLY_SCHEMA,
    class_by_model,
    class_by_rules,
    classes_file,
    classify_by_model,
    parse_class,
    read_classes,
    write_classes,
)
from remem.types import Usage

QUESTIONS = {
    "Did Ines own a dinghy in May 2021?": "existence_check",
    "Has Ola been to the lighthouse since 2019?": "existence_check",
    "When did Ines scrape the hull?": "event_timing",
    "In which month was the mast raised?": "event_timing",
    "Since when has Ola rowed?": "event_timing",
    "What did Ines repair on 3 June 2022?": "event_attributes",
    "Who won the regatta in Sept. 2020?": "event_attributes",
    "Which sail did Ravi mend two days before 4 July, 2021?": "event_attributes",
    "Where did Ola anchor during the storm?": "event_attributes",
    "Which club did Ola row for from 1990 to 1995?": "event_attributes",
    "What did Ines buy last weekend?": "event_attributes",
    "What did Ines do after the regatta?": "order",
    "What was Ola singing while the others were rowing?": "order",
    "Which boat was launched first, the Petrel or the Tern?": "order",
    "How long did the crossing take?": "duration",
    "How many weeks passed between the two repairs?": "duration",
    "How many times did Ines capsize in 2022?": "aggregation",
    "How many regattas has Ola won?": "aggregation",
    "Would Ines want to move inland soon?": "other",
    "Where does Ravi hide the spare key?": "non_temporal",
    "How many sisters does Ola have?": "non_temporal",
    "Who looks after the lighthouse?": "non_temporal",
    "May Ravi borrow the dinghy?": "non_temporal",
    "": "non_temporal",
}


@pytest.mark.parametrize(("question", "expected"), QUESTIONS.items())
def test_a_question_is_of_the_class_that_its_words_say(question: str, expected: str) -> None:
    assert class_by_rules(question) == expected
    assert class_by_rules(f"  {question.upper()}\n") == expected


@pytest.mark.real_data
def test_what_locomo_calls_a_question_of_time_is_one_of_the_temporal_classes() -> None:
    if "REMEM_DATA" not in os.environ:
        pytest.skip("REMEM_DATA is not set")
    benchmark = LoCoMo(data=os.environ["REMEM_DATA"], file="locomo10.json", evidence_rule="paper")
    asked = [
        question
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    ]
    told = Counter(
        (item.gold.category, class_by_rules(item.query.text) != "non_temporal") for item in asked
    )
    assert sum(told.values()) == 1986
    of_time = told["2", True] / (told["2", True] + told["2", False])
    single_hop = told["4", True] / (told["4", True] + told["4", False])
    assert of_time > 0.95 and single_hop < 0.5, (of_time, single_hop)


ASKED = {"q1": "How long was it?", "q2": "Who rowed?", "q3": "Who rowed?", "q4": "Odd?"}


@pytest.fixture
def config(tmp_path: Path, scripted_model: ModuleType) -> RunConfig:
    changes = [
        "run.packages=[scripted_model]",
        "llm.name=scripted",
        "+llm.build={_target_:scripted_model.Configured,repeat:0}",
        f"paths.results={tmp_path}",
    ]
    return run_config(compose_config(changes))


def test_a_reply_that_names_no_class_is_asked_for_again_and_then_an_error(
    scripted_model: ModuleType,
) -> None:
    model = scripted_model.ScriptedModel("order", '{"reason": "r", "temporal_class": "order"}')
    assert class_by_model(model, "What came after?") == "order"
    request = model.asked[0]
    assert (request.stage, request.reply_schema) == ("judge", REPLY_SCHEMA)
    assert request.messages[-1].content == "Question: What came after?"
    with pytest.raises(UnusableReplyError):
        class_by_model(scripted_model.ScriptedModel("order", "order"), "What came after?")


@pytest.mark.parametrize(
    "text",
    [
        '{"temporal_class": "causal"}',
        '{"temporal_class": ["order"]}',
        '{"temporal_class": "order"} or {"temporal_class": "other"}',
        "",
    ],
)
def test_a_class_that_is_none_of_the_eight_or_not_alone_is_rejected(text: str) -> None:
    with pytest.raises(RejectedReplyError, match="expected one of existence_check, event_timing"):
        parse_class(ChatReply(text, (), False, Usage()))


def test_equal_words_are_asked_once_and_what_has_no_reply_has_no_class(
    config: RunConfig, scripted_model: ModuleType
) -> None:
    def script(request: object, repeat: int) -> str:
        if "Odd?" in str(request):
            return "I cannot say"
        told = "duration" if "How long was it" in str(request) else "non_temporal"
        return f'{{"temporal_class": "{told}"}}'

    scripted_model.SCRIPTS.append(script)
    told = classify_by_model(config, ASKED)
    assert told == {"q1": "duration", "q2": "non_temporal", "q3": "non_temporal"}
    assert len(scripted_model.ASKED) == 3
    path = classes_file(config)
    write_classes(path, ASKED, told)
    assert read_classes(path, ASKED) == told
    assert "rowed" not in path.read_text()  # the words of a dataset stay where they are


def test_a_question_of_other_words_has_no_class_of_the_file(config: RunConfig) -> None:
    path = classes_file(config)
    assert read_classes(path, ASKED) == {}
    write_classes(path, ASKED, {"q1": "duration", "q2": "order"})
    assert read_classes(path, {**ASKED, "q2": "Who swam?"}) == {"q1": "duration"}
    path.write_text('{"query_id": "q1"}\n')
    with pytest.raises(ValueError, match="jsonl:1: not a class"):
        read_classes(path, ASKED)


def test_what_one_server_or_model_told_is_not_read_for_another(config: RunConfig) -> None:
    path = classes_file(config)
    write_classes(path, ASKED, {"q1": "duration"}, "http://fake/v1")
    assert read_classes(path, ASKED, "http://fake/v1") == read_classes(path, ASKED)
    with pytest.raises(OtherServerError, match="came from http://fake/v1, but this run asks"):
        read_classes(path, ASKED, "https://real/v1")
    plain = run_config(compose_config([]))
    assert classes_file(plain).name != path.name
    with pytest.raises(UsageError, match="llm=none cannot classify questions"):
        classify_by_model(plain, ASKED)


def test_the_agreement_of_rules_and_model_is_over_what_both_have_classified() -> None:
    found = Classified(
        {"q1": "order", "q2": "order", "q3": "other", "q4": "duration"},
        {"q1": "order", "q2": "other", "q3": "other"},
        "scripted",
        {},
    )
    # 2 of 3 agree; by chance (2 x 1 + 1 x 2) / 9 would: (2/3 - 4/9) / (1 - 4/9) = 0.4
    assert found.describe_agreement() == (
        "rules and scripted agree on 2 of 3 questions, Cohen's kappa 0.400"
    )
    assert Classified(found.by_rules, {}, "none", {}).describe_agreement() == ""
    assert cohens_kappa(["a", "a"], ["a", "a"]) is None
    assert [
        count_category(found.by_rules, item) for item in ("when", "when_not", "when:order")
    ] == [4, 0, 2]
