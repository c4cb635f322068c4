"""What is sent of a run is derived from its folder, and contains neither texts nor paths."""

import json
from dataclasses import asdict

import pytest

from remem.reports.wandb.payload import (
    asked_a_stub,
    run_id,
    run_payload,
    shared_config,
)
from remem.results.run import Run
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.run.store import open_run, read_records


def test_scores_stand_under_slash_names_with_their_intervals(written) -> None:
    summary = run_payload(Run.open(written())).summary
    # "In the harbour." normalises to the gold; "no" is not "yes": the mean of 1 and 0.
    assert summary["generated_dialogues/all/em"] == 0.5
    assert summary["generated_dialogues/all/em/n"] == 2
    assert summary["generated_dialogues/a_b/em"] == 1.0
    assert summary["generated_dialogues/a_b/em/n"] == 1
    assert "generated_dialogues/a_b/em/ci_lo" not in summary  # of one question
    assert summary["generated_dialogues/c/em"] == 0.0
    assert summary["generated_dialogues/c/em/n"] == 1
    low, high = (summary[f"generated_dialogues/all/em/ci_{end}"] for end in ("lo", "hi"))
    assert 0.0 <= low <= 0.5 <= high <= 1.0
    assert "generated_dialogues/all/refusal_recall" not in summary  # nothing was unanswerable


def test_questions_tokens_and_seconds_are_counted(written) -> None:
    summary = run_payload(Run.open(written())).summary
    assert {name: value for name, value in summary.items() if "generated" not in name} == {
        "questions/asked": 3,
        "questions/answered": 2,
        "questions/errors": 1,
        "questions/refused": 0,
        "questions/unanswerable": 0,
        "wrong/evidence not known": 1,
        "seconds/index": 2.0,
        "seconds/recall": 1.5,
        "seconds/read": 0.75,
        "calls/index": 3,
        "tokens/index/in": 600,
        "tokens/index/out": 60,
        "calls/recall": 1,
        "tokens/recall/in": 100,
        "tokens/recall/out": 10,
        "calls/read": 1,
        "tokens/read/in": 40,
        "tokens/read/out": 4,
        "tokens/per_question": pytest.approx(154 / 3),
        "tokens/context_per_question": pytest.approx(40 / 3),
    }


def test_dollars_are_told_where_prices_are_known(written) -> None:
    folder = written(
        *("llm=gpt-4.1-mini-2025-04-14", "reader=direct", "extractor=llm", "planner=llm")
    )
    summary = run_payload(Run.open(folder)).summary
    # 0.40 and 1.60 dollars for a million tokens: 740 in and 74 out.
    assert summary["dollars/all"] == pytest.approx((740 * 0.4 + 74 * 1.6) / 1e6)
    assert summary["dollars/index"] == pytest.approx((600 * 0.4 + 60 * 1.6) / 1e6)


def test_the_scores_are_a_table_with_their_intervals(written) -> None:
    run = Run.open(written())
    payload = run_payload(run)
    table = payload.tables["scores"]
    assert table.columns == ("run", "score", "mean", "low", "high", "n")
    rows = {row[1]: row for row in table.rows}
    name = "generated_dialogues/all/em"
    ends = (payload.summary[f"{name}/ci_lo"], payload.summary[f"{name}/ci_hi"])
    label = f"REMem-I (scripted) ({run.manifest.fingerprint[:6]})"
    assert rows[name] == (label, name, 0.5, *ends, 2)
    assert rows["generated_dialogues/c/em"] == (label, "generated_dialogues/c/em", 0, None, None, 1)


def test_a_row_of_the_table_is_a_question(written) -> None:
    table = run_payload(Run.open(written())).tables["questions"]
    first, _, last = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert first == {
        "query_id": "q0",
        "history_id": "h",
        "category": "a/b",
        "status": "ok",
        "error": "",
        "f1": 1.0,
        "bleu1": 0.5,  # "the" and "harbour" of the four tokens In the harbour .
        "em": 1.0,
        "recall_at_10": None,
        "refused": False,
        "unanswerable": False,
        "steps": 0,
        "retrieved": 1,
        "tokens_in": 140,
        "tokens_out": 14,
        "context_tokens": 30,
        "seconds": 0.75,
        "cause": None,
    }
    assert (last["status"], last["error"], last["em"]) == ("error", "TimeoutError", None)


def test_texts_are_in_the_table_only_when_they_are_asked_for(written) -> None:
    run = Run.open(written())
    table = run_payload(run, with_text=True).tables["questions"]
    first, _, last = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert first["question"].startswith("Where did Ann")
    assert (first["gold"], first["answer"]) == ("in the harbour", "In the harbour.")
    assert last["error"] == "TimeoutError: said secret"
    plain = json.dumps(asdict(run_payload(run)))
    assert not any(text in plain for text in ("red boat", "in the harbour", "said secret"))


def test_a_run_is_named_by_its_fingerprint_and_its_judge(written) -> None:
    folder = written()
    fingerprint = folder.name.rpartition("-")[2]
    assert run_id(Run.open(folder)) == fingerprint
    with open_judgments(folder / "judgments.llm-abc.jsonl") as log:
        for case in cases_of(read_records(folder), "by_category", 1):
            log.append(Judgment(case, "ok", correct=True))
    payload = run_payload(Run.open(folder))
    assert payload.run_id == f"{fingerprint}-llm-abc"
    assert payload.summary["generated_dialogues/all/llm_judge"] == 1.0
    assert payload.config["remem"]["judge"] == "llm-abc"


def test_the_configuration_is_nested_and_names_no_place_of_this_machine(written) -> None:
    address = "http://models.example/v1"
    where = f"llm.build.endpoint.base_url={address}"
    folder = written("llm=openai_compatible", "reader=direct", where, "llm.name=mine")
    secret = "http://ann:canary@models.example/v1?key=canary"
    with open_run(folder) as store:  # a run that is older than the refusal of such addresses
        manifest = json.dumps(store.read_manifest()).replace(address, secret)
        store.write_manifest(json.loads(manifest))
    payload = run_payload(Run.open(folder))
    assert payload.config["method"]["name"] == "remem_i"
    assert payload.config["paths"]["results"] == "<results>"
    assert payload.config["remem"]["data"] == {"made up": "0" * 64}
    assert payload.config["remem"]["llm"] == "mine"
    assert payload.tags == ("generated_dialogues", "remem_i", "mine")
    text = json.dumps(payload.config)
    assert address in text
    assert "canary" not in text and "home/ann" not in text


def test_a_path_of_ones_own_leaves_its_name_alone() -> None:
    paths = {"data": "d", "results": "r", "prompts": "r/prompts"}
    config = {"paths": paths, "a": [{"b": "/home/ann/mine.txt"}, "~/x", "r/prompts/p", 3]}
    shared = shared_config(config)
    assert shared["a"] == [{"b": "<path>/mine.txt"}, "<path>/x", "<prompts>/p", 3]


def test_a_stub_is_known_by_its_name_wherever_it_stands(written) -> None:
    manifest = Run.open(written()).manifest
    assert not asked_a_stub(manifest.config)
    assert asked_a_stub({**manifest.config, "llm": {"name": "loopback-stub"}})
    assert asked_a_stub({**manifest.config, "embedder": {"name": "loopback-stub"}})
