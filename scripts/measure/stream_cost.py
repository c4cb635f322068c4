"""What it costs to append a memory session by session, beside indexing all sessions at once.

And what the first BM25 search after an addition costs, beside weighing all terms again. Seconds are
those of the processor. They include what the first search after an addition prepares: it is the
difference between two equal searches.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from measure.line import Goal, Line, Sample
from remem.config.run_config import RunConfig, configure
from remem.index.bm25_weights import Weighing, weighed
from remem.index.bm25s_lexical import Bm25sLexical
from remem.index.postings import search
from remem.index.stemmed_terms import StemmedTerms
from remem.index.term_documents import TermDocuments
from remem.protocols import Memory
from remem.types import Episode, History, Query

METHODS = ("bm25_messages", "embedding_messages", "remem_s", "remem_i")
LONG_CHAT = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=10",
    "dataset.build.events_per_session=60",
)
"""Ten long sessions, as in a conversation of BEAM."""
AT_MOST = 1.5
WEIGHING = Weighing(1.5, 0.75, "lucene")
QUESTION = "What did they say about the boat last week?"
TOP_K = 10
ADDED = 20
LARGE = 14
"""Conversations of about 5,400 messages together."""


def measure(*, quick: bool) -> Iterator[Line]:
    """Measure each method on each data set that is here; a quick run takes one history of each."""
    repeats = 3 if quick else 7
    for conversations in (2, 14) if quick else (2, 14, 140):
        yield _first_search(conversations, 5 * repeats)
    for name, overrides in _datasets().items():
        for method in METHODS:
            config = configure(f"method={method}", *overrides)
            histories = config.build_benchmark().histories()[: 1 if quick else 3]
            yield _line(f"{method} on {name}", config, histories, repeats)


def _first_search(conversations: int, repeats: int) -> Line:
    """Compare the first search after twenty more messages with weighing all of them again."""
    build = f"dataset.build.conversations={conversations}"
    histories = configure("dataset=generated_dialogues", build).build_benchmark().histories()
    texts = [message.text for history in histories for message in history.messages()]
    terms, documents = StemmedTerms(), TermDocuments()
    documents.append(terms.add(texts))
    index = Bm25sLexical(k1=WEIGHING.k1, b=WEIGHING.b, method=WEIGHING.method)
    index.add(texts)
    index.search(QUESTION, TOP_K)
    ours, peers = [], []
    for _ in range(repeats):
        documents.append(terms.add(texts[:ADDED]))
        peers.append(_seconds(partial(_weighed_again, documents, terms.of(QUESTION))))
        index.add(texts[:ADDED])
        ours.append(_seconds(partial(index.search, QUESTION, TOP_K)))
    return Line(
        name=f"first BM25 search after {ADDED} more of {len(texts):,} messages",
        unit="ms",
        ours=Sample.of([1000 * taken for taken in ours]),
        against="weigh every term again, and search",
        peer=Sample.of([1000 * taken for taken in peers]),
        goal=Goal("<=", 0.25) if conversations >= LARGE else None,
    )


def _weighed_again(documents: TermDocuments, query: Sequence[str]) -> None:
    numbers = documents.numbers
    lists = weighed(WEIGHING, documents.terms, documents.lengths, len(numbers))
    held = [numbers[term] for term in query if term in numbers]
    search(lists, held, np.ones(documents.size, dtype=np.bool_), TOP_K)


def _seconds(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def _datasets() -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {
        "generated_dialogues": ("dataset=generated_dialogues", "dataset.build.conversations=3"),
        "ten long sessions": LONG_CHAT,
    }
    if "REMEM_DATA" in os.environ:
        found |= {name: (f"dataset={name}",) for name in ("locomo", "realtalk")}
    return found


def _line(name: str, config: RunConfig, histories: Sequence[History], repeats: int) -> Line:
    make = config.memory_factory()
    for history in histories:  # loads the libraries
        _indexed(make(), [history])
    streams, batches = [], []
    for _ in range(repeats):  # in turn, so that both meet the same load
        batches.append(sum(_indexed(make(), [history]) for history in histories))
        streams.append(sum(_indexed(make(), _by_session(history)) for history in histories))
    sessions = sum(len(history.episodes) for history in histories)
    messages = sum(1 for history in histories for _ in history.messages())
    return Line(
        name=f"append session by session: {name}",
        unit="s",
        ours=Sample.of(streams),
        against="index all sessions at once",
        peer=Sample.of(batches),
        goal=Goal("<=", AT_MOST),
        note=f"{len(histories)} histories, {sessions} sessions, {messages:,} messages",
    )


def _by_session(history: History) -> list[History]:
    def part(session: Episode) -> History:
        return History(history.id, (session,))

    return [part(session) for session in history.episodes]


def _indexed(memory: Memory, parts: Sequence[History]) -> float:
    """Return the seconds until the memory can be searched, after each part."""
    gc.collect()  # as timeit does: it would hit one side or the other
    gc.disable()
    try:
        return _timed(memory, parts)
    finally:
        gc.enable()


def _timed(memory: Memory, parts: Sequence[History]) -> float:
    query = Query("query", parts[0].id, 0, QUESTION)
    seconds = 0.0
    for part in parts:
        begun = time.process_time()
        memory.index(part)
        indexed = time.process_time()
        memory.recall(query)
        recalled = time.process_time()
        memory.recall(query)
        searched = time.process_time()
        seconds += (indexed - begun) + (recalled - indexed) - (searched - recalled)
    return seconds
