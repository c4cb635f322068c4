"""For each role, our chat model asks the stub, and the role's parser accepts the reply."""

from collections.abc import Callable

import pytest

from remem.judge.llm_judge import LLMJudge
from remem.llm.chat_model import StoredChatModel
from remem.memory.llm_extractor import LLMExtractor
from remem.memory.llm_planner import OWN_KEYS, LLMPlanner
from remem.prompts.interaction import PROMPT
from remem.prompts.library import own_library
from remem.protocols import Reader
from remem.readers.dataset_prompt import DatasetPromptReader
from remem.readers.direct import DirectReader, TiserReader
from remem.readers.model_sentence import SentenceReader
from remem.serve.stub.stub import StubServer
from remem.time_scope import TimePoint
from remem.types import (
    REFUSAL_PHRASE,
    Episode,
    Evidence,
    Extraction,
    Fact,
    Gist,
    Message,
    Observation,
    Passage,
    Query,
    Step,
    ToolCall,
)

ModelOn = Callable[..., StoredChatModel]
Serving = Callable[..., StubServer]

OWN = own_library()
SAID = TimePoint(2022, 6, 14, 1100)
SESSION = Episode(
    "session_1",
    (
        Message("D1:1", "Ravi", "Hello Ines!", SAID),
        Message("D1:2", "Ines", "We scraped the hull of the Petrel last weekend.", SAID),
        Message("D1:3", "Ravi", "My pottery course starts next month.", SAID),
    ),
)
COURSE = "[14 June 2022] Ravi tells Ines: My pottery course starts next month (July 2022)."
HULL = (
    "[14 June 2022] Ines tells Ravi: We scraped the hull of the Petrel last weekend "
    "(11 June 2022 to 12 June 2022)."
)
GISTS = tuple(Gist(f"g{n}", text, None, "session_1", ()) for n, text in enumerate((HULL, COURSE)))
WHEN = Query("q1", "h1", 0, "When does the pottery course of Ravi start?")
UNKNOWN = Query("q2", "h1", 1, "Which zeppelin crossed Kyoto?")
TOOLS = ("semantic_retrieve", "lexical_retrieve", "find_gist_contexts", "find_entity_contexts")
OFFERED = (*TOOLS, "output_answer")

json_modes = pytest.mark.parametrize("json_mode", ["schema", "object", "text"])


def extract(
    model: StoredChatModel, episode: Episode, style: str = "chat", *, qualifiers: bool = False
) -> Extraction:
    return LLMExtractor(
        chat_model=model,
        prompts=OWN,
        gist_prompt=None if style == "temporal" else f"gist_extraction.{style}.v1",
        fact_prompt="temporal_facts.v1" if style == "temporal" else f"fact_extraction.{style}.v1",
        qualifiers=qualifiers,
        captions=False,
    ).extract(episode)


def planner(model: StoredChatModel, mode: str = "json", max_steps: int = 5) -> LLMPlanner:
    return LLMPlanner(
        chat_model=model,
        prompts=OWN,
        prompt="planner.v1",
        call_keys=OWN_KEYS,
        mode=mode,  # type: ignore[arg-type]  # of the parameters of a test
        max_steps=max_steps,
        items_shown=10,
        characters_shown=400,
    )


def direct(
    model: StoredChatModel, kind: type = DirectReader, prompt: str = "reader_direct.v1"
) -> Reader:
    reader: Reader = kind(
        chat_model=model,
        prompts=OWN,
        prompt=prompt,
        items_shown=10,
        characters_shown=400,
        answer_separator="commas",
    )
    return reader


