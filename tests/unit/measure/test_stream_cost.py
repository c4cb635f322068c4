"""The cost of appending a memory session by session, on a small chat."""

from measure import stream_cost

from remem.config.run_config import configure


def test_a_line_compares_the_stream_with_the_batch_on_the_same_messages():
    config = configure(
        "method=bm25_messages",
        "dataset=generated_dialogues",
        "dataset.build.conversations=1",
        "dataset.build.sessions=4",
    )
    histories = config.build_benchmark().histories()
    line = stream_cost._line("bm25", config, histories, 2)
    messages = sum(1 for _ in histories[0].messages())
    assert line.note == f"1 histories, 4 sessions, {messages:,} messages"
    assert line.peer is not None
    assert (line.ours.n, line.peer.n) == (2, 2)
    assert 0 < line.peer.median < line.ours.median * 10


def test_each_session_is_a_part():
    config = configure("dataset=generated_dialogues", "dataset.build.sessions=3")
    history = config.build_benchmark().histories()[0]
    parts = stream_cost._by_session(history)
    assert [part.episodes for part in parts] == [(session,) for session in history.episodes]
