"""What every benchmark must satisfy: one suite over every YAML in conf/dataset.

A dataset that is read from files is tested on the small files made here, and on the real ones if
REMEM_DATA holds them. A generator needs only its YAML, and an entry in SMALLER if its defaults are
large. A new dataset with its own files needs an entry in `write_files`.
"""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from remem.config.instantiation import instantiate_checked, nodes
from remem.config.run_config import compose_config

CONF = Path(__file__).parents[2] / "conf"
DATASETS = Path(__file__).parents[2] / "datasets"
SETS = {path.stem: OmegaConf.load(path) for path in sorted((CONF / "dataset").glob("*.yaml"))}
SMALLER = {
    "generated_complex_tr": {"subjects": 10, "questions_per_level": 5},
    "generated_dialogues": {"conversations": 2, "sessions": 3},
    "generated_tot": {"graphs_per_cell": 1},
    "generated_updates": {"conversations": 2},
    "locomo_live_check": {"sessions": 1, "questions": 1},
}


def build(name, data):
    config = compose_config([f"dataset={name}", f"paths.data={data}"])
    arguments = OmegaConf.to_container(config.dataset.build, resolve=True)
    return instantiate_checked(arguments | SMALLER.get(name, {}))


def write_files(data):
    write_locomo(data / "locomo")
    write_realtalk(data / "realtalk")
    write_test_of_time(data / "test_of_time")
    write_complex_tr(data / "complex_tr")
    write_musique(data / "musique")
    write_two_wiki(data / "2wiki")
    write_personamem(data / "personamem")
    write_locomo_plus(data / "locomo_plus")
    write_beam(data / "beam")
    write_longmemeval(data / "longmemeval")


def write_beam(folder):
    said = {"role": "user", "id": 0, "content": "I sold it. ->-> 1,1"}
    chat = [{"turns": [[said | {"time_anchor": "March-15-2024"}]]}]
    asked = {"question": "Who?", "answer": "I", "source_chat_ids": [0], "rubric": ["I"]}
    for number in (1, 2):
        (folder / "100K" / str(number)).mkdir(parents=True)
        (folder / "100K" / str(number) / "chat.json").write_text(json.dumps(chat))
        questions = {"abstention": [asked], "event_ordering": [asked]}
        path = folder / "100K" / str(number) / "probing_questions.json"
        path.write_text(json.dumps(questions))


def write_longmemeval(folder):
    date = "2023/05/30 (Tue) 23:40"
    said = {"role": "user", "content": "I sold two boats."}
    question = {"question": "How many?", "question_type": "multi-session", "answer": 2}
    haystack = {"haystack_session_ids": ["s_1"], "haystack_dates": [date]}
    haystack |= {"haystack_sessions": [[said | {"has_answer": True}]]}
    gold = {"question_date": date, "answer_session_ids": ["s_1"]}
    instances = [{"question_id": name, **question, **haystack, **gold} for name in ("1", "2_abs")]
    asked = {"id": "1", "category": "temporal", "question": "How many?"}
    asked["ground_truth"] = {"answer": "2", "supporting_session_ids": [], "valid_as_of": date}
    session = {"id": "s_1", "timestamp": date, "turns": [said | {"metadata": {}}]}
    folder.mkdir()
    (folder / "longmemeval_s_cleaned.json").write_text(json.dumps(instances))
    (folder / "excerpt16_questions.jsonl").write_text(json.dumps(asked))
    (folder / "excerpt16_sessions.jsonl").write_text(json.dumps(session))


