"""Your own log: a memory of your chat or diary, and benchmarks made from it."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "log": {
        "init": "Write a small benchmark of your own to edit: log, questions, dataset, table.",
        "ask": "Ask a memory of your own logs; --add creates it or adds new messages.",
        "chat": "Ask one question after the other about a log; Ctrl-D ends.",
        "table": "Make a table of four memories of your own log, with your own questions.",
    },
}
