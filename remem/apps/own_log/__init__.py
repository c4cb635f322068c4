"""Your own log: a memory of your chat or diary, and benchmarks made from it."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "log": {
        "init": "Create a small benchmark for you to edit: log, questions, dataset, table.",
        "ask": "Ask a memory of your own logs; --add creates it or adds new messages.",
        "chat": "Ask questions about a log, one after another; Ctrl-D quits.",
        "table": "Make a table of four memories of your own log, with your own questions.",
    },
}
