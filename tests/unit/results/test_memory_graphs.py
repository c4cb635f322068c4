"""`remem data graph`: the properties of a dataset's graphs, and GraphML that other tools read."""

from pathlib import Path
from tempfile import TemporaryDirectory

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError
from remem.memory.graph import MemoryGraph
from remem.results.memory_graphs import memory_graphs, properties_of, write_graphml
from remem.time_scope import TimePoint, TimeScope
from remem.types import Extraction, Fact, Gist

SMALL = (
    "dataset=generated_complex_tr",
    "dataset.build.subjects=6",
    "dataset.build.questions_per_level=1",
)


def config(tmp_path: Path, *overrides: str):
    return run_config(compose_config([*SMALL, f"paths.results={tmp_path}", *overrides]))


def test_complex_tr_statements_give_a_gist_and_a_fact_each(tmp_path: Path) -> None:
    ((history, graph),) = memory_graphs(config(tmp_path))
    found = properties_of(history, graph)
    assert history.id == "complex-tr"
    assert found.gist_nodes == found.triples == len(graph.episodes)
    assert found.context_edges == 2 * found.triples
    assert found.gist_degree == 2.0
    assert found.input_tokens > 0


def read_back(path: Path) -> networkx.MultiDiGraph:
    return networkx.read_graphml(path, force_multigraph=True)


def test_graphml_holds_every_node_and_edge(tmp_path: Path) -> None:
    ((_, graph),) = memory_graphs(config(tmp_path))
    write_graphml(graph, tmp_path / "out" / "graph.graphml")
    read = read_back(tmp_path / "out" / "graph.graphml")
    counts = graph.counts()
    kinds = [kind for _, _, kind in read.edges(data="type")]
    assert read.is_directed()
    assert read.number_of_nodes() == counts.gists + counts.phrases
    assert kinds.count("relation") == counts.triples
    assert kinds.count("context") == counts.context_edges
    assert kinds.count("synonymy") == counts.synonymy_edges
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["graph.graphml"]


names = st.sampled_from(("Ann", "Bob & <Co>", "été 🚢", "E1"))
scopes = st.sampled_from((None, TimeScope(TimePoint(2023, 5)), TimeScope(end_time=TimePoint(1990))))
texts = st.text(st.characters(exclude_characters="\r", codec="utf-8"), min_size=1).filter(
    lambda text: all(char in "\t\n" or " " <= char <= "\ufffd" for char in text)
)


def facts_of(graph: networkx.MultiDiGraph) -> list[tuple[str, ...]]:
    """Read the triples off the relation edges."""
    named = graph.nodes
    return sorted(
        (key, named[s]["name"], data["predicate"], named[o]["name"], data.get("time", ""))
        for s, o, key, data in graph.edges(keys=True, data=True)
        if data["type"] == "relation"
    )


@given(
    st.lists(st.tuples(names, texts, names, scopes), max_size=6),
    st.lists(st.tuples(texts, scopes), max_size=3),
)
def test_what_is_exported_is_read_back_with_subject_and_object(triples, gists) -> None:
    graph = MemoryGraph()
    facts = tuple(Fact("", s, p, o, time, "", ("m1", "m2")) for s, p, o, time in triples)
    said = tuple(Gist("", text, time, "", ("m",)) for text, time in gists)
    graph.add_episode("s1", Extraction(said, facts))
    with TemporaryDirectory() as folder:
        write_graphml(graph, Path(folder) / "graph.graphml")
        read = read_back(Path(folder) / "graph.graphml")
    assert facts_of(read) == sorted(
        (f"f{at}", s, p, o, str(time or "")) for at, (s, p, o, time) in enumerate(triples, start=1)
    )
    assert {node: data["text"] for node, data in read.nodes(data=True) if node[0] == "g"} == {
        gist.id: gist.text for gist in graph.gists
    }
    context = {(u, v) for u, v, kind in read.edges(data="type") if kind == "context"}
    assert len(context) == graph.counts().context_edges
    assert all(u[0] == "g" and v[0] == "p" for u, v in context)


def of_one_gist(text: str) -> MemoryGraph:
    graph = MemoryGraph()
    graph.add_episode("s", Extraction((Gist("", text, None, "", ("m",)),)))
    return graph


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("bell \x07 and null \x00", "bell � and null �"),
        ("half a pair \ud83d", "half a pair �"),
        ("not a character \ufffe\uffff", "not a character ��"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
    ],
)
def test_what_xml_cannot_hold_is_replaced(tmp_path: Path, text: str, read: str) -> None:
    graph = of_one_gist(text)
    write_graphml(graph, tmp_path / "graph.graphml")
    assert read_back(tmp_path / "graph.graphml").nodes["g1"]["text"] == read
    assert graph.gists[0].text == text


def test_a_memory_without_a_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="method=remem_i"):
        list(memory_graphs(config(tmp_path, "method=full_context")))
