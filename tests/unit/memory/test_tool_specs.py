"""What a model is told of the tools is what the tools check."""

from remem.memory.tool_arguments import TOOL_ARGUMENTS
from remem.memory.tool_specs import describe, reply_alternatives, reply_schema, tool_specs

SPECS = tool_specs(tuple(TOOL_ARGUMENTS))


def test_every_argument_of_every_tool_is_told_of_and_explained():
    for spec in SPECS:
        fields = TOOL_ARGUMENTS[spec.name].model_fields
        assert spec.description
        assert set(spec.parameters["properties"]) == set(fields)
        assert spec.parameters["required"] == [
            name for name, field in fields.items() if field.is_required()
        ]
        assert all(shown["description"] for shown in spec.parameters["properties"].values())
        assert all(
            isinstance(shown["type"], str) for shown in spec.parameters["properties"].values()
        )


def test_arguments_of_one_name_mean_the_same_in_every_tool():
    told = {}
    for spec in SPECS:
        for name, argument in spec.parameters["properties"].items():
            assert told.setdefault(name, argument) == argument


def test_only_the_offered_tools_are_described():
    text = describe(tool_specs(("lexical_retrieve", "output_answer")))
    assert "- lexical_retrieve(query, start_time?, end_time?, " in text
    assert "- start_operator: how the start compares with start_time (lt or le" in text
    assert "ge if left out" in text
    assert "semantic_retrieve" not in text
    assert "gist_id" not in text


def test_a_strict_endpoint_can_take_the_schema_of_a_reply():
    schema = reply_schema(SPECS)
    assert schema["properties"]["tool"]["enum"] == list(TOOL_ARGUMENTS)
    shapes = schema["properties"]["arguments"]["anyOf"]
    firsts = [next(iter(shape["properties"])) for shape in shapes]
    assert len(set(firsts)) == len(firsts)
    for shape in (schema, *shapes):
        assert shape["required"] == list(shape["properties"])
        assert shape["additionalProperties"] is False
        assert not any({"default", "minimum"} & set(item) for item in shape["properties"].values())


def test_an_argument_that_may_be_left_out_may_be_null_in_a_strict_reply():
    shapes = reply_schema(tool_specs(("find_entity_contexts",)))["properties"]["arguments"]["anyOf"]
    assert shapes[0]["properties"]["limit"] == {"type": ["integer", "null"]}
    assert shapes[0]["properties"]["ordering"]["enum"] == ["asc", "desc", None]


def test_an_alternative_pairs_a_tool_with_its_own_arguments_and_its_texts_have_an_end():
    keys = {"thought": "thought", "tool": "tool", "arguments": "arguments"}
    shapes = reply_alternatives(SPECS, **keys)["anyOf"]
    assert len(shapes) == len(TOOL_ARGUMENTS)
    for shape in shapes:
        (name,) = shape["properties"]["tool"]["enum"]
        arguments = shape["properties"]["arguments"]["properties"]
        assert set(arguments) == set(TOOL_ARGUMENTS[name].model_fields)
        texts = [*arguments.values(), shape["properties"]["thought"]]
        assert all(
            text["maxLength"] > 0
            for text in texts
            if "string" in text["type"] and "enum" not in text
        )
