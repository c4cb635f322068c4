"""The generated dialogues: schema, dates, and answers against a second, slower solver."""

import json
import re
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from remem.benchmarks.dialogues.events import draw_cast, draw_starts, names
from remem.benchmarks.dialogues.generator import GeneratedDialogues, generate_dialogues
from remem.benchmarks.dialogues.plan import plan_dialogue

SIZES = {
    "seed": 7,
    "conversations": 6,
    "sessions": 20,
    "events_per_session": 4,
    "questions_per_session": 5,
}
RAW = generate_dialogues(**SIZES)


def planned(number):
    rng = np.random.default_rng((7, number))
    return plan_dialogue(
        rng,
        f"gen-{number}",
        draw_cast(rng),
        draw_starts(rng, 20),
        events_per_session=4,
        questions_per_session=5,
    )


PLANNED = [planned(number) for number in range(1, 7)]
EVERY_QUESTION = [(plan, question) for plan in PLANNED for question in plan.questions]

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
EXPRESSION = re.compile(
    r"\b(yesterday|tomorrow|last night|this morning|(?:two|three|four|five|six) (?:day|week)s ago|"
    r"in (?:two|three|four|five|six) days|last weekend|(?:last|next) (?:week|month)|"
    rf"two months ago|last year|in \d{{4}}|(?:last|this|next) (?:{'|'.join(DAYS)}))\b",
    re.IGNORECASE,
)
DATE = re.compile(
    r"(1[0-2]|[1-9]):[0-5]\d [ap]m on ([12]\d|3[01]|[1-9]) (January|February|March|April|May|June|"
    r"July|August|September|October|November|December), \d{4}"
)


def texts(raw):
    """Return the texts of a conversation by message id."""
    return {message["dia_id"]: message["text"] for message in messages(raw)}


def messages(raw):
    return [message for session in sessions(raw) for message in session]


def sessions(raw):
    return [value for value in raw["conversation"].values() if isinstance(value, list)]


def start(raw, dia_id):
    """Return when the session of a message began."""
    session = dia_id[1:].split(":")[0]
    written = raw["conversation"][f"session_{session}_date_time"]
    return datetime.strptime(written, "%I:%M %p on %d %B, %Y")


def word_day(day):
    return f"{day.day} {day:%B %Y}"


def resolve(expression, said):
    """Return the days that a relative expression means, found day by day."""
    words = expression.lower().split()
    exact = {"yesterday": -1, "last night": -1, "this morning": 0, "tomorrow": 1}
    if expression.lower() in exact:
        return word_day(said + timedelta(exact[expression.lower()]))
    if words[-1] == "days":
        return word_day(said + timedelta(COUNTS[words[1]]))
    if words[1:] == ["days", "ago"]:
        return word_day(said - timedelta(COUNTS[words[0]]))
    if words[1:] == ["weeks", "ago"]:
        return f"{words[0]} weeks before {word_day(said)}"
    if words[-1] in DAYS:
        day = said
        while True:
            day += timedelta(-1 if words[0] == "last" else 1)
            if day.weekday() == DAYS.index(words[-1]):
                return word_day(day)
    if words[-1] in ("week", "weekend"):
        side = "before" if words[0] == "last" else "after"
        return f"the {words[-1]} {side} {word_day(said)}"
    if words[-1] == "year":
        return str(said.year - 1)
    if words[0] == "in":
        return words[1]
    months = {"next month": 1, "last month": -1, "two months ago": -2}[expression.lower()]
    return f"{shift_month(said, months):%B %Y}"


def shift_month(day, months):
    first = day.replace(day=1)
    for _ in range(abs(months)):
        first = (first + timedelta(32 if months > 0 else -1)).replace(day=1)
    return first


def may_be(event, known):
    """Return whether an event fits what is known of it; an untold detail may have any value."""
    days = (event.telling.last - event.telling.first).days
    months = {f"{event.telling.first + timedelta(n):%B %Y}" for n in range(days + 1)}
    return all(
        value in months if slot == "month" else event.details.get(slot, value) == value
        for slot, value in known.items()
    )


def alike(plan, question):
    """Return the events with the speaker and the activity of a question."""
    return [
        event
        for event in plan.events
        if event.speaker in question.speakers and event.activity.name == question.activity
    ]


