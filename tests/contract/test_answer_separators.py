"""Readers, gold answers and scores agree on how the items of a list answer are separated.

A model that follows its prompt gets full marks on every question with several answers.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar, get_args

import pytest

from remem.config.conf_files import conf_folder
from remem.config.instantiation import instantiate_checked
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.metrics.qa import MARKS, join_answers
from remem.metrics.question_scores import QuestionScores, question_scores
from remem.protocols import ChatReply, ChatRequest
from remem.types import AnswerSeparator, Evidence, Gist, Question, Record, Usage

DATASETS = sorted(path.stem for path in (conf_folder() / "dataset").glob("*.yaml"))
READERS = ("direct", "tiser")
WITH_ITEMS = ("complex_tr", "generated_complex_tr")
WITH_LISTS = ("tot", "generated_tot", "locomo", "realtalk", "generated_dialogues")
SMALL = {
    "complex_tr": (
        "dataset.build.questions=excerpt_complex_tr_1000.json",
        "dataset.build.corpus=excerpt_corpus.json",
    ),
    "generated_tot": ("dataset.build.graphs_per_cell=1",),
    "generated_dialogues": ("dataset.build.conversations=2",),
}
GIVEN = Evidence(gists=(Gist("g1", "Both are told here.", None, "s1", ("m1",)),))
TOLD = re.compile(r"separated by (\w+)")
Parsed = TypeVar("Parsed")


class Obedient:
    """A model that answers with the given items, separated as its prompt asks for."""

    def __init__(self) -> None:
        self.items: tuple[str, ...] = ()
        self.told = ""

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        prompt = "".join(message.content for message in request.messages)
        (self.told,) = {*TOLD.findall(prompt)}  # questions of Test of Time say it too
        answer = {"commas": ", ", "semicolons": "; "}[self.told].join(self.items)
        text = f"<answer>{answer}</answer>" if "<answer>" in prompt else f"Answer: {answer}"
        return parse(ChatReply(text, (), truncated=False, usage=Usage())), Usage()


def composed(dataset: str, *more: str) -> RunConfig:
    small = SMALL.get(dataset, ())
    return run_config(compose_config([f"dataset={dataset}", "llm=loopback-stub", *small, *more]))


def questions(config: RunConfig) -> Iterator[Question]:
    try:
        benchmark = config.build_benchmark()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    for history in benchmark.histories():
        yield from benchmark.questions(history.id)


def answered(config: RunConfig, question: Question, items: tuple[str, ...]) -> QuestionScores:
    model = Obedient()
    model.items = items
    reader = instantiate_checked({**config.resolved["reader"]["build"], "chat_model": model})
    answer = reader.read(question.query, GIVEN).text
    query, gold = question.query, question.gold
    record = Record(query.id, query.history_id, query.index, query.text, gold, "ok", answer)
    convention = replace(config.score_convention(), multi_answer_gold="set")
    scores, in_order = (
        question_scores(record, item) for item in (convention, config.score_convention())
    )
    assert scores.value("em") == in_order.value("em")
    return scores


def test_every_dataset_has_a_separator_and_readers_are_told_it() -> None:
    for dataset in DATASETS:
        for reader in READERS if dataset == "locomo" else READERS[:1]:
            resolved = composed(dataset, f"reader={reader}").resolved
            separator = resolved["dataset"]["answer_separator"]
            assert separator in get_args(AnswerSeparator), dataset
            assert resolved["reader"]["build"]["answer_separator"] == separator, dataset


@pytest.mark.parametrize("dataset", WITH_ITEMS)
def test_an_obedient_reply_of_two_answers_has_full_marks(dataset: str) -> None:
    configs = [composed(dataset, f"reader={reader}") for reader in READERS]
    several = [item for item in questions(configs[0]) if len(item.gold.items) > 1]
    assert several
    for config, question in product(configs, several[:20]):
        scores = answered(config, question, question.gold.items)
        assert (
            scores.value("em"),
            scores.value("f1"),
            scores.value("bleu1"),
            scores.value("set_match"),
        ) == (1.0, 1.0, 1.0, 1.0)
        backwards = answered_backwards(config, question)
        assert backwards.value("set_match") == 1.0


def answered_backwards(config: RunConfig, question: Question) -> QuestionScores:
    gold = replace(
        question.gold,
        items=question.gold.items[::-1],
        answers=(join_answers(question.gold.items[::-1], question.gold.separator),),
    )
    return answered(config, replace(question, gold=gold), gold.items)


@pytest.mark.parametrize("dataset", WITH_LISTS)
def test_an_obedient_reply_to_a_gold_that_is_a_list_in_one_text_has_full_marks(
    dataset: str,
) -> None:
    configs = [composed(dataset, f"reader={reader}") for reader in READERS]
    separator = configs[0].resolved["dataset"]["answer_separator"]
    split = re.compile(rf"{MARKS[separator]}\s*(?=\D)")  # no comma of a date or of 1,000
    several = [
        (item, tuple(split.split(item.gold.answers[0])))
        for item in questions(configs[0])
        if item.gold.answerable and split.search(item.gold.answers[0])
    ]
    assert several
    for config, (question, items) in product(configs, several[:20]):
        scores: Any = answered(config, question, items)
        for name in {"f1", "em", "tot_em"} & {*config.scores}:
            assert scores.value(name) == 1.0, (name, question.gold.answers, items)


def test_an_unknown_separator_is_named_with_those_there_are() -> None:
    config = composed("complex_tr", "reader=direct", "dataset.answer_separator=bars")
    with pytest.raises(ValueError, match=r"'bars'; choose commas or semicolons"):
        instantiate_checked({**config.resolved["reader"]["build"], "chat_model": Obedient()})


def test_a_dataset_of_ones_own_that_names_none_has_commas() -> None:
    config = composed("locomo", "reader=direct", "~dataset.answer_separator")
    assert config.resolved["reader"]["build"]["answer_separator"] == "commas"
