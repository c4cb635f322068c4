import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.locomo_plus import LoCoMoPlus, choose_places, read_lines
from remem.config.run_config import compose_config
from remem.protocols import CountsFlaws
from remem.time_scope import TimePoint
from remem.types import Episode, Gold, Message, Query, Question


def conversation(sample_id):
    return {
        "sample_id": sample_id,
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hi."}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "Bye."}],
            "session_2_date_time": "12:05 am on 8 July, 2023",
        },
        "qa": [{"question": "Who?", "answer": "Ann", "evidence": ["D1:1"], "category": 4}],
    }


CONVERSATIONS = [conversation("conv-1"), conversation("conv-2")]
ITEM = {
    "relation_type": "goal",
    "cue_dialogue": "A: I want to row: fast.\nB: Good.",
    "trigger_query": "A: The water was calm.",
    "time_gap": "about six weeks later",
    "model_name": "x",
    "scores": {},
}


def item(**changes):
    return ITEM | changes


@pytest.fixture
def build(tmp_path):
    def built(*items, conversations=CONVERSATIONS, **settings):
        for folder, name, content in (
            ("locomo_plus", "plus.json", list(items)),
            ("locomo", "chats.json", conversations),
        ):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / name).write_text(json.dumps(content))
        chosen = {"choice": "in_turn", "seed": 0, "gap_rule": "released"} | settings
        return LoCoMoPlus(
            data=str(tmp_path), file="plus.json", conversations="chats.json", **chosen
        )

    return built


def test_an_empty_session_is_no_place_of_a_cue_and_a_silent_conversation_is_refused(build):
    chat = conversation("conv-1")
    chat["conversation"]["session_1"] = []
    [history] = build(ITEM, conversations=[chat]).histories()
    assert [episode.id for episode in history.episodes] == ["cue", "session_2"]
    chat["conversation"]["session_2"] = []
    chat["qa"] = []
    with pytest.raises(ValueError, match="'conv-1' has no message"):
        build(ITEM, conversations=[chat])


def test_the_cue_is_inserted_in_order_of_time(build):
    # 8 July and 7 days is 15 July; 42 days before is 3 June.
    [history] = build(ITEM).histories()
    assert history.id == "plus-000-conv-1"
    assert [episode.id for episode in history.episodes] == ["session_1", "cue", "session_2"]
    time, date = TimePoint(2023, 6, 3, 5), "12:05 am on 3 June, 2023"
    assert history.episodes[1] == Episode(
        "cue",
        (
            Message("D0:1", "Ann", "I want to row: fast.", time, date),
            Message("D0:2", "Bob", "Good.", time, date),
        ),
    )


def test_the_question_is_the_remark_and_the_cue_its_evidence(build):
    assert build(ITEM).questions("plus-000-conv-1") == (
        Question(
            Query("plus-000", "plus-000-conv-1", 0, "Ann: The water was calm."),
            Gold(
                ("Ann: I want to row: fast.\nBob: Good.",),
                "goal",
                evidence=("D0:1", "D0:2"),
                group="conv-1",
            ),
        ),
    )


@pytest.mark.parametrize(
    ("gap", "rule", "order", "date"),
    [
        ("one week later", "released", ["session_1", "session_2", "cue"], "8 July, 2023"),
        ("several months later", "released", ["session_1", "session_2", "cue"], "15 July, 2023"),
        ("several months later", "counted", ["cue", "session_1", "session_2"], "16 April, 2023"),
        ("a year later", "released", ["cue", "session_1", "session_2"], "15 July, 2022"),
    ],
)
def test_a_cue_may_come_before_or_after_all_sessions(build, gap, rule, order, date):
    [history] = build(item(time_gap=gap), gap_rule=rule).histories()
    assert [episode.id for episode in history.episodes] == order
    cue = history.episodes[order.index("cue")]
    assert cue.messages[0].date == f"12:05 am on {date}"


def test_items_take_the_conversations_in_turn(build):
    assert [history.id for history in build(ITEM, ITEM, ITEM).histories()] == [
        "plus-000-conv-1",
        "plus-001-conv-2",
        "plus-002-conv-1",
    ]


