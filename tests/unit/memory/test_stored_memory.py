"""A stored memory answers like the original, grows on disk, and is refused if damaged."""

from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest

from remem.embed.hashing import HashingEmbedder
from remem.errors import DamagedIndexError
from remem.index.bm25_lexical import Bm25sLexical, RankBm25Lexical
from remem.index.numpy_dense import NumpyDense
from remem.index.stored_arrays import json_array, open_arrays, write_arrays
from remem.memory.planners import ScriptedPlanner
from remem.memory.remem_memory import REMem
from remem.memory.stored_memory import FORMAT
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, ToolRules
from remem.protocols import PersistentMemory
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message, ToolCall, Usage

TOWNS = ("Ulm", "Bonn", "Köln", "New\nTown")
CALLS = (
    ToolCall("semantic_retrieve", {"query": "Ann sails to Ulm"}),
    ToolCall("semantic_retrieve", {"query": "Ann", "start_time": "2003", "end_time": "2006"}),
    ToolCall("lexical_retrieve", {"query": "Bonn sails"}),
    ToolCall("find_gist_contexts", {"gist_id": "g2"}),
    ToolCall("find_entity_contexts", {"subject": "ANN", "ordering": "desc"}),
    ToolCall("find_entity_contexts", {"object": "wn", "aggregation": "count_unique_objects"}),
    ToolCall("find_entity_contexts", {"predicate": "sails to"}),
)

QUESTION = "Where does Ann sail to?"
MORE = (("Trier",), ("Ulm", "Jena", "Hof"))
BM25 = partial(Bm25sLexical, k1=1.5, b=0.75, method="lucene")


class Sailing:
    """Extracts a gist and a fact from a town's message, but only one of them if it says so."""

    def extract(self, episode):
        gists, facts = [], []
        for message in episode.messages:
            number, town = int(message.id), message.text
            time = TimeScope(TimePoint(2000 + number))
            if not town.startswith("fact"):
                gists.append(Gist("", f"Ann sails to {town}, trip 1", time, "", (message.id,)))
            if not town.startswith("gist"):
                own, said = time if number % 2 else None, TimePoint(2000 + number)
                facts.append(Fact("", "Ann", "sails to", town, own, "", (message.id,), said))
        return Extraction(tuple(gists), tuple(facts), Usage(1, 2, 3))


def trips(*towns, first=0):
    numbered = enumerate(towns, first)
    episodes = [Episode(f"s{at // 2}", (Message(str(at), "", town),)) for at, town in numbered]
    return History("h", tuple(episodes))


def empty_memory(dimension=64, lexical=BM25):
    return REMem(
        extractor=Sailing(),
        episode_unit="session",
        parallel_episodes=1,
        embedder=HashingEmbedder(dimension=dimension),
        dense=NumpyDense,
        lexical=lexical,
        planner=ScriptedPlanner(),
        max_steps=5,
        top_k=4,
        synonymy_threshold=0.8,
        rules=ToolRules(
            "record_time", "gists_and_facts", "episode_and_similar", "any", "all", "error"
        ),
        fact_string="bars",
        use_gists=True,
        use_facts=True,
        use_synonymy=True,
        tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
    )


def indexed(*histories):
    memory = empty_memory()
    for history in histories:
        memory.index(history)
    return memory


def opened(*folders, **parts):
    memory = empty_memory(**parts)
    memory.load(*folders)
    return memory


def place(folder, name):
    (folder / name).mkdir()
    return folder / name


def later(number):
    """Return the history of an addition."""
    return trips(*MORE[number], first=len(TOWNS) + number * len(MORE[0]))


