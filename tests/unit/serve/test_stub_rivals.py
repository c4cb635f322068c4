"""The stub's replies to the rivals' prompts have the keys and ids that the rivals read.

The rivals are Mem0, Graphiti, HippoRAG 2, LangMem, LightRAG and SimpleMem. The prompts here have
the characteristic parts of theirs, in our own words.
"""

import json
from typing import Any

import pytest

from remem.serve.chat_completions import ChatCompletionRequest
from remem.serve.stub.replies import stub_reply

MESSAGE = "user: Caroline: I went to a support group yesterday. Hi!\n"


def reply(*messages: str, **shape: Any) -> tuple[str, str]:
    roles = ["system", "user"][-len(messages) :]
    listed = [{"role": r, "content": m} for r, m in zip(roles, messages, strict=True)]
    request = {"model": "loopback-stub", "messages": listed} | shape
    found = stub_reply(ChatCompletionRequest.model_validate(request), "plain")
    return found.kind, found.text


OBJECT = {"response_format": {"type": "json_object"}}
ANY = {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}}
shapes = pytest.mark.parametrize("shape", [OBJECT, ANY, {}], ids=["object", "any", "text"])


@shapes
def test_mem0_is_given_facts_of_its_message(shape: dict[str, Any]) -> None:
    kind, text = reply('Return JSON with a key "facts" and a list.', f"Input:\n{MESSAGE}", **shape)
    assert kind == "mem0_facts"
    assert json.loads(text) == {"facts": ["Caroline: I went to a support group yesterday."]}


@shapes
def test_mem0_adds_what_is_new_and_leaves_what_it_has(shape: dict[str, Any]) -> None:
    asked = (
        "Below is the memory:\n    ```\n    [{'id': '0', 'text': \"Ann's dog is Rex\"}]\n    ```\n"
        "The new facts:\n\n    ```\n    [\"Ann's dog is Rex\", 'Ann moved']\n    ```\n"
        'Return {"memory": [{"id": "", "text": "", "event": "ADD"}]}'
    )
    kind, text = reply(asked, **shape)
    assert kind == "mem0_events"
    assert json.loads(text)["memory"] == [
        {"id": "0", "text": "Ann's dog is Rex", "event": "NONE"},
        {"id": "2", "text": "Ann moved", "event": "ADD"},
    ]


@shapes
def test_mem0_2_is_given_memories_of_its_new_messages_alone(shape: dict[str, Any]) -> None:
    asked = (
        "## Existing Memories\n[]\n\n## New Messages\n"
        f"{MESSAGE}\n## Observation Date\n2023-05-08\n\n# Output:"
    )
    kind, text = reply('Give each memory an "attributed_to".', asked, **shape)
    assert kind == "mem0_facts"
    (memory,) = json.loads(text)["memory"]
    assert memory["text"] == "Caroline: I went to a support group yesterday."


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def listed(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties}}


def called(
    tools: list[dict[str, Any]], text: str, choice: str = "auto", system: str = "Call."
) -> list[tuple[str, Any]]:
    listed = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    request = {"model": "m", "messages": listed, "tools": tools, "tool_choice": choice}
    found = stub_reply(ChatCompletionRequest.model_validate(request), "plain")
    return [(name, json.loads(arguments)) for name, arguments in found.calls]


def test_the_tools_of_mem0s_graph_are_called_with_names_of_the_text() -> None:
    text = {"type": "string"}
    entity = tool("extract_entities", entities=listed(entity=text, entity_type=text))
    found = called([entity], "Caroline met Mel in Rome.", "auto")
    entities = [{"entity": name, "entity_type": "thing"} for name in ("Caroline", "Mel", "Rome")]
    assert found == [("extract_entities", {"entities": entities})]
    ends = {"source": text, "relationship": text, "destination": text}
    relation = tool("establish_relationships", entities=listed(**ends))
    (found_relation,) = called([relation, tool("noop")], "Text: Caroline met Mel.", "required")
    expected = {"source": "Caroline", "relationship": "speaks_of", "destination": "Mel"}
    assert found_relation[1]["entities"][-1] == expected


def test_nothing_is_ever_deleted_unless_nothing_else_may_be_called() -> None:
    deleting = tool("delete_graph_memory", source={"type": "string"})
    assert called([deleting], "Ann left Rome.", "auto") == []
    assert called([deleting, tool("noop")], "Ann left Rome.", "required") == [("noop", {})]
    assert called([deleting], "Ann left Rome.", "required") == [
        ("delete_graph_memory", {"source": "Ann"})
    ]


def schema(wanted: str, /, **properties: Any) -> dict[str, Any]:
    part = {"type": "object", "properties": properties}
    items = {"type": "array", "items": {"$ref": "#/$defs/Part"}}
    return {"$defs": {"Part": part}, "type": "object", "properties": {wanted: items}}