def test_a_random_choice_is_that_of_its_seed(build):
    def ids(seed):
        benchmark = build(*[ITEM] * 12, choice="random", seed=seed)
        return [history.id for history in benchmark.histories()]

    assert ids(1) == ids(1)
    assert ids(1) != ids(2)
    assert [each[:8] for each in ids(1)] == [f"plus-{n:03d}" for n in range(12)]


@given(st.integers(0, 50), st.integers(1, 10), st.sampled_from(["in_turn", "random"]))
def test_every_item_has_one_of_the_conversations(items, conversations, choice):
    places = choose_places(items, conversations, choice, 0)
    assert len(places) == items
    assert set(places) <= set(range(conversations))


def test_the_flaws_are_counted(build):
    benchmark = build(
        ITEM,
        item(cue_dialogue="A: I row.", time_gap="several months later"),
        item(time_gap="two years later"),
    )
    assert isinstance(benchmark, CountsFlaws)
    assert benchmark.flaws() == {
        "cues of a single line": 1,
        "cues that repeat another": 1,
        "phrasings of the time gap": 3,
        "time gaps without a number, read as 0 days as released": 1,
        "cues before all sessions": 1,
        "cues after all sessions": 1,
    }


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cue_dialogue": ""}, r"the cue of item 0 of locomo_plus/plus.json has no lines"),
        ({"cue_dialogue": "C: Hi."}, r"the cue of item 0 .* has the line 'C: Hi.', expected 'A: "),
        (
            {"trigger_query": "B: Hi."},
            "the trigger of item 0 .* has lines by B, expected one line by A",
        ),
        ({"trigger_query": "A: Hi.\nA: Ho."}, "has lines by A, A, expected one line by A"),
        ({"time_gap": None}, "'time_gap' of item 0 .* is NoneType, expected str"),
        ({"time_gap": "9999 years later"}, "the time gap '9999 years later' is too long"),
    ],
)
def test_a_malformed_item_is_named(build, wrong, message):
    with pytest.raises(ValueError, match=message):
        build(item(**wrong))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"choice": "first"}, "choice is 'first', expected 'in_turn' or 'random'"),
        ({"gap_rule": "x"}, "gap_rule is 'x', expected 'released' or 'counted'"),
        ({"conversations": []}, "locomo/chats.json has no conversations"),
    ],
)
def test_malformed_settings_and_conversations_are_named(build, settings, message):
    with pytest.raises(ValueError, match=message):
        build(ITEM, **settings)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1).filter(
    lambda text: text.strip() == text
)


@given(st.lists(st.tuples(st.sampled_from("AB"), TEXTS), min_size=1))
def test_lines_are_read_back(lines):
    text = "\n\n".join(f" {speaker}: {said}" for speaker, said in lines)
    assert read_lines(text, "the cue") == tuple(lines)


@given(st.text())
def test_any_text_is_read_or_refused(text):
    try:
        lines = read_lines(text, "the cue")
    except ValueError as error:
        assert str(error).startswith("the cue has ")
    else:
        assert all(speaker in "AB" and said for speaker, said in lines)


@pytest.mark.parametrize(
    ("convention", "rule"),
    [("paper", "released"), ("reference", "released"), ("strict", "counted")],
)
def test_the_convention_chooses_how_gaps_are_read(convention, rule):
    config = compose_config(["dataset=locomo_plus", f"convention={convention}"])
    assert config.dataset.build.gap_rule == rule


@pytest.mark.real_data
def test_the_real_file_has_the_known_counts(real_data):
    settings = {"choice": "in_turn", "seed": 0, "gap_rule": "released"}
    files = {"file": "locomo_plus.json", "conversations": "locomo10.json"}
    try:
        real = LoCoMoPlus(data=str(real_data), **files, **settings)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    histories = real.histories()
    golds = [question.gold for h in histories for question in real.questions(h.id)]
    assert len(histories) == len(golds) == 401
    assert Counter(gold.category for gold in golds) == {
        "causal": 101,
        "goal": 100,
        "state": 100,
        "value": 100,
    }
    assert Counter(len(gold.evidence) for gold in golds) == {1: 44, 2: 357}
    flaws = real.flaws()
    assert flaws["phrasings of the time gap"] == 50
    assert flaws["time gaps without a number, read as 0 days as released"] == 15
    assert (flaws["cues before all sessions"], flaws["cues after all sessions"]) == (28, 33)
