"""Fuzz targets: the readers of users' own logs and questions."""

from random import Random

from fuzzing.data_targets import all_of, document, write
from fuzzing.harness import Target
from fuzzing.mutation import (
    FRAGMENTS,
    STRINGS,
    changed_bytes,
    changed_document,
    changed_text,
    long_text,
)

from remem.apps.own_log.logs.benchmark import OwnLog
from remem.apps.own_log.logs.log import numbered
from remem.apps.own_log.logs.reading import read_log

LOG = [
    {"role": "user", "content": "I moved to Kres.", "date": "2023-05-08T13:56", "session": "1"},
    {"speaker": "Ann", "text": "Yesterday I rowed.", "timestamp": 1683554160},
    {"author": "Bob", "text": "Fine.", "time": "8 May 2023, 1:56 pm"},
]
PLAIN_LOG = "Date: 8 May 2023, 1:56 pm\nAnn: We moved.\nBob: Fine.\n\n2023-05-09\nA statement.\n"
WHATSAPP = (
    "\u200e[13.02.24, 18:05:33] Hike: \u200eMessages are encrypted.\n13/02/2024, 18:06 - Ann: Hi\n"
    "more\n2/14/24, 6:05\u202fPM - ~\u202fBob: <Media omitted>\n"
)
MARKDOWN = (
    "# 2024\n## Sunday, 4 February 2024\nIt rained.\n- milk\n### Feb 6, 2024 - Rome\n**Ann:** Hi\n"
)
EXPORTS = (
    [
        {
            "mapping": {
                "a": {"parent": None, "children": ["b"], "message": None},
                "b": {
                    "parent": "a",
                    "children": [],
                    "message": {
                        "author": {"role": "user"},
                        "create_time": 1.7e9,
                        "content": {"content_type": "text", "parts": ["Hi", {"text": "x"}]},
                    },
                },
            }
        }
    ],
    [
        {
            "chat_messages": [
                {
                    "sender": "human",
                    "text": "Hi",
                    "created_at": "2024-02-04T18:05:33Z",
                    "attachments": [{"file_name": "a", "extracted_content": "b"}],
                }
            ]
        }
    ],
    [
        {
            "type": "message",
            "user": "U1",
            "text": "<@U2> hi",
            "ts": "1707069933.0001",
            "files": [],
            "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "more"}}],
        }
    ],
    {
        "messages": [
            {
                "date": "2024-02-04T18:05:33",
                "from": "Ann",
                "from_id": "user1",
                "text": ["a", {"type": "bold", "text": "b"}],
                "poll": {"question": "?", "answers": []},
            }
        ]
    },
    {
        "guild": {"name": "Our server"},
        "messages": [
            {
                "id": "1",
                "author": {"nickname": "Ann"},
                "timestamp": "2024-02-04T18:05:33",
                "content": "Hi",
                "embeds": [{"title": "News", "fields": [{"name": "a", "value": "b"}]}],
                "reference": {"messageId": "1"},
            }
        ],
    },
    {
        "title": "Zo\u00c3\u00ab",
        "messages": [
            {
                "sender_name": "Ann",
                "timestamp_ms": 1707069933000,
                "content": "Hi",
                "photos": [{"uri": "a/b.jpg"}],
                "share": {"link": "https://x.org", "share_text": "Look here"},
            }
        ],
    },
)
PAGE = (
    '<div class="message default clearfix"><div class="body"><div class="pull_right date details" '
    'title="04.02.2024 18:05:33 UTC+01:00">18:05</div><div class="from_name">Ann</div>'
    '<div class="text">Hi<br>all &amp; more</div></div></div>'
)
QUESTIONS = [{"question": "Who?", "answer": "Ann", "evidence": [1], "category": "x"}]


def _log(rng: Random) -> tuple[str, bytes, bytes]:
    """Return the name of a log, its content, and the file of the questions on it."""
    asked = b"\n".join(
        changed_document(rng, question).replace(b"\n", b" ") for question in QUESTIONS
    )
    kind = rng.randrange(4)
    if kind == 0:
        log = rng.choice((LOG, {"messages": LOG}, *EXPORTS))
        return "log.json", document(log)(rng), asked
    if kind == 1:
        lines = (document(item)(rng).replace(b"\n", b" ") for item in LOG)
        return "log.jsonl", b"\n".join(lines), asked
    name, known = rng.choice(
        (("a.txt", PLAIN_LOG), ("b.txt", WHATSAPP), ("c.md", MARKDOWN), ("d.html", PAGE))
    )
    text = rng.choice((changed_text(rng, known, 6), long_text(rng, (*FRAGMENTS, *STRINGS))))
    content = text.encode("utf-8", "surrogatepass" if rng.random() < 0.1 else "replace")
    return name, changed_bytes(rng, content) if rng.random() < 0.2 else content, asked


def read_own_log(given: tuple[str, bytes, bytes]) -> int:
    name, content, asked = given
    log, questions = write(name, content), write("questions.jsonl", asked)
    return len(numbered(read_log(log).messages)) + all_of(
        OwnLog(log=str(log), questions=str(questions))
    )


TARGETS = (Target("data: own log", _log, read_own_log),)
