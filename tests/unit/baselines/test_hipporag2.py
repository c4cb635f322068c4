"""HippoRAG 2 as a memory: what it indexes, recalls, reports, keeps and refuses."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from baselines.hipporag2 import HippoRAG2
from baselines.hipporag2_file import FORMAT
from baselines.hipporag2_openie import Extracted, OpenIE, Triple
from remem.embed.hashing import HashingEmbedder
from remem.errors import NoPassageReadError
from remem.index.stored_arrays import open_arrays, write_arrays
from remem.prompts.interaction import Cap
from remem.protocols import AccountsForIndex, PersistentMemory, QueryTarget, Vectors
from remem.readers.direct import interaction_history
from remem.types import Episode, Evidence, History, Message, Query, Usage

DAY = "8 May, 2023"
SPENT = Usage(2, 20, 4)
ASKED = Usage(1, 7, 3)
TRIPLES: dict[str, tuple[Triple, ...]] = {
    "sold": (("Ann", "sold", "red boat"),),
    "bought": (("Bob Miller", "bought", "red boat"), ("Bob Miller", "lives in", "Oslo")),
    "weather": (("Oslo", "has", "rain"),),
    "café": (("Café Ötz", "opened", "?!"),),
}


def message(message_id: str, text: str) -> Message:
    return Message(message_id, "Ann", text, date=DAY)


CHAT = History(
    "chat",
    (
        Episode("s1", (message("a", "I sold the boat"),)),
        Episode("empty", ()),
        Episode("s2", (message("b", "Bob bought it"), message("c", "He is glad"))),
        Episode("s3", (message("d", "Awful weather"),)),
    ),
)
QUERY = Query("q", "chat", 0, "Where does the buyer of the red boat live?")


class ScriptedOpenIE:
    """Finds the triples of the first known word in a passage; fails on passages with `broken`."""

    def __init__(self, broken: str = "nothing") -> None:
        self.read: list[str] = []
        self._broken = broken

    def extract(self, passage: str) -> Extracted:
        self.read.append(passage)
        if self._broken in passage:
            return Extracted((), Usage(), failure="no usable reply")
        found = (triples for word, triples in TRIPLES.items() if word in passage)
        return Extracted(next(found, ()), SPENT)


class ScriptedFilter:
    """Keeps the facts that have one of the given predicates."""

    def __init__(self, *predicates: str) -> None:
        self.shown: list[tuple[Triple, ...]] = []
        self._predicates = predicates

    def keep(self, question: str, candidates: Sequence[Triple]) -> tuple[tuple[int, ...], Usage]:
        self.shown.append(tuple(candidates))
        kept = (at for at, fact in enumerate(candidates) if fact[1] in self._predicates)
        return tuple(kept), ASKED


class NotingEmbedder(HashingEmbedder):
    """Records which texts it embeds, and for which target."""

    def __init__(self) -> None:
        super().__init__(dimension=64)
        self.documents: list[str] = []
        self.queries: list[tuple[str, str]] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.documents.extend(texts)
        return super().embed_documents(texts)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        self.queries.extend((text, target) for text in texts)
        return HashingEmbedder(dimension=64).embed_documents(texts)


class FailingEmbedder(HashingEmbedder):
    """Embeds documents `works` times, fails once, and then works again."""

    def __init__(self, works: int) -> None:
        super().__init__(dimension=64)
        self._left = works

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self._left -= 1
        if self._left == -1:
            raise TimeoutError("no answer in time")
        return super().embed_documents(texts)


def made(
    openie: OpenIE | None = None,
    keep: Sequence[str] = ("bought", "lives in"),
    embedder: HashingEmbedder | None = None,
    **settings: object,
) -> HippoRAG2:
    values: dict[str, object] = {
        "unit": "session",
        "top_k": 2,
        "parallel_passages": 1,
        "linking_top_k": 5,
        "synonymy_threshold": 0.8,
        "passage_node_weight": 0.05,
        "damping": 0.5,
    }
    return HippoRAG2(
        openie=openie or ScriptedOpenIE(),
        fact_filter=ScriptedFilter(*keep),
        embedder=embedder or HashingEmbedder(dimension=64),
        **{**values, **settings},  # type: ignore[arg-type]
    )


def indexed(memory: HippoRAG2, *parts: History) -> HippoRAG2:
    for part in parts or (CHAT,):
        memory.index(part)
    return memory


def ids(evidence: Evidence) -> list[str]:
    return [passage.id for passage in evidence.passages]


def test_the_passage_of_the_kept_facts_comes_first() -> None:
    evidence = indexed(made()).recall(QUERY)
    assert ids(evidence)[0] == "s2"
    assert len(evidence.passages) == 2
    assert evidence.passages[0].source == ("b", "c")
    assert evidence.passages[0].text.startswith(f"[{DAY}] Ann: Bob bought it")


def test_the_step_tells_which_facts_were_seen_and_kept() -> None:
    (step,) = indexed(made(keep=["bought"])).recall(QUERY).steps
    assert step.call.tool == "recognition_memory"
    assert "bob miller | lives in | oslo" in step.call.arguments["facts"]
    assert len(step.call.arguments["facts"]) == 4
    assert step.observation.message == "1 of 4 facts kept: bob miller | bought | red boat"


def test_a_question_without_a_kept_fact_falls_back_to_embeddings_and_says_so() -> None:
    memory = indexed(made(keep=()))
    evidence = memory.recall(Query("q", "chat", 0, "Awful weather"))
    assert ids(evidence)[0] == "s3"
    assert [step.call.tool for step in evidence.steps] == ["dense_fallback"]
    assert evidence.usage == ASKED


def test_a_graph_without_facts_falls_back_without_asking_and_is_loaded(tmp_path: Path) -> None:
    silent = History("chat", (Episode("s", (message("a", "Hello"),)),))
    memory, loaded = indexed(made(), silent), made()
    memory.save(tmp_path)
    loaded.load(tmp_path)
    for each in (memory, loaded):
        evidence = each.recall(QUERY)
        assert (ids(evidence), evidence.usage) == (["s"], Usage())
        assert evidence.steps[0].call.tool == "dense_fallback"


def test_facts_that_score_zero_leave_the_walk_to_the_passages() -> None:
    memory = indexed(made(keep=["has"]))
    ranking = memory.rank("Ann sold red boat")  # "has" is the fact furthest from it
    assert ranking.kept == (("oslo", "has", "rain"),)
    assert np.isfinite(ranking.scores).all()
    assert ranking.passages[0] == 0


def test_texts_are_embedded_as_documents_and_questions_once_for_each_target() -> None:
    embedder = NotingEmbedder()
    memory = indexed(made(embedder=embedder))
    assert "('bob miller', 'lives in', 'oslo')" in embedder.documents
    assert "red boat" in embedder.documents
    assert len(embedder.documents) == len(set(embedder.documents)) == 3 + 5 + 4
    memory.recall(QUERY)
    assert embedder.queries == [(QUERY.text, "fact"), (QUERY.text, "passage")]


def test_the_account_tells_usage_and_failures_and_keeps_the_failed_passage() -> None:
    memory = indexed(made(ScriptedOpenIE(broken="weather"), keep=()))
    assert isinstance(memory, AccountsForIndex)
    assert memory.index_usage == SPENT + SPENT
    assert memory.failures == (("s3", "no usable reply"),)
    assert ids(memory.recall(Query("q", "chat", 0, "Awful weather")))[0] == "s3"
    assert "s3" in ids(indexed(made(ScriptedOpenIE(broken="weather"), top_k=9)).recall(QUERY))


def test_a_history_of_which_nothing_could_be_read_stops_the_run() -> None:
    with pytest.raises(NoPassageReadError, match=r"history chat; the first failure, in s1: no us"):
        indexed(made(ScriptedOpenIE(broken="Ann")))


@pytest.mark.parametrize("works", [0, 1, 2])
def test_an_outage_of_the_embedder_is_made_up_for_by_indexing_again(works: int) -> None:
    embedder = FailingEmbedder(works)
    memory = made(openie := ScriptedOpenIE(), embedder=embedder)
    with pytest.raises(TimeoutError):
        indexed(memory)
    whole = indexed(made())
    assert indexed(memory).recall(QUERY) == whole.recall(QUERY)
    assert memory.rank(QUERY.text).scores.tolist() == whole.rank(QUERY.text).scores.tolist()
    assert memory.index_usage == whole.index_usage
    assert len(openie.read) == 3


def test_messages_are_passages_when_that_is_the_unit() -> None:
    openie = ScriptedOpenIE()
    evidence = indexed(made(openie, unit="message", top_k=9)).recall(QUERY)
    assert sorted(ids(evidence)) == ["a", "b", "c", "d"]
    assert openie.read[1] == f"[{DAY}] Ann: Bob bought it"


def test_a_repeated_text_is_one_passage_with_both_sources() -> None:
    openie = ScriptedOpenIE()
    again = History("chat", (Episode("s9", (message("z", "I sold the boat"),)),))
    evidence = indexed(made(openie, top_k=9), CHAT, again).recall(QUERY)
    assert len(openie.read) == 3
    assert {passage.id: passage.source for passage in evidence.passages}["s1"] == ("a", "z")


def test_readers_are_shown_the_passages_and_not_the_step_that_found_them() -> None:
    evidence = indexed(made()).recall(QUERY)
    shown = interaction_history(evidence, Cap(items=5, characters=500))
    assert shown == "\n".join(passage.text for passage in evidence.passages)


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"unit": "turn"}, "unknown unit 'turn'"),
        ({"top_k": 0}, "method.build.top_k must be at least 1"),
        ({"linking_top_k": 0}, "method.build.linking_top_k must be at least 1"),
    ],
)
def test_settings_that_mean_nothing_are_refused(setting: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        made(**setting)


class TestOnDisk:
    def test_a_loaded_index_recalls_and_grows_as_the_saved_one(self, tmp_path: Path) -> None:
        saved = indexed(made(ScriptedOpenIE(broken="weather")))
        assert isinstance(saved, PersistentMemory)
        saved.save(tmp_path)
        loaded = made()
        loaded.load(tmp_path)
        assert loaded.recall(QUERY) == saved.recall(QUERY)
        assert (loaded.index_usage, loaded.failures) == (saved.index_usage, saved.failures)
        more = History("chat", (Episode("s4", (message("e", "The café"),)),))
        for memory in (saved, loaded):
            memory.index(more)
        assert loaded.recall(QUERY) == saved.recall(QUERY)

    def test_the_vectors_of_another_embedder_are_refused(self, tmp_path: Path) -> None:
        indexed(made()).save(tmp_path)
        with pytest.raises(ValueError, match=r"expected \(3, 32\)"):
            made(embedder=HashingEmbedder(dimension=32)).load(tmp_path)

    @pytest.mark.parametrize(
        ("part", "value", "reason"),
        [
            ("synonyms", np.array([[0, 99]]), "not valid pairs of its 5 phrases"),
            ("likeness", np.array([np.nan]), "not valid pairs of its 5 phrases"),
            ("synonyms", np.array([[0.0, 1.0]]), "not valid pairs of its 5 phrases"),
            ("texts", np.frombuffer(b'{"passages": 1}', np.uint8), r"texts\['passages'\]: "),
            ("others", np.ones(1), "found the parts .*'others'"),
            ("facts", np.ones((3, 64), np.float32), "its facts have vectors"),
            ("phrases", np.zeros((5, 64), np.float32), "has length 0"),
        ],
    )
    def test_parts_that_do_not_belong_together_are_refused(
        self, tmp_path: Path, part: str, value: object, reason: str
    ) -> None:
        indexed(made()).save(tmp_path)
        parts = open_arrays(tmp_path, FORMAT)
        parts |= {"synonyms": np.array([[0, 1]]), "likeness": np.array([0.9])}
        write_arrays(tmp_path, FORMAT, {**parts, part: value})
        with pytest.raises(ValueError, match=reason):
            made().load(tmp_path)

    def test_texts_without_the_triples_of_each_passage_are_refused(self, tmp_path: Path) -> None:
        indexed(made()).save(tmp_path)
        parts = open_arrays(tmp_path, FORMAT)
        texts = json.loads(parts["texts"].tobytes()) | {"triples": []}
        changed = np.frombuffer(json.dumps(texts).encode(), np.uint8)
        write_arrays(tmp_path, FORMAT, {**parts, "texts": changed})
        with pytest.raises(
            ValueError, match="some of its passages are the same, or have no triples"
        ):
            made().load(tmp_path)