def about_one_event(question):
    return (
        question.category in (1, 2, 4, 5)
        and len(question.speakers) == 1
        and question.slot != "activity"
        and "from first to last" not in question.text
    )


def test_a_conversation_of_the_default_size_has_the_questions_asked_for_each_once():
    assert len(RAW) == 6
    for raw in RAW:
        categories = Counter(question["category"] for question in raw["qa"])
        assert categories == {1: 14, 2: 16, 3: 5, 4: 42, 5: 23}
        assert len({question["question"] for question in raw["qa"]}) == len(raw["qa"])
        assert 350 <= len(messages(raw)) <= 450


def test_the_schema_is_that_of_locomo10_json():
    for raw in RAW:
        assert set(raw) == {
            *("sample_id", "conversation", "qa"),
            *("event_summary", "observation", "session_summary"),
        }
        assert isinstance(raw["sample_id"], str)
        chat = raw["conversation"]
        numbers = range(1, 21)
        assert set(chat) == {"speaker_a", "speaker_b"} | {
            f"session_{n}{suffix}" for n in numbers for suffix in ("", "_date_time")
        }
        for message in messages(raw):
            assert set(message) == {"speaker", "dia_id", "text"}
            assert message["speaker"] in (chat["speaker_a"], chat["speaker_b"])
            assert message["text"] == message["text"].strip() != ""
        for question in raw["qa"]:
            answer = "adversarial_answer" if question["category"] == 5 else "answer"
            assert set(question) == {"question", answer, "evidence", "category"}
            assert isinstance(question["question"], str)
            assert isinstance(question[answer], str)
            assert isinstance(question["category"], int)
            assert isinstance(question["evidence"], list)


@pytest.mark.real_data
def test_keys_and_types_are_those_of_the_real_file(real_data):
    path = real_data / "locomo/locomo10.json"
    real = json.loads(path.read_text(encoding="utf-8"))

    def shape(raw, of):
        keys = [of(item) for item in raw]
        return {(key, type(value)) for item in keys for key, value in item.items()}

    def merge(raw, part):
        return [item for conversation in raw for item in part(conversation)]

    assert shape(RAW, dict) <= shape(real, dict)
    for part in (messages, lambda raw: raw["qa"]):
        assert shape(merge(RAW, part), dict) <= shape(merge(real, part), dict)
    assert all(DATE.fullmatch(raw["conversation"]["session_1_date_time"]) for raw in real)


def test_in_a_session_ids_count_from_one_speakers_take_turns_and_nobody_repeats_a_line():
    for raw in RAW:
        for number, session in enumerate(sessions(raw), 1):
            assert [m["dia_id"] for m in session] == [
                f"D{number}:{n}" for n in range(1, len(session) + 1)
            ]
            assert all(a["speaker"] != b["speaker"] for a, b in pairwise(session))
            said = [(message["speaker"], message["text"]) for message in session]
            assert len(set(said)) == len(said)


def test_dates_are_written_as_in_locomo_and_rise_over_about_half_a_year():
    for raw in RAW:
        chat = raw["conversation"]
        dates = [chat[f"session_{n}_date_time"] for n in range(1, 21)]
        assert all(DATE.fullmatch(written) for written in dates)
        starts = [start(raw, f"D{n}:1") for n in range(1, 21)]
        assert starts == sorted(starts)
        assert all(8 <= moment.hour < 22 for moment in starts)
        gaps = [(b.date() - a.date()).days for a, b in pairwise(starts)]
        assert min(gaps) < 7, "some sessions are in one week"
        assert max(gaps) >= 14, "some are weeks apart"
        assert 90 <= (starts[-1] - starts[0]).days <= 500
        assert date(2021, 1, 1) <= starts[0].date() <= date(2023, 12, 31)


def test_a_conversation_does_not_depend_on_how_many_there_are():
    assert generate_dialogues(**SIZES | {"conversations": 1}) == RAW[:1]


def test_evidence_names_messages_that_exist_in_order_and_once():
    for raw in RAW:
        position = {dia_id: n for n, dia_id in enumerate(texts(raw))}
        for question in raw["qa"]:
            found = [position[dia_id] for dia_id in question["evidence"]]
            assert found == sorted(set(found)) != []


