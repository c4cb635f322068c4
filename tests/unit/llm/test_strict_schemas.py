"""Every reply schema keeps the rules of OpenAI's strict mode, which json_mode=schema asks for.

The rules: the root is an object; an object requires all of its properties and allows no others; no
keyword but the supported ones; alternatives that are objects differ in their first key; at most 10
levels and 5000 properties (platform.openai.com/docs/guides/structured-outputs).
"""

import ast
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import remem
from remem.judge.beam_judge import EVENT_SCHEMA, RUBRIC_SCHEMA
from remem.judge.cue_judge import REPLY_SCHEMA as CUE_JUDGE
from remem.judge.llm_judge import REPLY_SCHEMA as JUDGE
from remem.memory.extraction_replies import FACTS_SCHEMA, GISTS_SCHEMA, QUALIFIED_FACTS_SCHEMA
from remem.memory.tool_arguments import TOOL_ARGUMENTS, reply_schema, tool_specs
from remem.readers.dataset_prompt import REPLY_SCHEMA as DATASET_PROMPT

Schema = dict[str, Any]

TOOLS = tuple(TOOL_ARGUMENTS)
SCHEMAS: dict[str, Schema] = {
    "gists": GISTS_SCHEMA,
    "facts": FACTS_SCHEMA,
    "facts with qualifiers": QUALIFIED_FACTS_SCHEMA,
    "judge": JUDGE,
    "judge of a cue": CUE_JUDGE,
    "grade of a rubric": RUBRIC_SCHEMA,
    "same event": EVENT_SCHEMA,
    "dataset prompt": DATASET_PROMPT,
    **{
        f"planner with {len(names)} tools: {'+'.join(names)}": reply_schema(tool_specs(names))
        for count in range(1, len(TOOLS) + 1)
        for names in combinations(TOOLS, count)
    },
}
KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum"}
KEYWORDS |= {"const", "description", "title", "minimum", "maximum", "pattern", "format"}
TYPES = {"string", "number", "integer", "boolean", "null", "object", "array"}


def parts(schema: Schema, level: int = 0) -> Iterator[tuple[int, Schema]]:
    yield level, schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for item in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from parts(item, level + 1)


def types(schema: Schema) -> list[str]:
    named = schema.get("type", [])
    return named if isinstance(named, list) else [named]


def test_every_reply_schema_is_strict() -> None:
    for schema in SCHEMAS.values():
        check_strict(schema)


def check_strict(schema: Schema) -> None:
    assert schema["type"] == "object"
    for level, part in parts(schema):
        assert level <= 10
        assert set(part) <= KEYWORDS
        assert set(types(part)) <= TYPES
        assert types(part) or "anyOf" in part
        if "object" in types(part):
            assert part["required"] == list(part["properties"])
            assert part["additionalProperties"] is False
        if "array" in types(part):
            assert "items" in part
        choices = [item for item in part.get("anyOf", []) if "properties" in item]
        assert len({next(iter(choice["properties"])) for choice in choices}) == len(choices)
    assert sum(len(part.get("properties", {})) for _, part in parts(schema)) <= 5000


def test_an_enum_allows_null_exactly_where_the_type_does() -> None:
    enums = [part for schema in SCHEMAS.values() for _, part in parts(schema) if "enum" in part]
    assert [None in part["enum"] for part in enums] == ["null" in types(part) for part in enums]


def test_every_role_that_asks_for_a_schema_is_here() -> None:
    sources = {
        path.stem: path.read_text(encoding="utf-8")
        for path in Path(remem.__file__).parent.rglob("*.py")
    }
    users = {
        name
        for name, source in sources.items()
        if "reply_schema" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "ChatRequest"
        and any(keyword.arg == "reply_schema" for keyword in node.keywords)
    }
    theirs = {"gateway_requests"}  # sends on the schemas of other programs, strict as they are
    judges = {"llm_judge", "cue_judge", "beam_judge", "official_judges"}
    assert users - theirs == {"llm_extractor", "llm_planner", "dataset_prompt"} | judges