@json_modes
def test_a_session_becomes_dated_gists_and_facts(
    stub: StubServer, model_on: ModelOn, json_mode: str
) -> None:
    found = extract(model_on(stub, json_mode=json_mode), SESSION)
    assert [gist.text for gist in found.gists] == [HULL, COURSE]
    assert [str(gist.time) for gist in found.gists] == ["2022-06-11/2022-06-12", "2022-07"]
    told = [(fact.subject, str(fact.time)) for fact in found.facts]
    assert told == [("Ines", "2022-06-11/2022-06-12"), ("Ravi", "2022-07")]
    assert all(item.source for item in (*found.gists, *found.facts))
    assert set(stub.counts.kinds) == {"gists", "facts"}


def test_a_text_becomes_its_sentences(stub: StubServer, model_on: ModelOn) -> None:
    text = "Hedda Brandt opened the Orlowick Tramway in 1903. It closed in May 1951."
    found = extract(model_on(stub), Episode("t", (Message("1", "", text),)), "text")
    assert [gist.text for gist in found.gists] == text.replace(". ", ".|").split("|")
    assert [str(fact.time) for fact in found.facts] == ["1903", "1951-05"]


@json_modes
def test_a_templated_statement_becomes_exactly_its_fact(
    stub: StubServer, model_on: ModelOn, json_mode: str
) -> None:
    statement = Message("1", "", "E1 was the R2 of E3 from 1990 to 1995.")
    found = extract(model_on(stub, json_mode=json_mode), Episode("t", (statement,)), "temporal")
    assert [fact.text for fact in found.facts] == ["E1 | R2 | E3 | from 1990 to 1995"]


def test_qualifiers_are_an_object_of_their_own_where_the_schema_has_them(
    stub: StubServer, model_on: ModelOn
) -> None:
    found = extract(model_on(stub), SESSION, qualifiers=True)
    assert [str(fact.time) for fact in found.facts] == ["2022-06-11/2022-06-12", "2022-07"]


def test_at_the_papers_size_a_session_gives_27_gists_and_28_facts(
    serving: Serving, model_on: ModelOn
) -> None:
    found = extract(model_on(serving(size="paper")), SESSION)
    assert (len(found.gists), len(found.facts)) == (27, 28)
    words = [len(gist.text.split()) for gist in found.gists]
    assert min(words) >= 20 and max(words) <= 30  # some 30 tokens


@pytest.mark.parametrize("mode", ["json", "tools"])
@json_modes
def test_the_planner_retrieves_explores_and_answers(
    stub: StubServer, model_on: ModelOn, mode: str, json_mode: str
) -> None:
    model, steps = model_on(stub, json_mode=json_mode), []
    for _ in range(3):
        call = planner(model, mode).next_call(WHEN.text, steps, OFFERED)
        steps.append(Step(call, Observation("Found 2 gists and 0 facts.", GISTS)))
    given = [{k: v for k, v in step.call.arguments.items() if v is not None} for step in steps]
    tools = ["semantic_retrieve", "find_gist_contexts", "output_answer"]
    assert [step.call.tool for step in steps] == tools
    assert given == [{"query": WHEN.text}, {"gist_id": "g0"}, {"answer": "July 2022"}]
    assert all(step.call.thought for step in steps)


def test_the_planner_keeps_to_what_is_offered_and_to_its_last_call(
    stub: StubServer, model_on: ModelOn
) -> None:
    model = model_on(stub)
    call = planner(model).next_call(WHEN.text, (), ("lexical_retrieve", "output_answer"))
    assert call.tool == "lexical_retrieve"
    last = planner(model, max_steps=1).next_call(WHEN.text, (), OFFERED)
    assert (last.tool, last.arguments) == ("output_answer", {"answer": REFUSAL_PHRASE})


def test_the_planner_follows_a_fact_where_there_is_no_gist(
    stub: StubServer, model_on: ModelOn
) -> None:
    fact = Fact("f3", "E1", "R2", "E3", None, "t", ())
    step = Step(ToolCall("semantic_retrieve", {"query": "E1"}), Observation("1", facts=(fact,)))
    call = planner(model_on(stub)).next_call("Of whom was E1 the R2?", (step,), OFFERED)
    assert (call.tool, call.arguments["subject"]) == ("find_entity_contexts", "E1")