def test_the_told_expression_resolves_to_the_answer_of_a_when_question():
    for raw in RAW:
        said = texts(raw)
        for question in (q for q in raw["qa"] if q["category"] == 2):
            told = [
                (dia_id, expression)
                for dia_id in question["evidence"]
                for expression in EXPRESSION.findall(said[dia_id])
            ]
            assert len(told) == 1, question
            dia_id, expression = told[0]
            assert resolve(expression, start(raw, dia_id).date()) == question["answer"], question


def test_every_kind_of_expression_is_told():
    told = {
        re.sub(r"\d{4}", "YEAR", expression.lower())
        for raw in RAW
        for text in texts(raw).values()
        for expression in EXPRESSION.findall(text)
    }
    assert {
        *("yesterday", "last night", "this morning", "tomorrow", "in YEAR", "two days ago"),
        *("two weeks ago", "last weekend", "last week", "last month", "two months ago"),
        *("last year", "next week", "next month", "in three days"),
        *("last friday", "this friday", "next monday"),
    } <= told


def test_only_messages_that_date_an_event_name_a_time():
    for plan, raw in zip(PLANNED, RAW, strict=True):
        lines = [line for session in plan.sessions for line in session]
        for line, text in zip(lines, texts(raw).values(), strict=True):
            assert len(EXPRESSION.findall(text)) == ("time" in line.tells), text


def test_the_evidence_of_a_single_hop_question_contains_the_answer():
    for raw in RAW:
        said = texts(raw)
        for question in (q for q in raw["qa"] if q["category"] == 4):
            evidence = " ".join(said[dia_id] for dia_id in question["evidence"]).lower()
            assert re.search(rf"\b{re.escape(question['answer'].lower())}\b", evidence), question
            assert len({dia_id.split(":")[0] for dia_id in question["evidence"]}) == 1


def test_the_evidence_of_a_multi_hop_question_spans_messages_and_mostly_sessions():
    spans = []
    for raw in RAW:
        for question in (q for q in raw["qa"] if q["category"] == 1):
            assert len(question["evidence"]) >= 2
            spans.append(len({dia_id.split(":")[0] for dia_id in question["evidence"]}) >= 2)
    assert sum(spans) / len(spans) > 0.95


def test_every_detail_stands_in_the_message_that_tells_it():
    for plan in PLANNED:
        for line in (line for session in plan.sessions for line in session):
            if line.event is not None:
                event = plan.events[line.event]
                assert line.speaker == event.speaker
                for slot in {*line.tells, *line.mentions} - {"activity"}:
                    value = event.telling.expression if slot == "time" else event.details[slot]
                    assert re.search(rf"\b{re.escape(value.lower())}\b", line.text.lower())


def test_every_detail_is_told_once():
    for plan in PLANNED:
        told = Counter(
            (line.event, slot)
            for session in plan.sessions
            for line in session
            for slot in line.tells
        )
        assert set(told.values()) == {1}
        assert set(told) == {
            (event.index, slot) for event in plan.events for slot in (*event.details, "activity")
        }


def test_one_event_and_no_other_answers_an_answerable_question():
    asked = [(p, q) for p, q in EVERY_QUESTION if about_one_event(q) and q.category != 5]
    assert len(asked) > 200
    for plan, question in asked:
        meant = [event for event in alike(plan, question) if may_be(event, question.known)]
        assert [event.details[question.slot] for event in meant] == [question.answer], question


def test_no_event_answers_an_unanswerable_question():
    for plan, question in EVERY_QUESTION:
        if question.category == 5:
            assert not any(may_be(event, question.known) for event in alike(plan, question))


def test_a_trap_asks_the_wrong_speaker_or_for_what_never_was():
    wrong_speaker = []
    for plan, question in EVERY_QUESTION:
        if question.category == 5:
            others = [e for e in plan.events if e.activity.name == question.activity]
            others = [e for e in others if e.speaker not in question.speakers]
            wrong_speaker.append(any(may_be(event, question.known) for event in others))
    assert 0.3 < sum(wrong_speaker) / len(wrong_speaker) < 0.8


def test_the_question_names_the_speaker_and_all_that_is_known():
    for plan, question in EVERY_QUESTION:
        names = [plan.cast.people[speaker].name for speaker in question.speakers]
        for word in (*names, *question.known.values()):
            assert word in question.text


