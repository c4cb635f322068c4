"""Run the symbolic planner alone in a process: it gets all its information through a pipe.

Each input line is {"query", "steps", "tools"}, each output line a tool call. When the input ends,
the process reports which fields it was given and which modules of remem it has loaded.
"""

import json
import sys

from pydantic import TypeAdapter

from remem.memory.planners import SymbolicPlanner
from remem.types import Step, ToolCall

STEPS = TypeAdapter(tuple[Step, ...])
CALL = TypeAdapter(ToolCall)


def main() -> None:
    fields: set[str] = set()
    for line in sys.stdin:
        told = json.loads(line)
        fields |= told.keys()
        steps = STEPS.validate_python(told["steps"])
        call = SymbolicPlanner().next_call(told["query"], steps, told["tools"])
        sys.stdout.write(CALL.dump_json(call).decode() + "\n")
        sys.stdout.flush()
    loaded = sorted(name for name in sys.modules if name.startswith("remem"))
    sys.stdout.write(json.dumps({"fields": sorted(fields), "modules": loaded}) + "\n")


if __name__ == "__main__":
    main()