INTEGER, STRING = {"type": "integer"}, {"type": "string"}
ENTITIES = schema("extracted_entities", name=STRING, entity_type_id=INTEGER)
EDGES = schema(
    "edges",
    relation_type=STRING,
    source_entity_id=INTEGER,
    target_entity_id=INTEGER,
    fact=STRING,
    valid_at={"anyOf": [STRING, {"type": "null"}]},
)
RESOLUTIONS = schema(
    "entity_resolutions",
    id=INTEGER,
    duplicate_idx=INTEGER,
    name=STRING,
    duplicates={"type": "array", "items": INTEGER},
)
PROMPT = (
    "<REFERENCE_TIME>\n2023-05-08 13:56:00+00:00 # ISO 8601\n</REFERENCE_TIME>\n"
    "<CURRENT MESSAGE>\nAnn: I met Bo in Rome.\n</CURRENT MESSAGE>\n<ENTITIES>\n"
    '[{"id": 0, "name": "Ann"}, {"id": 1, "name": "Bo"}, {"id": 2, "name": "Rome"}]\n</ENTITIES>'
)


def graphiti(wanted: dict[str, Any], way: str, prompt: str = PROMPT) -> Any:
    if way == "sent":
        shape = {"type": "json_schema", "json_schema": {"name": "x", "schema": wanted}}
        return json.loads(reply("You extract.", prompt, response_format=shape)[1])
    follows = f"\n\nRespond with a JSON object in the following format:\n\n{json.dumps(wanted)}"
    shape = OBJECT if way == "object" else ANY
    return json.loads(reply("You extract.", prompt + follows, **shape)[1])


ways = pytest.mark.parametrize("way", ["sent", "object", "any"])


@ways
def test_graphiti_is_given_entities_edges_between_them_and_resolutions(way: str) -> None:
    entities = graphiti(ENTITIES, way)["extracted_entities"]
    assert entities == [{"name": name, "entity_type_id": 0} for name in ("Ann", "Bo", "Rome")]
    edges = graphiti(EDGES, way)["edges"]
    (told,) = edges
    assert (told["source_entity_id"], told["target_entity_id"]) == (0, 1)
    assert (told["fact"], told["valid_at"]) == ("Ann: I met Bo in Rome.", "2023-05-08T13:56:00Z")
    assert all(set(EDGES["$defs"]["Part"]["properties"]) <= set(edge) for edge in edges)
    assert graphiti(RESOLUTIONS, way)["entity_resolutions"] == [
        {"id": number, "duplicate_idx": -1, "name": name, "duplicates": []}
        for number, name in enumerate(("Ann", "Bo", "Rome"))
    ]


def test_a_list_of_entities_may_be_one_that_python_printed() -> None:
    printed = PROMPT.replace('"', "'").replace("'Bo'", '"Bo\'s"')
    edges = graphiti(EDGES, "sent", printed)["edges"]
    assert [(edge["source_entity_id"], edge["target_entity_id"]) for edge in edges] == [(0, 2)]


def test_the_edges_of_a_session_are_the_sentences_that_say_most_in_their_order() -> None:
    stub_reply = [f"I painted harbour wall number {number}, and more." for number in range(24)]
    told = "\n".join(["Ann: Hi!", *(f"Bo: {sentence}" for sentence in stub_reply), "Ann: Bye!"])
    edges = graphiti(EDGES, "sent", PROMPT.replace("Ann: I met Bo in Rome.", told))["edges"]
    assert [edge["fact"] for edge in edges] == [f"Bo: {sentence}" for sentence in stub_reply[:20]]
    ends = {(edge["source_entity_id"], edge["target_entity_id"]) for edge in edges}
    assert ends == {(1, 0)}


def test_newer_graphiti_names_the_ends_of_an_edge() -> None:
    ends = ("relation_type", "source_entity_name", "target_entity_name", "fact")
    wanted = schema("edges", **dict.fromkeys(ends, STRING))
    first = graphiti(wanted, "sent")["edges"][0]
    assert (first["source_entity_name"], first["target_entity_name"]) == ("Ann", "Bo")
    assert "source_entity_id" not in first


@ways
def test_other_schemas_of_graphiti_are_filled(way: str) -> None:
    keys = {"duplicate_facts": {"type": "array", "items": INTEGER}, "fact_type": STRING}
    edge = {"type": "object", "properties": keys}
    assert graphiti(edge, way) == {"duplicate_facts": [], "fact_type": "DEFAULT"}
    summary = {"type": "object", "properties": {"summary": STRING}}
    assert graphiti(summary, way)["summary"]


@shapes
def test_hipporag_is_given_entities_then_triples_of_them(shape: dict[str, Any]) -> None:
    kind, text = reply('Reply as {"named_entities": []}.', "Ann Li met Bo in Rome.", **shape)
    assert (kind, json.loads(text)) == ("entities", {"named_entities": ["Ann Li", "Bo", "Rome"]})
    passage = f"```\nAnn Li met Bo in Rome.\n```\n\n{text}"
    kind, text = reply('Use named_entities; reply as {"triples": []}.', passage, **shape)
    assert (kind, json.loads(text)["triples"]) == (
        "triples",
        [["Ann Li", "Ann Li met", "Bo"], ["Bo", "Ann Li met", "Rome"]],
    )