def whole_memory():
    return indexed(trips(*TOWNS), later(0), later(1))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The folder of a memory."""
    folder = place(tmp_path, "memory")
    indexed(trips(*TOWNS)).save(folder)
    return folder


@pytest.fixture
def additions(tmp_path: Path, saved: Path) -> tuple[Path, Path]:
    """The folders of two additions to the memory, the second one by another process."""
    first, second = place(tmp_path, "first"), place(tmp_path, "second")
    for folders, new in (((saved,), first), ((saved, first), second)):
        growing = opened(*folders)
        growing.index(later(len(folders) - 1))
        growing.append(new)
    return first, second


def assert_alike(one, other):
    assert list(one.graph.gists) == list(other.graph.gists)
    assert list(one.graph.facts) == list(other.graph.facts)
    assert one.graph.phrases == other.graph.phrases
    assert one.graph.episodes == other.graph.episodes
    assert one.graph.synonymy_pairs() == other.graph.synonymy_pairs()
    assert (one.index_usage, one.failures) == (other.index_usage, other.failures)
    for call in CALLS:
        assert one.toolbox().execute(call, QUESTION) == other.toolbox().execute(call, QUESTION)


@pytest.mark.parametrize("towns", [TOWNS, ("gist alone",), ("fact alone",), ()])
def test_a_memory_is_loaded_as_it_was_saved(tmp_path, towns):
    memory = indexed(trips(*towns))
    memory.save(tmp_path)
    assert isinstance(memory, PersistentMemory)
    assert bool(memory.graph.synonymy_pairs()) == (towns == TOWNS)
    assert_alike(opened(tmp_path), memory)


def test_what_was_added_is_there_when_it_is_loaded_again(saved, additions):
    before = {path: path.read_bytes() for path in saved.iterdir()}
    assert_alike(opened(saved, *additions), whole_memory())
    assert {path: path.read_bytes() for path in saved.iterdir()} == before


def test_a_memory_in_one_process_appends_only_what_is_new(tmp_path, additions):
    memory, again = indexed(trips(*TOWNS)), [place(tmp_path, f"again {at}") for at in range(3)]
    memory.save(again[0])
    for number, folder in enumerate(again[1:]):
        memory.index(later(number))
        memory.append(folder)
    for one, other in zip(again[1:], additions, strict=True):
        assert {path.name: path.read_bytes() for path in one.iterdir()} == {
            path.name: path.read_bytes() for path in other.iterdir()
        }
    assert_alike(opened(*again), whole_memory())


def test_a_memory_with_additions_is_saved_as_one_that_was_never_stored(tmp_path, saved, additions):
    one, other = place(tmp_path, "one"), place(tmp_path, "other")
    opened(saved, *additions).save(one)
    whole_memory().save(other)
    assert {path.name: path.read_bytes() for path in one.iterdir()} == {
        path.name: path.read_bytes() for path in other.iterdir()
    }


def test_a_memory_that_is_saved_where_it_was_loaded_stays_whole(saved):
    memory = opened(saved)
    memory.index(later(0))
    memory.save(saved)
    for found in (memory, opened(saved)):
        assert_alike(found, indexed(trips(*TOWNS), later(0)))


@pytest.mark.parametrize(
    "lexical",
    [
        partial(Bm25sLexical, k1=0.9, b=0.4, method="atire"),
        partial(RankBm25Lexical, k1=1.5, b=0.75, epsilon=0.25),
    ],
)
def test_a_lexical_index_of_any_kind_is_that_of_the_stored_texts(tmp_path, saved, lexical):
    built = empty_memory(lexical=lexical)
    built.index(trips(*TOWNS))
    built.save(other := place(tmp_path, "other"))
    assert_alike(opened(saved, lexical=lexical), built)
    assert_alike(opened(other), indexed(trips(*TOWNS)))


def assert_refused(why, *folders, dimension=64):
    """Assert that loading fails and names the last folder, and that nothing stays in memory."""
    memory = empty_memory(dimension)
    with pytest.raises(DamagedIndexError, match=why) as raised:
        memory.load(*folders)
    assert str(raised.value).startswith(f"{folders[-1]}: not a complete stored memory (")
    if dimension == 64:
        memory.index(trips(*TOWNS))
        assert_alike(memory, indexed(trips(*TOWNS)))


def test_a_memory_of_another_embedder_is_refused(saved):
    assert_refused(r"gist_vectors are of shape \(4, 64\), expected \(4, 32\)", saved, dimension=32)


def test_a_memory_of_an_earlier_version_is_refused(tmp_path, saved):
    old = place(tmp_path, "old")
    (old / "index.npz").write_bytes(b"PK")
    assert_refused(r"arrays\.json is missing", old)
    rewritten(saved, form="remem mapped memory, version 3")
    assert_refused("found the format 'remem mapped memory, version 3', expected", saved)


def test_an_addition_belongs_to_its_memory_alone_and_in_its_place(tmp_path, saved, additions):
    assert_refused("it is an addition", additions[0])
    assert_refused("it is not the next addition", saved, additions[1])
    assert_refused("it is not the next addition", saved, saved)
    indexed(trips("Kiel")).save(other := place(tmp_path, "other"))
    assert_refused("it is not the next addition", other, additions[0])


def test_a_memory_that_was_never_stored_cannot_be_added_to(tmp_path):
    with pytest.raises(ValueError, match="must be saved or loaded before additions"):
        indexed(trips(*TOWNS)).append(tmp_path)


def test_every_flipped_bit_is_noticed_and_named(saved, additions):
    folders = (saved, *additions)
    contents = {path: path.read_bytes() for folder in folders for path in folder.iterdir()}
    draw = Random(11)
    for _ in range(40):
        path = draw.choice(list(contents))
        flipped = bytearray(contents[path])
        flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
        path.write_bytes(flipped)
        assert_refused(None, *folders[: folders.index(path.parent) + 1])
        path.write_bytes(contents[path])


def rewritten(folder, form=FORMAT, **changes):
    """Change arrays, and update their checksums; an array that becomes None is left out."""
    arrays = open_arrays(folder, FORMAT) | changes
    write_arrays(folder, form, {name: one for name, one in arrays.items() if one is not None})


def first_is(number):
    def change(array):
        changed = np.array(array)
        changed.ravel()[0] = number
        return changed

    return change


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("manifest", lambda array: array[:-1], "manifest: Invalid JSON"),
        (
            "manifest",
            lambda array: json_array(dict, {"usage": 3, "failures": [], "follows": ""}),
            r"manifest\['usage'\]: Input should be",
        ),
        ("phrases", lambda array: None, "phrases: found no such array, expected uint8 in 1D"),
        (
            "phrases",
            lambda array: json_array(list, ["x", "x"]),
            "phrases repeat a name, expected 2 different names",
        ),
        ("episodes", lambda array: json_array(list, ["x"]), "gist_episodes are not all numbers be"),
        ("gist_episodes", first_is(10**9), "gist_episodes are not all numbers below 2"),
        ("triples", lambda array: array[:2], "expected 3 rows and a column for each"),
        ("synonyms", lambda array: np.array([[0, 99]]), "synonyms are not all numbers below 4"),
        ("synonyms", lambda array: np.array([[1, 1]]), r"synonyms has a pair \(i, j\) with i >= j"),
        ("synonyms", lambda array: np.array([[0, 1, 2]]), r"synonyms are of shape \(1, 3\)"),
        ("fact_ends", first_is(10**9), "fact_ends do not ascend to"),
        ("gist_scopes", lambda array: array[:, :-1], "gist_scopes are of shape"),
        ("gist_vectors", lambda array: array.astype(np.float64), "gist_vectors: found float64"),
        ("gist_vectors", lambda array: 2 * array, "vector 0 of 4 has length 2"),
        (
            "gist_lexical_vocabulary",
            lambda array: json_array(list[str], ["ann", "ann"]),
            "a term index repeats some of its 2 terms",
        ),
        ("gist_lexical_entries", lambda array: None, "entries' is missing"),
        ("gist_lexical_entries", first_is(99), "entries of a term index are not all numbers below"),
        ("gist_lexical_starts", first_is(3), "starts of a term index do not match its entries"),
        ("gist_lexical_counts", lambda array: array[1:], "have different lengths"),
        ("fact_lexical_lengths", lambda array: array.astype(np.int64), "lengths are int64"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(saved, name, change, why):
    rewritten(saved, **{name: change(open_arrays(saved, FORMAT)[name])})
    assert_refused(why, saved)


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("synonyms", lambda array: np.array([[0, 99]]), "synonyms are not all numbers below 5"),
        ("gist_ends", lambda array: array[:0], "gist_ends do not ascend to"),
        ("fact_vectors", lambda array: None, "fact_vectors: found no such array"),
        ("fact_lines", first_is(0), "item f5 of a stored memory cannot be read"),
    ],
)
def test_an_addition_that_does_not_fit_is_refused(saved, additions, name, change, why):
    rewritten(additions[0], **{name: change(open_arrays(additions[0], FORMAT)[name])})
    assert_refused(why, saved, additions[0])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (first_is(0), r"item g1 of a stored memory cannot be read \(Invalid JSON"),
        (
            lambda lines: np.frombuffer(lines.tobytes().replace(b'"g1"', b'"g2"'), np.uint8),
            r"item g1 of a stored memory cannot be read \(it has the id 'g2'\)",
        ),
    ],
)
def test_an_item_that_cannot_be_read_is_named_when_it_is_read(saved, change, why):
    rewritten(saved, gist_lines=change(open_arrays(saved, FORMAT)["gist_lines"]))
    with pytest.raises(DamagedIndexError, match=why):
        list(opened(saved).graph.gists)


def test_a_gist_of_an_episode_that_is_not_there_is_named_when_its_context_is_asked_for(saved):
    rewritten(saved, episodes=json_array(list[str], ["x", "y"]))
    graph = opened(saved).graph
    with pytest.raises(DamagedIndexError, match="which is not in the memory"):
        graph.context(graph.gists[0].episode_id)
