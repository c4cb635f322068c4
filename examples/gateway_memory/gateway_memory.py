"""A third-party memory in a process of its own, measured through the gateway."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from remem.apps.rivals.gateway_server import Gateway
from remem.protocols import ChatModel, Embedder
from remem.types import Evidence, History, Passage, Query, Stage, Usage

THEIRS = Path(__file__).with_name("third_party.py")


class OtherProcess:
    """Hands a history and questions to `third_party.py`, whose calls come back to our models."""

    def __init__(self, *, chat_model: ChatModel, embedder: Embedder, top_k: int) -> None:
        self._models = (chat_model, embedder)
        self._top_k = top_k
        self._notes: list[dict[str, Any]] = []
        self.index_usage = Usage()
        self.failures: tuple[tuple[str, str], ...] = ()

    def index(self, history: History) -> None:
        """Have each message noted."""
        told = [
            {"id": message.id, "text": f"[{message.date}] {message.speaker}: {message.text}"}
            for message in history.messages()
        ]
        notes, usage = self._answered({"told": told}, history.id, "index")
        self._notes += notes
        self.index_usage += usage

    def recall(self, query: Query) -> Evidence:
        """Return the notes that it finds; a note knows the message it is of."""
        task = {"notes": self._notes, "question": query.text, "top_k": self._top_k}
        found, usage = self._answered(task, query.history_id, "recall")
        passages = [Passage(item["id"], item["text"], None, (item["id"],)) for item in found]
        return Evidence(passages=tuple(passages), usage=usage)

    def _answered(self, task: object, history: str, stage: Stage) -> tuple[Any, Usage]:
        with Gateway(*self._models, name="lent") as gateway:
            url = gateway.base_url("example", history, stage)
            keys = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": gateway.token}  # our key stays
            command = [sys.executable, str(THEIRS)]
            done = subprocess.run(
                command, input=json.dumps(task), env=os.environ | keys,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if failure := gateway.failure("example", history, stage):
                raise failure
            if done.returncode:
                raise RuntimeError(f"third_party.py failed: {done.stderr[-500:]}")
            return json.loads(done.stdout), gateway.usage("example", history, stage)
