"""Count the replies of a call store that keep to the schema they were asked for, and those read.

    SHARED="llm=smollm2 method.build.episode_unit=message extractor=llm run.limit=60 run.health=warn
      dataset.build.conversations=1 dataset.build.sessions=3 dataset.build.questions_per_session=40
      paths.results=/tmp/plumbing"
    remem run $SHARED method=remem_i planner=llm
    remem run $SHARED method=remem_s method.build.top_k=3 reader=direct prompts=few_shot
    python scripts/plumbing.py /tmp/plumbing/cache/calls.sqlite

It exits with 1 where a reply does not keep to its schema, or was not read.
"""

import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from typing import Any

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def keeps_to(value: Any, schema: Mapping[str, Any]) -> bool:
    """Tell whether a value has the shape that the schemas of this project can state."""
    if "anyOf" in schema and not any(keeps_to(value, part) for part in schema["anyOf"]):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    named = schema.get("type", [])
    types = [named] if isinstance(named, str) else named
    if types and not any(isinstance(value, TYPES[name]) for name in types):
        return False
    if isinstance(value, str):
        return bool(len(value) <= schema.get("maxLength", len(value)))
    if isinstance(value, list):
        return all(keeps_to(item, schema.get("items", {})) for item in value)
    if isinstance(value, dict) and "properties" in schema:
        properties = schema["properties"]
        return set(value) == set(properties) and all(
            keeps_to(value[name], part) for name, part in properties.items()
        )
    return True


def is_valid(request: Mapping[str, Any], text: str) -> bool:
    """Tell whether a reply is JSON of the schema that was sent; one without a schema is."""
    schema = request.get("reply_alternatives") or request["reply_schema"]
    if schema is None:
        return True
    try:
        return keeps_to(json.loads(text), schema)
    except ValueError:
        return False


def main(store: str) -> int:
    """Print a line of figures for each stage."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT stage, outcome, request, text, completion_tokens FROM calls"
        )
        calls = rows.fetchall()
    failed = 0
    for stage in sorted({call[0] for call in calls}):
        of_stage = [call for call in calls if call[0] == stage]
        outcomes = Counter(call[1] for call in of_stage)
        valid = sum(is_valid(json.loads(call[2]), call[3]) for call in of_stage)
        unread = len(of_stage) - outcomes["ok"]
        tokens = sum(call[4] for call in of_stage)
        print(f"{stage}: calls {len(of_stage)}, valid {valid}, unread {unread}, tokens {tokens}")
        failed += unread + len(of_stage) - valid
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
