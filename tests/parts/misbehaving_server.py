"""A loopback server that answers each question in its own way, most of them unusual.

The number of a question, modulo the number of ways, determines the way.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from typing import Any

MODEL = "local-model"
PROMPT_TOKENS, COMPLETION_TOKENS = 2_000, 10


@dataclass(frozen=True, slots=True)
class Place:
    """A person's city, and a wrong city that a misread reply would give."""

    name: str
    city: str
    wrong: str

    def fill(self, text: str) -> str:
        """Return the text with the names of the cities filled in."""
        return text.replace("RIGHT", self.city).replace("WRONG", self.wrong)


@dataclass(frozen=True, slots=True)
class Sent:
    """A response; RIGHT and WRONG stand for the cities of the question."""

    content: str
    status: int = 200

    @property
    def is_completion(self) -> bool:
        """Return whether the response is a completion, whatever its text."""
        try:
            return "choices" in json.loads(self.content.lstrip("\ufeff"))
        except ValueError:
            return False


@dataclass(frozen=True, slots=True)
class Way:
    """What a server sends at the first request for a question, and at the later ones."""

    name: str
    first: Sent
    later: Sent | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A response that is sent once, as soon as `answered` questions have right answers."""

    answered: int
    response: Sent


def completion(content: Any = "Thought: easy.\nAnswer: RIGHT", **changes: Any) -> Sent:
    """Return a completion with changed fields, also in its message and its choice."""
    message = {"role": "assistant", "content": content} | changes.pop("message", {})
    choice = {"index": 0, "message": message, "finish_reason": changes.pop("ending", "stop")}
    usage = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS}
    whole = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [choice] * changes.pop("times", 1),
        "usage": usage,
    }
    fields = {name: value for name, value in (whole | changes).items() if value != "left out"}
    return Sent(json.dumps(fields))


def refusal(status: int, message: str, **fields: str) -> Sent:
    """Return an error in the format of OpenAI's servers."""
    return Sent(json.dumps({"error": {"message": message} | fields}), status)


GUESS = "Perhaps it is this.\nAnswer: WRONG"
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": GUESS}]}
RIGHT = completion()
READ = (
    Way(
        "harmony",
        completion(
            f"<|channel|>analysis<|message|>{GUESS}<|end|><|start|>assistant"
            "<|channel|>final<|message|>Answer: RIGHT<|return|>"
        ),
    ),
    Way("think tags", completion(f"<think>{GUESS}</think>\nAnswer: RIGHT")),
    Way("THINK marks", completion(f"[THINK]{GUESS}[/THINK]RIGHT")),
    Way("think without its beginning", completion(f"{GUESS}\n</think>\n\nAnswer: RIGHT")),
    Way("parts", completion([THOUGHT, {"type": "text", "text": "Answer: "}, {"text": "RIGHT"}])),
    Way("box tokens", completion("Answer: <|begin_of_box|>RIGHT<|end_of_box|>")),
    Way("boxed", completion("WRONG is another city.\n\n$$\\boxed{\\text{RIGHT}}$$")),
    Way("harmony without marks", completion(f"analysis{GUESS}assistantfinalAnswer: RIGHT")),
    Way("STOP", completion(ending="STOP")),
    Way("eos_token", completion(ending="eos_token")),
    Way("end_turn", completion(ending="end_turn")),
    Way("usage null", completion(usage=None)),
    Way("no usage", completion(usage="left out")),
    Way("another model", completion(model="tiny-model")),
    Way("a snapshot", completion(model=f"{MODEL}-2026-05-03")),
    Way("a small letter", completion("thought: WRONG is old.\nanswer: RIGHT")),
    Way("JSON", completion('```json\n{"thought": "not WRONG", "answer": "RIGHT"}\n```')),
    Way(
        "end tokens",
        completion("Answer: RIGHT<|im_end|>\n<|im_start|>user\nAnswer: WRONG<|im_end|>"),
    ),
    Way("thoughts in a field", completion(message={"reasoning_content": GUESS})),
    Way("byte order mark", Sent("\ufeff\n  " + completion(" \n\n Answer: RIGHT \n").content)),
    Way("the choice twice", completion(times=2)),
    Way("unknown fields", completion(ending=None, kv_transfer=None, nvext={"a": [1]}, usage_v2={})),
    Way("two answers", completion(f"Answer: WRONG\n<think>No. {GUESS}</think>\n\nAnswer: RIGHT")),
)
"""Ways whose right answer must be read."""
AGAIN = (
    Way("429", refusal(429, "Rate limit reached", code="rate_limit_exceeded"), RIGHT),
    Way("500", refusal(500, "Internal error"), RIGHT),
    Way("an empty body", Sent(""), RIGHT),
    Way("a page", Sent("<!DOCTYPE html><html><body>Answer: WRONG</body></html>"), RIGHT),
    Way("events", Sent('data: {"choices": [{"delta": {"content": "WRONG"}}]}\n\n'), RIGHT),
    Way("cut in its thoughts", completion(f"<think>{GUESS}\n", ending="length"), RIGHT),
    Way("only analysis", completion(f"<|channel|>analysis<|message|>{GUESS}"), RIGHT),
    Way("a key twice", completion('{"answer": "RIGHT", "answer": "WRONG"}'), RIGHT),
    Way("half a body", Sent(completion(GUESS).content[:-60]), RIGHT),
    Way("an error with status 200", refusal(200, "overloaded: WRONG"), RIGHT),
    Way("only thoughts in a field", completion("", message={"reasoning": GUESS}), RIGHT),
)
"""Ways that give no answer at first and the right one after that."""
NEVER = (
    Way("no answer", completion("Let me think about WRONG a little more. It is not easy to say.")),
    Way("503", refusal(503, "the model is loading")),
)
"""Ways that never give an answer."""
WAYS = (*READ, *AGAIN, *NEVER)

