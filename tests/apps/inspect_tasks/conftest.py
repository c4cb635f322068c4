"""Small files of the four benchmarks, and runs whose answers are replayed."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from remem.config.run_config import configure
from remem.metrics.scores import score_questions
from remem.results.judging import judge_run
from remem.run.experiment import run_experiment
from remem.types import Record

NOON = "1:56 pm on 8 May, 2023"
QUESTIONS = [
    {"question": "Who sold the boat?", "answer": "Bob", "evidence": ["D1:1"], "category": 4},
    {"question": "Who sank it?", "adversarial_answer": "Ann", "evidence": [], "category": 5},
]
LOCOMO = [
    {
        "sample_id": name,
        "conversation": {
            "session_1": [{"speaker": "Bob", "dia_id": "D1:1", "text": "I sold my boat."}],
            "session_1_date_time": NOON,
        },
        "qa": QUESTIONS,
    }
    for name in ("conv-1", "conv-2")
]
MOMENT = "05.01.2024, 22:42:04"
REALTALK = {
    "name": {"speaker_1": "Ann", "speaker_2": "Bob"},
    "session_1": [
        {"clean_text": "I sold my boat.", "speaker": "Bob", "date_time": MOMENT, "dia_id": "D1:1"}
    ],
    "session_1_date_time": MOMENT,
    "qa": QUESTIONS[:1],
}
LONGMEMEVAL = [
    {
        "question_id": name,
        "question_type": "multi-session",
        "question": "How many boats?",
        "answer": 2,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["answer_1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "I sold two boats."}]],
        "answer_session_ids": ["answer_1"],
    }
    for name in ("q1", "q2_abs")
]
SAID = {"role": "user", "id": 0, "content": "I sold it.", "time_anchor": "March-15-2024"}
BEAM = [{"batch_number": 1, "time_anchor": None, "turns": [[SAID]]}]
PROBES = {
    "abstention": [{"question": "Who rowed?", "ideal_response": "-", "rubric": ["says nothing"]}],
    "summarization": [{"question": "Sum up.", "ideal_summary": "A sale.", "rubric": ["a sale"]}],
}
FILES = {
    "locomo/locomo10.json": LOCOMO,
    "realtalk/Chat_1_Ann_Bob.json": REALTALK,
    "longmemeval/longmemeval_s_cleaned.json": LONGMEMEVAL,
    "beam/100K/1/chat.json": BEAM,
    "beam/100K/1/probing_questions.json": PROBES,
}


@pytest.fixture(scope="session")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a few messages and questions in the file format of each benchmark."""
    folder = tmp_path_factory.mktemp("data")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    return folder


class Recorded(NamedTuple):
    """The records of a run, and the scores of each by query id."""

    records: tuple[Record, ...]
    scores: Mapping[str, Mapping[str, float | None]]


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., Recorded]:
    """Return a function that runs BM25 with a model-free reader, and has rules judge answers."""

    def make(*overrides: str) -> Recorded:
        chosen = ("method=bm25_messages", "reader=extractive", "judge=rules")
        quick = (f"paths.results={tmp_path}", "convention.score.resamples=99")
        config = configure(*chosen, *quick, *overrides)
        run = run_experiment(config)
        verdicts = judge_run(config, run.folder, run.records).verdicts
        scores = score_questions(run.records, config.score_convention(), verdicts)
        return Recorded(tuple(run.records), {each.query_id: each.scores for each in scores})

    return make