def write_locomo(folder):
    chat = {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Bye."}],
        "session_2_date_time": "9:05 am on 1 June, 2023",
        "session_1": [{"speaker": "Bob", "dia_id": "D1:1", "text": "I sold it."}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    }
    qa = [
        {"question": "Who sold it?", "answer": "Bob", "evidence": ["D1:1"], "category": 4},
        {"question": "Who ate it?", "adversarial_answer": "Bob", "evidence": ["D"], "category": 5},
    ]
    nested = [{"sample_id": f"conv-{n}", "conversation": chat, "qa": qa} for n in (1, 26)]
    folder.mkdir()
    (folder / "locomo10.json").write_text(json.dumps(nested))


def write_realtalk(folder):
    said = {"speaker": "Ann", "dia_id": "D1:1", "clean_text": "Hello."}
    said["date_time"] = "05.01.2024, 10:00:00"
    question = {"question": "Who?", "answer": "Ann", "evidence": ["D1:1", ""], "category": 1}
    folder.mkdir()
    for n in (1, 10):
        chat = {"session_1": [said], "qa": [question]}
        (folder / f"Chat_{n}_Ann_Bob.json").write_text(json.dumps(chat))


def write_test_of_time(folder):
    facts = [f"E{n} was the R1 of E2 from 199{n} to 1999." for n in (1, 2)]
    asked = "Which entity was the first R1 of E2?"
    instruction = "Answer the following question in JSON."
    records = [
        {
            "prompt": "\n".join(
                ["Here is a set of temporal facts:", *order, "", instruction, "Question:", asked]
            ),
            "question": asked,
            "question_type": "first_last",
            "label": "E1",
        }
        for order in (facts, facts[::-1])
    ]
    folder.mkdir()
    (folder / "tot_semantic.json").write_text(json.dumps(records))


def write_complex_tr(folder):
    facts = [f"Ann studied at {name} from May 199{n} to May 1999." for n, name in enumerate("AB")]
    asked = {"question": "Where was Ann educated in May 1995?", "fact_context": " \n ".join(facts)}
    ids = [f"L2_Q1_P69_{n}" for n in (0, 1)]
    sample = [asked | {"id": record_id, "answers": ["A", "B"]} for record_id in ids]
    folder.mkdir()
    (folder / "complex_tr_1000.json").write_text(json.dumps(sample))
    (folder / "complex_tr_1000_corpus.json").write_text(json.dumps(facts))


def write_musique(folder):
    passages = [{"title": title, "text": f"On {title}."} for title in ("Ann", "Bob")]
    paragraphs = [
        {"idx": n, "title": p["title"], "paragraph_text": p["text"], "is_supporting": n == 1}
        for n, p in enumerate(passages)
    ]
    asked = {"question": "Who?", "answer": "Bob", "question_type": "", "evidence": ""}
    train = {"paragraphs": paragraphs, "answer_aliases": ["Bobby"], "answerable": True}
    folder.mkdir()
    for questions, corpus, record in (
        ("questions", "musique_corpus", {"id": "musique_2hop__1_2"} | asked),
        ("musique_train", "musique_train_corpus", {"id": "3hop1__1_2_3"} | asked | train),
    ):
        (folder / f"{questions}.json").write_text(json.dumps([record]))
        (folder / f"{corpus}.json").write_text(json.dumps(passages))


def write_two_wiki(folder):
    question = {"id": "1", "question": " Who? ", "answer": "yes", "question_type": "comparison"}
    folder.mkdir()
    (folder / "questions.json").write_text(json.dumps([question]))
    (folder / "2wikimultihopqa_corpus.json").write_text(json.dumps([{"title": "A", "text": "B"}]))


def write_locomo_plus(folder):
    item = {
        "relation_type": "goal",
        "cue_dialogue": "A: I want to row.\nB: Good.",
        "trigger_query": "A: The water was calm.",
    }
    gaps = ("two weeks later", "several months later", "a year later")
    folder.mkdir()
    (folder / "locomo_plus.json").write_text(json.dumps([item | {"time_gap": gap} for gap in gaps]))


def write_personamem(folder):
    session = {"content": "[USER] User: I row.", "user_id": "ctx", "timestamp": None}
    asked = {
        "query": "I saw a boat.\n\n(a) You row.\n(b) You ski.",
        "gold_answers": ["(a) You row.", "a"],
        "gold_ids": ["ctx_0"],
        "user_id": "ctx",
        "meta": {
            "persona_id": "0",
            "question_type": "suggest_new_ideas",
            "retrieval_query": "I saw a boat.",
        },
    }
    folder.mkdir()
    sessions = [session | {"id": f"ctx_{n}"} for n in (0, 1)]
    (folder / "32k_documents.json").write_text(json.dumps(sessions))
    questions = [asked | {"id": f"q-{n}"} for n in (0, 1)]
    (folder / "32k_queries.json").write_text(json.dumps(questions))


@pytest.fixture(scope="module")
def small_data(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    write_files(data)
    return str(data)


skip = pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")


def real(name):
    return pytest.param((name, "real"), id=f"{name}-real", marks=[pytest.mark.real_data, skip])


def reads_files(name):
    parts = nodes(OmegaConf.to_container(SETS[name].build))
    return any("data" in part for part in parts)


CASES = [pytest.param((name, "small"), id=f"{name}-small") for name in SETS]
CASES += [real(name) for name in SETS if reads_files(name)]


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return request.param


@pytest.fixture(scope="module")
def benchmark(case, small_data):
    name, kind = case
    try:
        return build(name, small_data if kind == "small" else os.environ["REMEM_DATA"])
    except FileNotFoundError as error:
        pytest.skip(str(error))


def asked(benchmark):
    return [(history, list(benchmark.questions(history.id))) for history in benchmark.histories()]


def test_histories_have_unique_ids_and_messages_in_order_of_time(benchmark):
    histories = benchmark.histories()
    assert histories
    assert len({history.id for history in histories}) == len(histories)
    for history in histories:
        episodes, messages = history.episodes, list(history.messages())
        assert episodes
        assert all(episode.messages for episode in episodes)
        assert len({episode.id for episode in episodes}) == len(episodes)
        assert len({message.id for message in messages}) == len(messages)
        assert all(message.id and message.text for message in messages)
        minutes = [m.time.first_minute for m in messages if m.time is not None]
        assert minutes == sorted(minutes)


def test_a_query_has_an_id_of_its_own_and_names_its_history_and_its_place(benchmark):
    ids = [question.query.id for _, questions in asked(benchmark) for question in questions]
    assert ids
    assert len(set(ids)) == len(ids)
    for history, questions in asked(benchmark):
        messages = sorted(message.id for message in history.messages())
        for place, query in enumerate(question.query for question in questions):
            assert (query.history_id, query.index) == (history.id, place)
            assert query.text and query.text == query.text.strip()
            assert not query.order or sorted(query.order) == messages
    with pytest.raises(ValueError, match="no such history"):
        benchmark.questions("no such history")


def test_a_gold_has_an_answer_a_category_a_group_and_messages_of_its_history(benchmark):
    for history, questions in asked(benchmark):
        ids = {message.id for message in history.messages()}
        for gold in (question.gold for question in questions):
            assert set(gold.evidence) <= ids
            assert len(set(gold.evidence)) == len(gold.evidence)
            assert gold.answers
            assert all(isinstance(a, str) and a.strip() for a in gold.answers)
            assert gold.category
            assert gold.group
            # only an unanswerable question may have the refusal as gold
            assert not (gold.answerable and "no information available" in gold.answers)


def test_the_files_are_named_with_their_sha256(benchmark):
    files = benchmark.files()
    assert files
    assert all(file.name and re.fullmatch("[0-9a-f]{64}", file.sha256) for file in files)


def test_the_same_settings_give_the_same_benchmark(case, benchmark, small_data):
    name, kind = case
    if kind == "small":
        again = build(name, small_data)
        assert asked(again) == asked(benchmark)
        assert list(again.files()) == list(benchmark.files())
    assert asked(benchmark) == asked(benchmark)


def pinned_sums():
    for sums in sorted(DATASETS.glob("*/SHA256SUMS")):
        for line in sums.read_text().splitlines():
            expected, file = line.split("  ")
            yield f"{sums.parent.name}/{file}", expected


def test_a_sum_is_a_sha256_or_marked_as_unpinned():
    assert all(re.fullmatch("[0-9a-f]{64}|UNPINNED", expected) for _, expected in pinned_sums())


@pytest.mark.real_data
@skip
def test_the_pinned_sums_are_those_of_the_files_that_are_there():
    there = {
        file: hashlib.sha256(path.read_bytes()).hexdigest()
        for file, expected in pinned_sums()
        if expected != "UNPINNED" and (path := Path(os.environ["REMEM_DATA"]) / file).is_file()
    }
    assert there
    assert there.items() <= dict(pinned_sums()).items()
