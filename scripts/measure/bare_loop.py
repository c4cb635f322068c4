"""Repeat the calls of a run with the `openai` client in a thread pool, without anything else.

`bare_loop.py <call store> <base url> <in flight>` writes how many seconds the calls took.
"""

import json
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def sent_bodies(store: str) -> list[dict[str, Any]]:
    """Return the distinct requests in a call store, in order."""
    with sqlite3.connect(store) as connection:
        rows = connection.execute("SELECT request FROM calls ORDER BY id").fetchall()
    return [_body(json.loads(request)) for (request,) in rows]


def replay(bodies: list[dict[str, Any]], base_url: str, in_flight: int) -> float:
    """Send the requests, `in_flight` at once, and return the seconds until the last reply."""
    import openai

    limits: Any = type(openai.DEFAULT_CONNECTION_LIMITS)
    kept = limits(max_connections=in_flight, max_keepalive_connections=in_flight)
    http = openai.DefaultHttpxClient(limits=kept)
    with (
        openai.OpenAI(
            base_url=base_url, api_key="none", max_retries=0, timeout=600, http_client=http
        ) as client,
        ThreadPoolExecutor(in_flight) as pool,
    ):

        def call(body: dict[str, Any]) -> str:
            return client.chat.completions.create(**body).choices[0].message.content or ""

        begun = time.perf_counter()
        for _ in pool.map(call, bodies):
            pass
        return time.perf_counter() - begun


def _body(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the body that the endpoint sent for a stored request (json_mode=schema, no tools)."""
    body = {
        "model": sent["model"],
        "messages": [{"role": role, "content": content} for role, content in sent["messages"]],
        "max_completion_tokens": sent["max_output_tokens"],
        "temperature": sent["settings"]["temperature"],
    }
    if sent["reply_schema"] is not None:
        named = {"name": "reply", "schema": sent["reply_schema"], "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    return body


if __name__ == "__main__":
    seconds = replay(sent_bodies(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    sys.stdout.write(f"{seconds}\n")
