"""Each primitive comes out beside its peer at small sizes, and both give the same."""

import subprocess

import numpy as np
import pytest
from measure import importing, similar_pairs
from measure.beside import beside, scaled, timed
from measure.context_edges import measure_edges
from measure.importing import import_alone
from measure.lexical_peers import Peers, measure_lexical
from measure.line import MeasuredLine, MemoryGrowth, Sample
from measure.scoring_speed import measure_scoring
from measure.similar_pairs import by_numpy, measure_pairs
from measure.time_masks import Compared, measure_masks


def parts(measured):
    found = list(measured)
    lines = [item for item in found if isinstance(item, MeasuredLine)]
    return lines, [item for item in found if isinstance(item, MemoryGrowth)]


def test_two_things_are_measured_in_turns_and_the_first_round_does_not_count():
    ticks, done = iter(range(100)), []
    ours, peer = beside(
        lambda: done.append("ours"), lambda: done.append("peer"), 2, lambda: float(next(ticks))
    )
    assert done == ["ours", "peer"] * 3
    assert ours == peer == Sample(2, 1.0, 1.0, 1.0)
    assert scaled(ours, 1000) == Sample(2, 1000.0, 1000.0, 1000.0)
    assert timed(lambda: None, iter([3.0, 5.0]).__next__) == 2.0


def test_time_filters_keep_what_two_columns_of_dates_keep():
    lines, (growth,) = parts(measure_masks((50, 200), 1))
    assert [line.peer is not None for line in lines] == [True, True]
    assert growth.sizes == (50, 200)
    compared = Compared.of(500)
    assert 0 < compared.ours().sum() < 500
    assert np.array_equal(compared.ours(), compared.peer())


def test_masks_that_differ_are_refused():
    compared = Compared.of(500)
    with pytest.raises(ValueError, match="the masks of 500 scopes differ"):
        Compared(compared.table, compared.starts[::-1], compared.ends[::-1]).check()


def test_synonymy_edges_are_those_of_the_plain_products():
    lines, (growth,) = parts(measure_pairs((20, 40), 1))
    assert [line.note for line in lines] == ["4 edges, the same", "8 edges, the same"]
    assert growth.sizes == (20, 40)


def test_synonymy_edges_of_one_size_have_no_growth():
    lines, growths = parts(measure_pairs((20,), 1))
    assert [line.ours.n for line in lines] == [1]
    assert not growths


def test_pairs_that_differ_away_from_the_threshold_are_refused(monkeypatch):
    monkeypatch.setattr(similar_pairs, "by_numpy", lambda rows: by_numpy(rows)[1:])
    with pytest.raises(ValueError, match=r"the pair 3, 4 is 0\.9"):
        list(measure_pairs((20,), 1))


def test_context_edges_are_compared_in_memory_and_lookup():
    lines, (growth,) = parts(measure_edges((30, 90), 1))
    assert [line.unit for line in lines] == ["MB", "us"] * 4
    assert ["networkx" in line.against for line in lines] == [False, False, True, True] * 2
    assert all(line.peer for line in lines)
    assert growth.sizes == (30, 90)


def test_a_lookup_of_phrases_is_a_row_of_the_sparse_matrix():
    from measure.context_edges import EdgePeer, _graph, _matrix, _row_entries, phrases_of

    graph, seeds = _graph(60), [0, 26, 27, 59]
    rows = [row.tolist() for row in _row_entries(_matrix(graph), seeds)]
    assert phrases_of(graph, seeds) == rows
    in_networkx = EdgePeer.of_networkx(_matrix(graph)).phrases(seeds)
    expected = [sorted(row) for row in rows]
    assert [sorted(-1 - phrase for phrase in row) for row in in_networkx] == expected
    assert _matrix(graph).nnz == graph.counts().context_edges


def test_lexical_search_has_every_peer_at_each_size():
    lines, (growth,) = parts(measure_lexical((40, 80), 1))
    expected = ["by numpy", "by numba", "tantivy", "rank-bm25"] * 2
    assert all(peer in line.against for peer, line in zip(expected, lines, strict=True))
    assert growth.sizes == (40, 80)


def test_the_best_text_is_the_same_for_ours_and_for_bm25s_alone():
    peers = Peers.of(200)
    bare = peers.bm25s("numpy")
    for query in peers.queries[:5]:
        (found,), (scores,) = bare(query)
        ours = peers.by_ours(query)
        assert ours[0][1] == pytest.approx(scores[0], abs=1e-4)
        assert ours[0][0] in found


def test_scoring_is_timed_anew_and_over_a_table():
    lines, _ = parts(measure_scoring((20,), 20, 1))
    assert "20 records" in lines[0].name
    assert "10 rows of 20 questions" in lines[1].name


def test_a_package_that_imports_something_heavy_is_refused(monkeypatch):
    import_alone("remem")
    monkeypatch.setattr(importing, "HEAVY", ("json",))
    with pytest.raises(subprocess.CalledProcessError):
        import_alone("json")


def test_a_start_is_measured_in_cpu_seconds_beside_bare_imports(monkeypatch):
    monkeypatch.setattr(importing, "STARTS", {("--help",): "import typer"})
    (line,) = importing.measure_starts(1)
    assert line.beside == "remem --help, compared with python -c 'import typer'"
    assert line.peer.median > 0
    assert line.ours.median > 0  # about as much: the help imports typer and little else
    assert line.goal.bound == 2


def test_a_start_that_fails_is_no_measurement():
    with pytest.raises(subprocess.CalledProcessError):
        importing.start(("nosuch",))
