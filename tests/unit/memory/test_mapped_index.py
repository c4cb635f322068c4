"""A memory that is mapped from its files answers as the one that was written, and grows on disk."""

import json
from random import Random

import numpy as np
import pytest

from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.memory import mapped_index
from remem.memory.block_sums import BLOCK, FILE_NAME, Blocks, read_sums, sums_json, sums_of
from remem.memory.remem_memory import REMem
from remem.memory.scripted_planners import ScriptedPlanner
from remem.memory.tool_rules import ToolRules
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.protocols import DamagedIndexError
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


class Sailing:
    """A gist and a fact for each message that names a town, else a gist or a fact alone."""

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


def empty_memory(dimension=64):
    return REMem(
        extractor=Sailing(),
        episode_unit="session",
        parallel_episodes=1,
        embedder=HashingEmbedder(dimension=dimension),
        dense=NumpyDense,
        lexical=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
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


def opened(folder):
    memory = empty_memory()
    memory.open_mapped(folder)
    return memory


def assert_alike(one, other):
    assert list(one.graph.gists) == list(other.graph.gists)
    assert list(one.graph.facts) == list(other.graph.facts)
    assert one.graph.phrases == other.graph.phrases
    assert one.graph.episodes == other.graph.episodes
    assert one.graph.synonymy_pairs() == other.graph.synonymy_pairs()
    assert (one.index_usage, one.failures) == (other.index_usage, other.failures)
    for call in CALLS:
        found = one.toolbox().execute(call, QUESTION)
        assert found == other.toolbox().execute(call, QUESTION), call


def test_a_mapped_memory_answers_as_the_one_that_was_written(tmp_path):
    memory = indexed(trips(*TOWNS))
    memory.save_mapped(tmp_path)
    assert memory.graph.synonymy_pairs()
    assert_alike(opened(tmp_path), memory)


@pytest.mark.parametrize("town", ["gist alone", "fact alone"])
def test_a_memory_without_facts_or_without_gists_is_mapped_too(tmp_path, town):
    memory = indexed(trips(town))
    memory.save_mapped(tmp_path)
    again = opened(tmp_path)
    assert list(again.graph.gists) == memory.graph.gists
    assert list(again.graph.facts) == memory.graph.facts


def test_what_is_added_to_a_mapped_memory_is_there_when_it_is_opened_again(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    size = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    growing = opened(tmp_path)
    growing.append_mapped(tmp_path, trips("Trier", first=4))
    growing.append_mapped(tmp_path, trips("Ulm", "Jena", "Hof", first=5))
    whole = indexed(trips(*TOWNS), trips("Trier", first=4), trips("Ulm", "Jena", "Hof", first=5))
    assert_alike(growing, whole)
    assert_alike(opened(tmp_path), whole)
    assert {name: (tmp_path / name).stat().st_size for name in size} == size


def test_items_of_a_mapped_memory_are_read_from_either_end(tmp_path):
    memory = indexed(trips(*TOWNS))
    memory.save_mapped(tmp_path)
    gists = opened(tmp_path).graph.gists
    assert (gists[-1], gists[1:3]) == (memory.graph.gists[-1], memory.graph.gists[1:3])
    with pytest.raises(IndexError):
        gists[4]


@pytest.mark.parametrize("name", ["gist_vectors.npy", "fact_ends.npy", mapped_index.MANIFEST_NAME])
def test_a_folder_from_which_something_is_missing_is_refused_by_name(tmp_path, name):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ValueError, match="not a complete mapped memory") as raised:
        opened(tmp_path)
    assert str(tmp_path) in str(raised.value)


def test_a_file_that_is_cut_is_refused(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    path = tmp_path / "gist_vectors.npy"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="not a complete mapped memory"):
        opened(tmp_path)


def test_a_memory_of_another_embedder_or_format_is_refused(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    with pytest.raises(ValueError, match="64 dimensions, expected 32"):
        empty_memory(dimension=32).open_mapped(tmp_path)
    path = tmp_path / mapped_index.MANIFEST_NAME
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": "other"}))
    with pytest.raises(ValueError, match="found the format 'other'"):
        opened(tmp_path)


def test_a_memory_of_an_earlier_version_without_sums_is_refused_with_what_to_do(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    (tmp_path / FILE_NAME).unlink()
    with pytest.raises(ValueError, match=r"sums\.json.*delete it to index again"):
        opened(tmp_path)
    path = tmp_path / mapped_index.MANIFEST_NAME
    path.write_text(path.read_text().replace("version 4", "version 2"))
    with pytest.raises(ValueError, match=r"found the format .* 2', .*delete it to index again"):
        opened(tmp_path)


def test_a_memory_that_holds_something_opens_nothing(tmp_path):
    memory = indexed(trips(*TOWNS))
    memory.save_mapped(tmp_path)
    with pytest.raises(ValueError, match="already has 2 episodes"):
        memory.open_mapped(tmp_path)
    assert np.load(tmp_path / "gist_vectors.npy").shape == (6, 64)  # 4, and room for 2


def rewritten(folder, name, change):
    """Change an array, and its sums with it: what has the right sum is still checked."""
    path = folder / f"{name}.npy"
    array = np.load(path)
    path.unlink()
    np.save(path, change(array))
    sums = {**read_sums(folder), path.name: sums_of(path.name, np.load(path))}
    (folder / FILE_NAME).write_bytes(sums_json(sums))


def first_is(number):
    def change(array):
        changed = array.copy()
        changed.ravel()[0] = number
        return changed

    return change


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("phrases", lambda array: array[:-1], "Invalid JSON"),
        ("phrases", lambda array: array.astype(np.int64), "phrases: found int64"),
        ("gist_lexical_vocabulary", lambda array: array[:-1], "Invalid JSON"),
        ("gist_lexical_entries", first_is(99), "entries of a term index are not all numbers below"),
        ("gist_lexical_starts", first_is(3), "starts do not match the lists"),
        ("gist_scopes", lambda array: array.astype("U3"), "gist_scopes: found <U3"),
        ("fact_ends", first_is(10**9), "fact_ends are not the ends of pieces"),
        ("phrase_ends", first_is(-1), "phrase_ends are not the ends of pieces"),
        ("triples", first_is(99), "triples are not all numbers below"),
        ("synonyms", lambda array: np.array([[0, 99]]), "synonyms are not all numbers below 4"),
        ("gist_episodes", first_is(10**9), "gist_episodes are not all numbers below 2"),
    ],
)
def test_an_array_that_leads_nowhere_is_refused_by_name(tmp_path, name, change, told):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    rewritten(tmp_path, name, change)
    with pytest.raises(ValueError, match="not a complete mapped memory") as raised:
        opened(tmp_path)
    assert told in str(raised.value)


@pytest.mark.parametrize("name", ["phrases", "gist_lines", "gist_lexical_counts"])
def test_an_array_that_is_missing_is_refused_by_name(tmp_path, name):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    (tmp_path / f"{name}.npy").unlink()
    with pytest.raises(ValueError, match=r"not a complete mapped memory.*(missing|no such part)"):
        opened(tmp_path)


def test_an_item_that_is_no_item_is_named_when_it_is_read(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    rewritten(tmp_path, "gist_lines", first_is(0))
    with pytest.raises(DamagedIndexError, match="item 0 of a mapped memory cannot be read"):
        list(opened(tmp_path).graph.gists)


def test_an_array_that_claims_to_be_an_archive_is_refused(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    path = tmp_path / "phrases.npy"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(b"PK\x03\x04" + content[4:])
    with pytest.raises(ValueError, match="not a complete mapped memory"):
        opened(tmp_path)


def test_a_gist_of_an_episode_that_is_not_there_is_named_when_its_context_is_asked_for(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    rewritten(tmp_path, "episodes", lambda array: np.frombuffer(b'["x","y"]', np.uint8))
    graph = opened(tmp_path).graph
    with pytest.raises(DamagedIndexError, match="which is not in the memory"):
        graph.context(graph.gists[0].episode_id)


def test_a_flipped_bit_gives_an_error_or_the_same_answers(tmp_path):
    whole = indexed(trips(*TOWNS), trips("Trier", first=4))
    folder = tmp_path / "memory"
    folder.mkdir()
    indexed(trips(*TOWNS)).save_mapped(folder)
    opened(folder).append_mapped(folder, trips("Trier", first=4))
    contents = {path: path.read_bytes() for path in sorted(folder.iterdir())}
    draw, refused = Random(11), 0
    for _ in range(60):
        path = draw.choice(list(contents))
        flipped = bytearray(contents[path])
        flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
        path.unlink()  # an earlier memory has mapped it
        path.write_bytes(flipped)
        try:
            assert_alike(opened(folder), whole)
        except ValueError as error:  # of which DamagedIndexError is one
            refused += 1
            assert str(folder) in str(error)
            assert "delete" in str(error)
            assert "to index again" in str(error)
        path.write_bytes(contents[path])
    assert refused > 30  # the others are in the padding of a header or behind the vectors


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("gist_lines", lambda memory: memory.graph.gists[3]),
        ("gist_vectors", lambda memory: memory.toolbox().execute(CALLS[0], QUESTION)),
        ("fact_vectors", lambda memory: memory.toolbox().execute(CALLS[0], QUESTION)),
        ("fact_vectors", lambda memory: memory.save_mapped(None)),
    ],
)
def test_what_is_read_later_is_checked_when_it_is_first_read(tmp_path, name, asks):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    path = tmp_path / f"{name}.npy"
    content = bytearray(path.read_bytes())
    content[128 + 5] ^= 1  # behind the header: of the first item, or its vector
    path.unlink()
    path.write_bytes(content)
    memory = opened(tmp_path)
    with pytest.raises(DamagedIndexError, match=rf"{name}\.npy: its contents from byte 0 on"):
        asks(memory)


def test_only_the_blocks_that_are_read_are_compared_with_their_sums(tmp_path):
    array = np.arange(3 * BLOCK, dtype=np.uint8)
    sums = sums_of("x.npy", array)
    array[BLOCK] ^= 1
    blocks = Blocks(tmp_path / "x.npy", array, sums)
    blocks.check(0, BLOCK)
    blocks.check(2 * BLOCK, 3 * BLOCK)
    with pytest.raises(DamagedIndexError, match=r"x\.npy: its contents from byte 262,144 on"):
        blocks.check(BLOCK - 1, BLOCK + 1)


def test_a_memory_json_that_counts_other_tokens_is_refused(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    path = tmp_path / mapped_index.MANIFEST_NAME
    content = json.loads(path.read_text())
    content["account"]["usage"]["prompt_tokens"] += 1
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n")
    with pytest.raises(DamagedIndexError, match=r"memory\.json: its contents from byte 0 on"):
        opened(tmp_path)


def test_two_blocks_that_changed_places_with_their_sums_are_noticed(tmp_path):
    array = np.repeat(np.array([1, 2], np.uint8), BLOCK)
    first, second = sums_of("x.npy", array)
    blocks = Blocks(tmp_path / "x.npy", array[::-1], [second, first])
    with pytest.raises(DamagedIndexError, match=r"x\.npy: its contents from byte 0 on"):
        blocks.check()


def test_two_arrays_that_changed_places_are_noticed(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    vectors, facts = tmp_path / "gist_vectors.npy", tmp_path / "fact_vectors.npy"
    content = vectors.read_bytes()
    vectors.unlink()
    vectors.write_bytes(facts.read_bytes())
    facts.unlink()
    facts.write_bytes(content)
    with pytest.raises(DamagedIndexError, match="vectors"):
        opened(tmp_path).toolbox().execute(CALLS[0], QUESTION)


def test_a_sum_takes_at_most_40_bytes_a_block(tmp_path):
    sums = {"x.npy": sums_of("x.npy", np.zeros(64 * BLOCK, np.uint8))}
    assert len(sums["x.npy"]) == 64
    assert len(sums_json(sums)) <= 40 * 64


def test_an_addition_of_another_memory_is_refused(tmp_path):
    for name, towns in (("a", ("Ulm", "Bonn")), ("b", ("Kiel", "Hof", "Ulm"))):
        (tmp_path / name).mkdir()
        indexed(trips(*towns)).save_mapped(tmp_path / name)
        opened(tmp_path / name).append_mapped(tmp_path / name, trips("Trier", first=4))
    (tmp_path / "b/addition-000001.npz").rename(tmp_path / "a/addition-000001.npz")
    with pytest.raises(
        ValueError, match=r"addition-000001\.npz changed since it was written, or belongs to"
    ):
        opened(tmp_path / "a")


def test_an_addition_that_is_missing_is_named(tmp_path):
    indexed(trips(*TOWNS)).save_mapped(tmp_path)
    growing = opened(tmp_path)
    growing.append_mapped(tmp_path, trips("Trier", first=4))
    growing.append_mapped(tmp_path, trips("Kiel", first=5))
    (tmp_path / "addition-000001.npz").unlink()
    with pytest.raises(ValueError, match=r"addition-000001\.npz is missing"):
        opened(tmp_path)


@pytest.mark.parametrize("part", ["gist_vectors", "synonyms", "content"])
def test_an_addition_without_a_part_is_refused(tmp_path, part):
    memory = indexed(trips(*TOWNS))
    memory.save_mapped(tmp_path)
    grown = opened(tmp_path)
    grown.append_mapped(tmp_path, trips("Kiel", first=4))
    path = tmp_path / "addition-000001.npz"
    with np.load(path) as parts:
        kept = {name: parts[name] for name in parts.files if name != part}
    np.savez(path, **kept)
    with pytest.raises(ValueError, match=f"not a complete mapped memory .*{part}' is missing"):
        opened(tmp_path)