def test_the_readers_answer_from_the_evidence_or_refuse(
    stub: StubServer, model_on: ModelOn
) -> None:
    model = model_on(stub)
    for reader in (direct(model), direct(model, TiserReader, "reader_tiser.v1")):
        assert reader.read(WHEN, Evidence(gists=GISTS)).text == "July 2022"
        assert reader.read(UNKNOWN, Evidence(gists=GISTS)).text == REFUSAL_PHRASE


def test_a_reader_that_asks_for_a_sentence_gets_one_or_a_refusal(
    stub: StubServer, model_on: ModelOn
) -> None:
    reader = SentenceReader(
        chat_model=model_on(stub),
        prompts=OWN,
        prompt="reader_sentence.v1",
        lines_shown=10,
        characters_shown=400,
        refusal_threshold=0.0,
        other_speaker_weight=0.3,
    )
    assert reader.read(WHEN, Evidence(gists=GISTS)).text == "It is July 2022."
    assert reader.read(UNKNOWN, Evidence(gists=GISTS)).text == REFUSAL_PHRASE


def test_an_answer_has_none_of_the_dates_before_a_line(stub: StubServer, model_on: ModelOn) -> None:
    step = Step(ToolCall("semantic_retrieve", {}), Observation("Found 2.", gists=GISTS))
    asked = Query("q", "h", 0, "What did Ines do at the hull of the Petrel?")
    answer = direct(model_on(stub)).read(asked, Evidence(gists=GISTS, steps=(step,))).text
    assert answer.startswith("scraped weekend")


def test_a_proposed_answer_and_a_count_are_taken_over(stub: StubServer, model_on: ModelOn) -> None:
    counted = Step(ToolCall("find_entity_contexts", {}), Observation("Counted 3.", count=3))
    many = Query("q", "h", 0, "How many zeppelins are there?")
    reader = direct(model_on(stub))
    assert reader.read(many, Evidence(steps=(counted,))).text == "3"
    proposed = Evidence(gists=GISTS, steps=(counted,), proposed_answer="in July")
    assert reader.read(WHEN, proposed).text == "in July"


@json_modes
def test_the_prompt_of_test_of_time_is_answered_with_an_entity(
    stub: StubServer, model_on: ModelOn, json_mode: str
) -> None:
    prompt = (
        "Here is a set of temporal facts:\nE1 was the R2 of E3 from 1990 to 1995.\n"
        "E4 was the R5 of E6 from 1990 to 1995.\n\nAnswer the following question. Output only a "
        'valid JSON string with two fields: "explanation" and "answer".\nQuestion:\n'
        "Which entity was the R5 of E6 in 1991?"
    )
    assert PROMPT.fullmatch(prompt)
    query = Query("q", "h", 0, "Which entity was the R5 of E6 in 1991?", prompt, ("1",))
    reader = DatasetPromptReader(
        chat_model=model_on(stub, json_mode=json_mode), items_shown=10, characters_shown=400
    )
    whole = Evidence(passages=(Passage("1", "facts", None, ("1",)),))
    assert reader.read(query, whole).text == "E4"


@json_modes
def test_the_judge_goes_by_the_words_that_are_shared(
    stub: StubServer, model_on: ModelOn, json_mode: str
) -> None:
    judge = LLMJudge(
        chat_model=model_on(stub, json_mode=json_mode),
        prompts=OWN,
        prompt="judge.v1",
        golds="together",
    )
    assert judge.judge("When?", ["7 May 2023"], "On 7 May 2023.")[0] is True
    assert judge.judge("Who?", ["Joost", "Bo"], "Bo Vos")[0] is True
    assert judge.judge("Who?", ["Joost"], "Ravi")[0] is False
    assert judge.judge("Who?", ["Joost"], "")[0] is False