KEY = Fault(0, refusal(401, "Incorrect API key provided: sk-ab***yz."))
QUOTA = Fault(20, refusal(429, "You exceeded your current quota", code="insufficient_quota"))
CUT = Fault(50, completion(usage={"prompt_tokens": 40, "completion_tokens": COMPLETION_TOKENS}))


MIDDLES = ("ka", "le", "mi", "no", "tu", "va", "re", "bi", "fo", "gu", "ta", "ne", "si")


def invented_places(count: int) -> list[Place]:
    """Return `count` people with their cities, all invented and different; 208 at most."""
    names = _words(("Ba", "De", "Fi", "Go"), ("dan", "pel", "rik", "sol"))
    cities = _words(("Za", "Xe", "Qui", "Yo"), ("berg", "holm", "wick", "dorf"))
    wrong = [*cities[1:], cities[0]]
    return [Place(*place) for place in zip(names, cities, wrong, strict=True)][:count]


def _words(beginnings: Sequence[str], ends: Sequence[str]) -> list[str]:
    return ["".join(syllables) for syllables in product(beginnings, MIDDLES, ends)]


class MisbehavingServer:
    """Answers "Where does <name> live?" for these places, each in its way.

    `requests` counts the requests and `answers` the right replies by name, both without those that
    met a fault. `completions` counts the replies that a client can read. Once `is_fixed`, every
    reply is right.
    """

    def __init__(self, places: Sequence[Place], *faults: Fault) -> None:
        self.requests, self.answers = Counter[str](), Counter[str]()
        self.completions = 0
        self.is_fixed = False
        self._places = {place.name: place for place in places}
        self._ways = {place.name: WAYS[at % len(WAYS)] for at, place in enumerate(places)}
        self._faults = list(faults)
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._respond))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self.base_url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> "MisbehavingServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _respond(self, request: str) -> Sent:
        (name,) = re.findall(r"Where does (\w+) live\?", request)
        with self._lock:
            if self._faults and self.answers.total() >= self._faults[0].answered:
                sent = self._faults.pop(0).response
            else:
                sent = self._response(name)
        return replace(sent, content=self._places[name].fill(sent.content))

    def _response(self, name: str) -> Sent:
        way = self._ways[name]
        sent = way.later if self.requests[name] and way.later else way.first
        if self.is_fixed:
            sent = RIGHT
        self.requests[name] += 1
        self.answers[name] += way in READ or sent is RIGHT
        self.completions += sent.is_completion
        return sent


def _handler(respond: Callable[[str], Sent]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = respond(self.rfile.read(int(self.headers["Content-Length"])).decode())
            content = sent.content.encode()
            self.send_response(sent.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if sent.status != 200:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
