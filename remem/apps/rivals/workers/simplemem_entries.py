"""SimpleMem, run from its own package: a model rewrites windows of a session as dated entries.

SimpleMem's dependency sentence-transformers is not installed: our embedder takes its place.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from itertools import chain, zip_longest
from typing import Any

PACKAGE = "simplemem"
SPOKEN = re.compile(r"([^\W\d_][^:\n]{0,39}): (.*)", re.DOTALL)
STAMP = re.compile(r"[12]\d{3}-\d\d-\d\d(?:T\d\d:\d\d)?")
NOBODY = "user"
"""The speaker of a statement without one, as SimpleMem needs a name."""


class SimpleMemModels:
    """Replaces the model and the embedder of SimpleMem. The API key is in OPENAI_API_KEY.

    Attributes:
        counts: Counts since the last call of `ask_at`: of all replies, of cut replies and of
            unreadable replies.
    """

    def __init__(self, dimension: int, model: str) -> None:
        self.dimension = dimension
        self._model = model
        self._client = import_module("openai").OpenAI(
            base_url="http://unused", max_retries=0, timeout=None
        )
        self._numpy = import_module("numpy")
        self.counts: Counter[str] = Counter()

    def ask_at(self, url: str) -> None:
        """Set the address for all further calls, and reset the counts."""
        self._client.base_url = url
        self.counts = Counter()

    def chat_completion(self, messages: Sequence[Mapping[str, str]], **_: Any) -> str:
        """Return the reply of the model, without retries, because the gateway retries calls."""
        done = self._client.chat.completions.create(model=self._model, messages=messages)
        self.counts["replies"] += 1
        self.counts["cut_replies"] += done.choices[0].finish_reason == "length"
        return str(done.choices[0].message.content or "")

    def encode_documents(self, texts: Sequence[str]) -> Any:
        """Return the unit vectors of entries."""
        return self._embed(texts, "document")

    def encode_single(self, text: str, is_query: bool = False) -> Any:
        """Return the unit vector of a query or an entry."""
        return self._embed([text], "query" if is_query else "document")[0]

    def _embed(self, texts: Sequence[str], kind: str) -> Any:
        done = self._client.embeddings.create(
            model=self._model,
            input=list(texts),
            encoding_format="float",
            extra_body={"input_type": kind, "target": "fact"},
        )
        vectors = self._numpy.array([item.embedding for item in done.data], dtype="float32")
        lengths = self._numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / self._numpy.maximum(lengths, 1e-12)


class SimpleMem:
    """A SimpleMem in the current folder, to which sessions are added one by one."""

    def __init__(self, started_with: Mapping[str, Any]) -> None:
        self._top_k = started_with["settings"]["top_k"]
        self._models = SimpleMemModels(started_with["dimension"], started_with["model"])
        system: Any = import_module("simplemem.system")
        system.EmbeddingModel = lambda: self._models  # its own would download a model
        parts = system.SimpleMemSystem(
            api_key="unused",
            base_url="http://unused",
            db_path="entries",
            # Deviation: one call at a time, else the order of the entries is chance.
            enable_parallel_processing=False,
            enable_parallel_retrieval=False,
        )
        parts.llm_client.chat_completion = self._models.chat_completion
        parts.llm_client.extract_json = self._counted(parts.llm_client.extract_json)
        self._store, self._builder = parts.vector_store, parts.memory_builder
        self._retriever = parts.hybrid_retriever
        self._dialogue = import_module("simplemem.models").Dialogue
        self._search = self._store.semantic_search
        self._store.semantic_search = self._recorded
        self._searches: list[Sequence[Any]] = []
        self._origins: dict[str, tuple[int, Mapping[str, Any]]] = {}
        """The number and the session of each entry."""
        self._restatements: set[str] = set()
        self._dialogues = 0

    def add(self, session: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add a session in windows; return the counts of replies and entries, and the losses."""
        self._models.ask_at(url)
        counts, lost = Counter(sessions=1), []
        dialogues, size = list(self._dialogues_of(session)), self._builder.window_size
        for begin in range(0, len(dialogues), size):
            window = dialogues[begin : begin + size]
            entries, reason = self._entries_of(window)
            counts += self._counted_entries(entries, session)
            counts += Counter(windows=1, messages=len(window))
            if not entries:
                counts += Counter(lost_windows=1, lost_messages=len(window))
                lost.append(
                    reason or f"no entry was read out of the replies to {len(window)} messages"
                )
        replies = self._models.counts["replies"]
        unused = replies - (counts["windows"] - counts["lost_windows"])
        counts += Counter(replies=replies, replies_without_entries=unused)
        counts["cut_replies"] = self._models.counts["cut_replies"]
        return {"stored": counts["entries"], "counts": dict(counts), "lost": lost}

    def recall(self, text: str, url: str) -> dict[str, Any]:
        """Return the `top_k` best entries for a question, one from each planned search in turn.

        The model plans the searches, and says whether another round is needed. A reply that cannot
        be read is rejected, and SimpleMem uses a default: its own plan, the question as the only
        search, or one more round.
        """
        self._models.ask_at(url)
        self._searches = []
        self._retriever.retrieve(text)
        turns = chain.from_iterable(zip_longest(*self._searches))
        entries = {entry.entry_id: entry for entry in turns if entry}
        return {
            "found": [self._entry_item(entry) for entry in list(entries.values())[: self._top_k]],
            "rejected": self._models.counts["unreadable_replies"],
        }

    def _entries_of(self, window: Sequence[Any]) -> tuple[list[Any], str]:
        """Pass a window to SimpleMem; return the entries that it stored, and the error or ""."""
        try:
            for dialogue in window:
                self._builder.add_dialogue(dialogue, auto_process=False)
            self._builder.process_window()
        except Exception as error:  # noqa: BLE001  after any error, the window is lost
            return [], f"{type(error).__name__}: {error}"
        stored = self._store.get_all_entries()
        return [entry for entry in stored if entry.entry_id not in self._origins], ""

    def _counted_entries(self, entries: Sequence[Any], session: Mapping[str, Any]) -> Counter[str]:
        counts = Counter(entries=len(entries))
        for entry in entries:
            self._origins[entry.entry_id] = len(self._origins), session
            counts["entries_without_time"] += not entry.timestamp
            counts["repeated_entries"] += entry.lossless_restatement in self._restatements
            self._restatements.add(entry.lossless_restatement)
        return counts

    def _dialogues_of(self, session: Mapping[str, Any]) -> Iterator[Any]:
        for speaker, content in _spoken(str(session["text"])):
            self._dialogues += 1
            spoken = {"speaker": speaker, "content": content, "timestamp": session["time"]}
            yield self._dialogue(dialogue_id=self._dialogues, **spoken)

    def _recorded(self, query: str, top_k: int) -> Sequence[Any]:
        """Search and record the entries; raise an error if a search of stored entries is empty."""
        found: Sequence[Any] = self._search(query, top_k=top_k)
        if self._origins and not found:
            raise RuntimeError(f"the search for {query!r} failed")
        self._searches.append(found)
        return found

    def _counted(self, extract_json: Any) -> Any:
        """Wrap SimpleMem's parser of replies so that replies without JSON are counted."""

        def read(text: str) -> Any:
            try:
                return extract_json(text)
            except ValueError:
                self._models.counts["unreadable_replies"] += 1
                raise

        return read

    def _entry_item(self, entry: Any) -> dict[str, Any]:
        number, session = self._origins[entry.entry_id]
        text = entry.lossless_restatement
        return {
            "id": f"entry-{number}",
            "text": f"[{entry.timestamp}] {text}" if entry.timestamp else text,
            "time": _iso(entry.timestamp),
            "source": [session["id"]],
        }


def start(settings: Mapping[str, Any]) -> SimpleMem:
    """Return an empty memory."""
    return SimpleMem(settings)


def _spoken(text: str) -> list[tuple[str, str]]:
    """Return speakers and messages; a line without a speaker continues the message before it."""
    spoken: list[tuple[str, str]] = []
    for line in text.split("\n"):
        match = SPOKEN.fullmatch(line)
        if match or not spoken:
            spoken.append((match[1], match[2]) if match else (NOBODY, line))
        else:
            spoken[-1] = spoken[-1][0], f"{spoken[-1][1]}\n{line}"
    return spoken


def _iso(timestamp: str | None) -> str | None:
    """Return the ISO day or minute at the start of a model's timestamp, if there is a valid one."""
    match = STAMP.match(timestamp or "")
    stamp = match[0] if match else ""
    try:
        datetime.fromisoformat(stamp)
    except ValueError:  # none at all, or one such as 30 February
        return None
    return stamp
