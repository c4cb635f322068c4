"""Measure the cost of the call path: the same calls with a plain `openai` loop and ours."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from measure.processes import environment
from remem.llm.chat_model import StoredChatModel
from remem.llm.limiter import Limits
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.protocols import ChatMessage, ChatRequest


@dataclass(frozen=True, slots=True)
class Load:
    """The calls of one measurement."""

    in_flight: int
    latency_seconds: float
    prompt_characters: int
    calls: int


@dataclass(frozen=True, slots=True)
class Round:
    """The time and CPU of one way to make the calls."""

    way: str
    calls_per_second: float
    cpu_milliseconds: float
    """CPU milliseconds of this process per call."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Medians over the rounds; `share` is the rate relative to the faster plain loop."""

    load: Load
    rounds: tuple[Round, ...]
    calls_per_second: float
    bare_calls_per_second: float
    share: float
    share_low: float
    share_high: float
    extra_cpu_milliseconds: float


Way = Callable[[str, Load, Path], Round]


@contextmanager
def call_server(latency_seconds: float) -> Iterator[str]:
    """Start the endpoint in its own process and yield its address."""
    command = [sys.executable, "-m", "measure.call_server", str(latency_seconds)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.communicate()


def compare_ways(load: Load, folder: Path, rounds: int) -> Compared:
    """Make the calls in each way in turn, `rounds` times."""
    made: list[Round] = []
    with call_server(load.latency_seconds) as url:
        for number in range(rounds):
            for way in WAYS:
                made.append(way(url, load, folder / f"{number}.sqlite"))
    return _compared(load, made)


def by_threads(url: str, load: Load, store: Path) -> Round:
    """Call the client of openai in a pool of threads."""
    client = _client(url, load)

    def call(prompt: str) -> str:
        return _text(client.chat.completions.create(**_body(prompt)))

    with client:
        return _timed("openai, threads", load, call)


def by_asyncio(url: str, load: Load, store: Path) -> Round:
    """Call the asynchronous client of openai in one loop."""
    import openai

    limits: Any = _limits(load)
    http = openai.DefaultAsyncHttpxClient(limits=limits)

    async def call_all() -> Round:
        async with openai.AsyncOpenAI(
            base_url=url, api_key="none", max_retries=0, timeout=600, http_client=http
        ) as client:

            async def work(prompts: Iterator[str]) -> None:
                for prompt in prompts:
                    _text(await client.chat.completions.create(**_body(prompt)))

            async def ask(prompts: Sequence[str]) -> None:
                shared = iter(prompts)
                await asyncio.gather(*(work(shared) for _ in range(load.in_flight)))

            await ask(_prompts(load, load.in_flight, "warm"))
            prompts = _prompts(load, load.calls, "asked")
            begun, cpu = time.perf_counter(), time.process_time()
            await ask(prompts)
            return _round("openai, asyncio", load, begun, cpu)

    return asyncio.run(call_all())


def stored(url: str, load: Load, store: Path) -> Round:
    """Call through call store, limiter and budget, as every role does."""
    endpoint = OpenAIEndpoint(
        kind="openai-chat",
        base_url=url,
        key_variable="REMEM_BENCH_KEY",
        model="bench",
        temperature=0,
        seed=None,
        max_output_tokens=1000,
        token_parameter="max_completion_tokens",
        json_mode="text",
        tool_choice="auto",
        timeout_seconds=600,
        tries=1,
        limits=Limits(None, None, None),
    )
    model = StoredChatModel(
        endpoint=endpoint,
        store=str(store),
        attempts=1,
        repeat=0,
        budget_dollars=None,
        prices="",
    )

    def call(prompt: str) -> str:
        request = ChatRequest("read", (ChatMessage("user", prompt),))
        return model.ask(request, lambda reply: reply.text)[0]

    return _timed("remem", load, call)


WAYS: tuple[Way, ...] = (by_threads, by_asyncio, stored)


def _timed(way: str, load: Load, call: Callable[[str], str]) -> Round:
    """Time the calls in a thread pool whose connections are already open."""
    with ThreadPoolExecutor(load.in_flight) as pool:
        all(pool.map(call, _prompts(load, load.in_flight, "warm")))
        prompts = _prompts(load, load.calls, "asked")
        begun, cpu = time.perf_counter(), time.process_time()
        all(pool.map(call, prompts))
        return _round(way, load, begun, cpu)


def _round(way: str, load: Load, begun: float, cpu: float) -> Round:
    seconds, spent = time.perf_counter() - begun, time.process_time() - cpu
    return Round(way, load.calls / seconds, 1000 * spent / load.calls)


def _compared(load: Load, made: Sequence[Round]) -> Compared:
    ours = made[len(WAYS) - 1 :: len(WAYS)]
    faster = [
        max(made[at : at + len(WAYS) - 1], key=lambda measured: measured.calls_per_second)
        for at in range(0, len(made), len(WAYS))
    ]
    pairs = list(zip(ours, faster, strict=True))
    shares = [our.calls_per_second / bare.calls_per_second for our, bare in pairs]
    return Compared(
        load=load,
        rounds=tuple(made),
        calls_per_second=median(measured.calls_per_second for measured in ours),
        bare_calls_per_second=median(measured.calls_per_second for measured in faster),
        share=median(shares),
        share_low=min(shares),
        share_high=max(shares),
        extra_cpu_milliseconds=median(
            our.cpu_milliseconds - bare.cpu_milliseconds for our, bare in pairs
        ),
    )


def _prompts(load: Load, count: int, name: str) -> list[str]:
    filler = "Anna said to Ben that the boat, which is red, lies in the harbour. "
    text = (filler * (load.prompt_characters // len(filler) + 1))[: load.prompt_characters]
    return [f"{name} {number}: {text}" for number in range(count)]


def _client(url: str, load: Load) -> Any:
    import openai

    limits: Any = _limits(load)
    http = openai.DefaultHttpxClient(limits=limits)
    return openai.OpenAI(base_url=url, api_key="none", max_retries=0, timeout=600, http_client=http)


def _limits(load: Load) -> object:
    """Return limits that keep all connections open, for the httpx version that openai uses."""
    import openai

    limits = type(openai.DEFAULT_CONNECTION_LIMITS)
    return limits(max_connections=load.in_flight, max_keepalive_connections=load.in_flight)


def _body(prompt: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}]
    return {
        "model": "bench",
        "messages": messages,
        "max_completion_tokens": 1000,
        "temperature": 0,
    }


def _text(completion: Any) -> str:
    return str(completion.choices[0].message.content)