@shapes
def test_hipporag_keeps_facts_that_share_words_with_the_question(shape: dict[str, Any]) -> None:
    facts = '{"fact": [["bo", "lives in", "oslo"], ["ann", "met", "bo"], ["ann", "has", "cat"]]}'
    fields = (
        f"[[ ## question ## ]]\nWhom did Ann meet?\n\n[[ ## fact_before_filter ## ]]\n{facts}\n\n"
        "Respond with the field [[ ## fact_after_filter ## ]]."
    )
    kind, text = reply("Fields: fact_before_filter, fact_after_filter.", fields, **shape)
    marked, _, kept = text.partition("\n")
    assert (kind, marked) == ("filter", "[[ ## fact_after_filter ## ]]")
    expected = {"fact": [["ann", "met", "bo"], ["ann", "has", "cat"]]}
    assert json.loads(kept.partition("\n\n")[0]) == expected
    ours = f"Question: Whom did Ann meet?\n\n{facts}"
    assert json.loads(reply('Reply as {"fact": [["s", "p", "o"]]}', ours, **shape)[1]) == expected


def test_langmem_is_given_what_no_memory_says_yet() -> None:
    memory = tool("Memory", content={"type": "string"})
    session = (
        "Keep what matters.\n\n<session_1-a>\n==== Human Message ====\n\n"
        "Date: 8 May 2023\nAnn: I sold the old boat. Hi!\nBob: Rome was sunny.\n</session_1-a>"
    )
    (call,) = called([memory], session.replace("Bob: Rome was sunny.\n", ""))
    assert call == ("Memory", {"content": "Ann: I sold the old boat."})
    shown = "<instance id=1>\n{'content': 'Ann: I sold the old boat.'}\n</instance>"
    (call,) = called([memory], session, system=shown)
    assert call == ("Memory", {"content": "Bob: Rome was sunny."})


def test_lightrag_is_given_names_and_pairs_of_names_that_stand_together() -> None:
    system = "Write rows with <|#|> between their parts."
    text = "Date: 8 May 2023\nAnn: Caroline met Mel. Mel rested."
    kind, rows = reply(system, f"---Input Text---\n```\n{text}\n```")
    assert kind == "lightrag_rows"
    assert [row.split("<|#|>")[:3] for row in rows.splitlines()] == [
        ["entity", "Ann", "Other"],
        ["entity", "Caroline", "Other"],
        ["entity", "Mel", "Other"],
        ["relation", "Ann", "Caroline"],
        ["relation", "Caroline", "Mel"],
        ["<|COMPLETE|>"],
    ]
    assert rows.count("Ann: Caroline met Mel.") == 5
    assert reply(system, "Go on.")[1] == "<|COMPLETE|>"


def test_lightrag_is_given_the_words_of_its_question() -> None:
    asked = 'Reply {"high_level_keywords": [], "low_level_keywords": []}\nUser Query: '
    kind, text = reply(f"{asked}Who did Caroline meet in Rome?\n\nOutput:")
    assert kind == "lightrag_keywords"
    words = {"high_level_keywords": ["meet"], "low_level_keywords": ["Caroline", "Rome"]}
    assert json.loads(text) == words


def test_simplemem_is_given_an_entry_for_each_message_of_its_window_with_its_time() -> None:
    window = "[2023-05-08T13:56] Ann: I sold the old boat. Hi!\n[2023-05-08T13:56] Bob: Wow!"
    asked = (
        f"[Current Window Dialogues]\n{window}\nuser: E1 was the R1 of E2.\n\n[Requirements]\n"
        'Return [{"lossless_restatement": "", "keywords": []}]\n[Example]\nAnn: We met in Oslo.'
    )
    kind, text = reply(asked)
    assert kind == "simplemem_entries"
    told = [(entry["timestamp"], entry["lossless_restatement"]) for entry in json.loads(text)]
    assert told == [
        ("2023-05-08T13:56", "Ann: I sold the old boat. Hi!"),
        (None, "user: E1 was the R1 of E2."),
    ]


def test_simplemem_is_given_a_plan_searches_and_that_what_it_found_is_enough() -> None:
    question = "Question: Who met Caroline?\n\n"
    plan = json.loads(reply(f'{question}Return {{"minimal_queries_needed": 2}}')[1])
    assert [need["description"] for need in plan["required_info"]] == ["Who met Caroline?"]
    asked = f'Original {question}Information Requirements Analysis:\n\nReturn {{"queries": []}}'
    assert json.loads(reply(asked)[1])["queries"] == ["Who met Caroline?", "met Caroline"]
    complete = json.loads(reply(f'Original {question}Return {{"coverage_percentage": 85}}')[1])
    assert complete["assessment"] == "complete"
