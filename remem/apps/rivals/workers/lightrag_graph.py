"""LightRAG, run from its own package: a graph of entities and relations, and text chunks.

Each session is a document with its date in the first line, because LightRAG has no field for dates.
"""

import asyncio
import logging
import os
import re
import time
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from importlib import import_module
from itertools import chain, zip_longest
from types import SimpleNamespace
from typing import Any

PACKAGE = "lightrag-hku"
CLOCK = 1_790_000_000
"""The time of the first session in LightRAG; each session is a minute after the one before."""
MINUTE = 60
NO_LIMIT = 10**6
"""A timeout in seconds that no call reaches: LightRAG would count slow sessions as failed."""
TOKEN_CHARACTERS = 4
ROW = re.compile(r"^\W*(?:entity|relation\w*)\W*<\|#\|>", re.MULTILINE | re.IGNORECASE)
"""The beginning of an entity or relation in a reply."""
NO_KEYWORDS = frozenset(("low_level_keywords is empty", "high_level_keywords is empty"))
"""LightRAG's two warnings if it reads no keyword of either kind in a reply."""


class Tokens:
    """A tokenizer with four characters per token; LightRAG's own would download a vocabulary."""

    def encode(self, content: str) -> list[int]:
        """Split a text into pieces of four characters and return each as a number."""
        starts = range(0, len(content), TOKEN_CHARACTERS)
        pieces = (content[start : start + TOKEN_CHARACTERS] for start in starts)
        return [int.from_bytes(piece.encode("utf-32-be", "surrogatepass")) for piece in pieces]

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text whose pieces `encode` turned into these numbers."""
        pieces = (token.to_bytes(4 * TOKEN_CHARACTERS) for token in tokens)
        return "".join(piece.decode("utf-32-be", "surrogatepass").lstrip("\0") for piece in pieces)


class LightRagModels:
    """The language model and the embedder of LightRAG. The API key is in OPENAI_API_KEY.

    Attributes:
        counts: Counts since the last call of `ask_at`: of replies, of the rows in them, and of
            faulty replies.
    """

    def __init__(self, model: str) -> None:
        openai = import_module("openai")
        self._model = model
        self._client = openai.AsyncOpenAI(base_url="http://unused", max_retries=0, timeout=None)
        self.counts: Counter[str] = Counter()

    def __deepcopy__(self, _: Any) -> "LightRagModels":
        """Return this object itself, because LightRAG copies its settings, which refer to it."""
        return self

    def ask_at(self, url: str) -> None:
        """Set the address for all further calls, and reset the counts."""
        self._client.base_url = url
        self.counts = Counter()

    async def reply(
        self,
        prompt: str,
        system_prompt: str | None = None,
        history_messages: Sequence[Mapping[str, str]] = (),
        **_: Any,
    ) -> str:
        """Return the reply of the model to a prompt."""
        system = [{"role": "system", "content": system_prompt}] if system_prompt else []
        messages = [*system, *history_messages, {"role": "user", "content": prompt}]
        done = await self._client.chat.completions.create(model=self._model, messages=messages)
        text = str(done.choices[0].message.content or "")
        self.counts["cut_replies"] += done.choices[0].finish_reason == "length"
        if system_prompt:  # only extraction has one
            rows = len(ROW.findall(text))
            self.counts += Counter(replies=1, rows=rows, replies_without_rows=not rows)
        else:
            self.counts["summaries"] += 1
        return text

    async def embed(self, texts: list[str], context: str = "document", **_: Any) -> Any:
        """Return the embeddings of texts; `context` is "query" or "document"."""
        done = await self._client.embeddings.create(
            model=self._model,
            input=texts,
            encoding_format="float",
            extra_body={"input_type": context, "target": "fact"},
        )
        return import_module("numpy").array([item.embedding for item in done.data])


class LightRAG:
    """A LightRAG in the current folder, to which sessions are added one by one."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        os.environ["TIKTOKEN_CACHE_DIR"] = "."
        self._settings = settings["settings"]
        self._loop = asyncio.new_event_loop()
        self._models = LightRagModels(settings["model"])
        self._warnings = _Warnings(logging.WARNING)
        self._rag = self._run(_rag(self._models, settings))
        logging.getLogger("lightrag").addHandler(self._warnings)
        self._sessions: dict[str, Mapping[str, Any]] = {}

    def add(self, session: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add a session; return the number of stored items, other counts, and the losses."""
        self._models.ask_at(url)
        self._warnings.reasons = []
        id_ = f"doc-{len(self._sessions)}"
        self._sessions[id_] = session
        _set_clock(CLOCK + MINUTE * len(self._sessions))
        before = self._run(self._graph())
        try:
            self._run(self._rag.ainsert(_stated(session), ids=id_, file_paths=f"{id_}.txt"))
        except Exception as error:  # noqa: BLE001  after any error, the session is lost
            self._warnings.reasons.append(f"{type(error).__name__}: {error}")
        after = self._run(self._graph())
        status = self._run(self._rag.doc_status.get_by_id(id_)) or {}
        if _state(status) != "processed":
            reason = status.get("error_msg") or f"its state is {_state(status) or 'unknown'}"
            self._warnings.reasons.append(f"the session is not in the graph: {reason}")
        new = {name: len(after[name]) - len(before[name]) for name in after}
        new["chunks"] = len(status.get("chunks_list") or ())
        facts = self._run(self._told_of(id_))
        if not (facts["entities"] or self._warnings.reasons):
            self._warnings.reasons.append("no entity was read out of the reply")
        merged = {f"merged_{name}": len(facts[name] & before[name]) for name in facts}
        names = ("replies", "rows", "replies_without_rows", "cut_replies", "summaries")
        counts = {name: self._models.counts[name] for name in names}
        return {
            "stored": sum(new.values()),
            "counts": {"sessions": 1, **new, **merged, **counts},
            "lost": self._warnings.reasons,
        }

    def recall(self, text: str, url: str) -> dict[str, Any]:
        """Return the `top_k` best items: relations, entities and chunks, one of each in turn.

        If the model replies without keywords, the reply is rejected. LightRAG then searches for the
        question itself, but only if the question is short; otherwise it finds nothing.
        """
        self._models.ask_at(url)
        self._warnings.reasons = []
        top_k = self._settings["top_k"]
        query = import_module("lightrag").QueryParam(
            mode="mix", top_k=top_k, chunk_top_k=top_k, enable_rerank=False
        )
        reply = self._run(self._rag.aquery_data(text, query))
        # It has no data if it finds nothing, or finds no keywords in a longer question.
        data = reply.get("data", {})
        kinds = ("relationships", "entities", "chunks")
        lists = [[(kind, item) for item in data.get(kind, ())] for kind in kinds]
        turns = [item for item in chain.from_iterable(zip_longest(*lists)) if item]
        return {
            "found": [self._graph_item(kind, item) for kind, item in turns[:top_k]],
            "rejected": int({*self._warnings.reasons} >= NO_KEYWORDS),
        }

    def _graph_item(self, kind: str, item: Mapping[str, Any]) -> dict[str, Any]:
        chunks = [item["chunk_id"]] if kind == "chunks" else item["source_id"].split("<SEP>")
        stored = self._run(self._rag.text_chunks.get_by_ids(chunks))
        sources = [self._sessions[chunk["full_doc_id"]] for chunk in stored if chunk]
        sessions = list({session["id"]: session for session in sources}.values())
        last = sessions[-1] if sessions else {"date": "", "time": None}
        id_, text = _id_and_text(kind, item)
        date = "" if kind == "chunks" else last["date"] or last["time"]
        return {
            "id": id_,
            "text": f"{date}: {text}" if date else text,
            "time": last["time"],
            "source": [session["id"] for session in sessions],
        }

    async def _graph(self) -> dict[str, set[str]]:
        """Return the names of all entities and relations."""
        graph = self._rag.chunk_entity_relation_graph
        edges = await graph.get_all_edges()
        return {
            "entities": set(await graph.get_all_labels()),
            "relations": {_pair(edge["source"], edge["target"]) for edge in edges},
        }

    async def _told_of(self, id_: str) -> dict[str, set[str]]:
        """Return the names of the entities and relations that were extracted from a session."""
        nodes = await self._rag.full_entities.get_by_id(id_) or {}
        edges = await self._rag.full_relations.get_by_id(id_) or {}
        return {
            "entities": set(nodes.get("entity_names", [])),
            "relations": {_pair(*pair) for pair in edges.get("relation_pairs", [])},
        }

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(coroutine)


def start(settings: Mapping[str, Any]) -> LightRAG:
    """Return an empty memory."""
    return LightRAG(settings)


class _Warnings(logging.Handler):
    """Collects LightRAG's warnings, each of which may mean that something was not stored."""

    reasons: list[str]

    def emit(self, record: logging.LogRecord) -> None:
        """Store the message of a log record."""
        self.reasons.append(record.getMessage())


async def _rag(models: LightRagModels, settings: Mapping[str, Any]) -> Any:
    utils: Any = import_module("lightrag.utils")
    model = settings["model"]
    embed = utils.EmbeddingFunc(
        embedding_dim=settings["dimension"],
        func=models.embed,
        supports_asymmetric=True,
        model_name=model,
    )
    least = {"cosine_better_than_threshold": settings["settings"]["min_similarity"]}
    rag = import_module("lightrag").LightRAG(
        working_dir="rag",
        llm_model_func=models.reply,
        llm_model_name=model,
        embedding_func=embed,
        tokenizer=utils.Tokenizer(model, Tokens()),
        vector_db_storage_cls_kwargs=least,
        # Deviation: its own cache would hide repeated calls from the counts.
        enable_llm_cache=False,
        # One at a time: else the order in which things are stored is chance.
        llm_model_max_async=1,
        embedding_func_max_async=1,
        max_parallel_insert=1,
        default_llm_timeout=NO_LIMIT,
        default_embedding_timeout=NO_LIMIT,
    )
    await rag.initialize_storages()
    return rag


def _set_clock(now: int) -> None:
    """Fix the time in LightRAG, which orders the descriptions in prompts by time."""
    for name in ("operate", "kg.nano_vector_db_impl", "kg.json_kv_impl"):
        module = import_module(f"lightrag.{name}")
        module.__dict__["time"] = SimpleNamespace(**vars(time) | {"time": lambda: now})


def _stated(session: Mapping[str, Any]) -> str:
    """Return the text of a session, below a line with its date if it has one."""
    date = session["date"] or session["time"]
    return f"Date: {date}\n{session['text']}" if date else str(session["text"])


def _state(status: Mapping[str, Any]) -> str:
    return str(getattr(status.get("status"), "value", status.get("status") or ""))


def _pair(*names: str) -> str:
    return " - ".join(sorted(names))


def _id_and_text(kind: str, item: Mapping[str, Any]) -> tuple[str, str]:
    """Return the id and the text of an entity, a relation or a chunk."""
    if kind == "chunks":
        return item["chunk_id"], item["content"]
    if kind == "entities":
        name = item["entity_name"]
        return f"entity {name}", f"{name}: {item['description']}"
    pair = f"{item['src_id']} - {item['tgt_id']}"
    return f"relation {pair}", f"{pair}: {item['description']}"