def test_lists_hold_all_values_in_order_of_time():
    lists = [(p, q) for p, q in EVERY_QUESTION if "from first to last" in q.text]
    assert len(lists) > 10
    for plan, question in lists:
        pastimes = question.slot == "activity"
        pool = [e for e in plan.events if e.speaker in question.speakers]
        pool = pool if pastimes else alike(plan, question)
        told = {
            event.telling.first: event.activity.name if pastimes else event.details[question.slot]
            for event in pool
            if (pastimes or question.slot in event.details)
            and all(event.details.get(slot) == value for slot, value in question.known.items())
            and not event.planned
        }
        in_order = [told[day] for day in sorted(told)]
        assert question.answer.split(", ") == list(dict.fromkeys(in_order)), question


def test_counts_and_common_ground_are_right():
    for plan, question in EVERY_QUESTION:
        if "How many times" in question.text:
            assert int(question.answer) == len(alike(plan, question))
        if len(question.speakers) == 2:
            mine, yours = (
                {e.details.get(question.slot) for e in alike(plan, question) if e.speaker == i}
                for i in range(2)
            )
            assert (mine & yours) - {None} == {question.answer}


def test_open_domain_answers_follow_from_what_was_felt_or_done():
    for plan, question in EVERY_QUESTION:
        if question.category == 3:
            felt = {e.details["feeling"] for e in alike(plan, question) if "feeling" in e.details}
            if question.slot == "feeling":
                moods = {"Likely yes": names().good_moods, "Likely no": names().bad_moods}[
                    question.answer
                ]
                assert felt
                assert felt <= set(moods)
            else:
                first, second = re.findall(r"one for ([\w ]+?)(?: or|\?)", question.text)
                never = {first, second} - {question.answer}
                done = [e.activity.name for e in plan.events if e.speaker in question.speakers]
                assert done.count(question.answer) >= 3
                assert not never & set(done)
                assert not felt & set(names().bad_moods)


def test_word_search_finds_some_of_the_evidence_but_not_all():
    def tokens(text):
        return re.findall(r"\w+", text.lower())

    recalls = []
    for raw in RAW:
        said = messages(raw)
        index = BM25Okapi([tokens(f"{m['speaker']}: {m['text']}") for m in said])
        for question in raw["qa"]:
            scores = index.get_scores(tokens(question["question"]))
            best = {said[i]["dia_id"] for i in np.argsort(-scores, kind="stable")[:10]}
            evidence = set(question["evidence"])
            recalls.append(len(best & evidence) / len(evidence))
    assert 0.45 <= np.mean(recalls) <= 0.9


def test_the_loader_reads_what_was_generated():
    benchmark = GeneratedDialogues(**SIZES, evidence_rule="paper")
    histories = benchmark.histories()
    assert [history.id for history in histories] == [raw["sample_id"] for raw in RAW]
    for raw, history in zip(RAW, histories, strict=True):
        assert {message.id: message.text for message in history.messages()} == texts(raw)
        for item, question in zip(raw["qa"], benchmark.questions(history.id), strict=True):
            assert question.query.text == item["question"]
            assert question.gold.evidence == tuple(item["evidence"])
            assert question.gold.answerable == (item["category"] != 5)
            assert question.gold.unresolved == ()


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (1, 1, 50, 5), (2, 3, 2, 40), (1, 60, 1, 2)])
def test_other_sizes_load_too(sizes):
    names = ("conversations", "sessions", "events_per_session", "questions_per_session")
    benchmark = GeneratedDialogues(
        seed=0,
        **dict(zip(names, sizes, strict=True)),
        evidence_rule="tolerant",
    )
    assert len(benchmark.histories()) == sizes[0]
    for history in benchmark.histories():
        assert len(history.episodes) == sizes[1]
        assert len(benchmark.questions(history.id)) <= sizes[1] * sizes[3]


@pytest.mark.parametrize("name", ["conversations", "sessions", "events_per_session", "seed"])
def test_a_size_below_its_least_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"{name}=-1"):
        GeneratedDialogues(**SIZES | {name: -1}, evidence_rule="paper")


def test_more_sessions_than_the_calendar_has_room_for_are_refused():
    longest = SimpleNamespace(integers=lambda low, high=None: (low if high is None else high) - 1)
    with pytest.raises(ValueError, match="90000 sessions would end after the year 9999"):
        draw_starts(longest, 90_000)  # 35 days apart
