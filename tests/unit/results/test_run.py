"""A run is opened with its records, times and verdicts, and the configuration of its manifest."""

import json
import re
import shutil
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.results.costs import stage_prices
from remem.results.run import Run
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.run.store import TIMINGS, open_run, read_timings
from remem.types import Gold, Record, Usage

RECORD = Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")


@pytest.mark.parametrize(
    "overrides",
    [
        (),
        ("extractor=llm", "planner=llm", "reader=direct", "llm=gpt-4.1-mini-2025-04-14"),
        ("extractor=llm", "llm=loopback-stub", "judge=llm"),
        ("llm=loopback-stub", "llm@judge_llm=gpt-5-chat", "judge=llm"),
    ],
)
def test_the_index_and_the_judge_have_the_names_that_hydra_gave_them(
    make_run, tmp_path: Path, overrides: tuple[str, ...]
) -> None:
    places = (f"paths.results={tmp_path / 'results'}", f"paths.data={tmp_path / 'data'}")
    composed = run_config(compose_config([*overrides, *places]))
    restored = Run.open(make_run([RECORD], *overrides, places[1])).config
    assert restored.index_fingerprint("sum") == composed.index_fingerprint("sum")
    assert restored.judgments == composed.judgments
    assert (restored.label, restored.scores, restored.llm) == (
        composed.label,
        composed.scores,
        composed.llm,
    )


def test_a_run_of_a_version_with_other_names_is_read(make_run, tmp_path: Path) -> None:
    folder = make_run([RECORD])
    before = Run.open(folder).config.resolved
    with open_run(folder) as store:
        manifest = store.read_manifest()
        text = json.dumps(manifest["config"])
        earlier = re.sub(r'"(remem|baselines)\.[a-z0-9_.]+\.(?=[A-Z])', r'"remem.earlier.', text)
        assert "remem.earlier.REMem" in earlier
        earlier = earlier.replace('"name": "bm25"', '"name": "bm25s"')
        assert earlier.count("bm25s") == 1
        store.write_manifest({**manifest, "config": json.loads(earlier)})
    assert Run.open(folder).config.resolved == before


def test_a_run_that_was_moved_has_the_results_around_it_else_those_of_our_own_conf(
    make_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run([RECORD])
    moved = tmp_path / "elsewhere"
    shutil.move(tmp_path / "results", moved)
    restored = Run.open(moved / folder.relative_to(tmp_path / "results")).config
    assert restored.results == moved.resolve()
    lone = tmp_path / "lone"
    shutil.copytree(moved / folder.relative_to(tmp_path / "results"), lone)
    monkeypatch.setenv("REMEM_RESULTS", str(tmp_path / "mine"))
    assert Run.open(lone).config.results == tmp_path / "mine"


def test_the_data_are_those_of_our_own_conf_and_not_of_the_manifest(
    make_run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run([RECORD], f"paths.data={tmp_path / 'private'}", "dataset=locomo")
    monkeypatch.setenv("REMEM_DATA", str(tmp_path / "data"))
    restored = Run.open(folder).config
    assert restored.resolved["dataset"]["build"]["data"] == str(tmp_path / "data")
    assert str(tmp_path / "private") not in str(restored.resolved)


def test_a_price_list_is_one_of_our_own_conf(
    make_run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = "llm=gpt-4.1-mini-2025-04-14"
    ours = Run.open(make_run([RECORD], model)).config
    assert stage_prices(ours)["read"] is not None
    mine = tmp_path / "mine.yaml"
    mine.write_text("gpt-4.1-mini-2025-04-14: {input: 1, output: 1, source: x, date: y}\n")
    read = Run.open(make_run([RECORD], model, f"llm.build.prices={mine}")).config
    assert stage_prices(read)["read"] is None
    assert f"the price list {str(mine)!r}" in caplog.text


def test_a_run_is_opened_with_its_records_times_and_what_its_manifest_says(make_run) -> None:
    run = Run.open(make_run([RECORD], "reader=direct", "llm=loopback-stub", seconds=1.5))
    assert run.records == (RECORD,)
    assert run.timings["q"].recall_seconds == 1.5
    assert run.config.settings.reader.name == "direct"
    assert (run.manifest.data_names, run.manifest.index_seconds) == (("made up",), 2.0)
    assert (run.manifest.missing, run.manifest.finished, run.manifest.answered) == ((), "", 0)


def test_a_damaged_line_of_times_costs_no_records_and_the_last_times_win(make_run) -> None:
    folder = make_run([RECORD])
    (folder / TIMINGS).write_text("no times\n")
    run = Run.open(folder)
    assert len(run.records) == 1
    with pytest.raises(ValueError, match=r"timings\.jsonl:1: not a line of times"):
        _ = run.timings
    line = '{{"query_id":"q","recall_seconds":{},"read_seconds":0.0}}'
    times = (line.format(1.0), line.format(2.0), line.format(3.0)[:20])  # one is being written
    (folder / TIMINGS).write_text("\n".join(times))
    assert read_timings(folder)["q"].recall_seconds == 2.0


ANSWERED = [
    Record(f"q{at}", "h", at, "What?", Gold(("red",), "1"), "ok", answer=answer)
    for at, answer in enumerate(("red", "blue"))
]


def test_the_main_score_is_the_first_of_the_dataset_or_that_of_a_judge_called_in_later(
    make_run,
) -> None:
    folder = make_run(ANSWERED)
    run = Run.open(folder)
    assert (run.judge, run.main_score, run.shown_scores[:2]) == ("", "f1", ["f1", "bleu1"])
    with open_judgments(folder / "judgments.llm-x.jsonl") as log:
        for case in cases_of(ANSWERED, "by_category", 1):
            log.append(Judgment(case, "ok", correct=case.query_id == "q1", usage=Usage(1, 20, 2)))
    run = Run.open(folder)
    assert (run.judge, run.main_score) == ("judgments.llm-x.jsonl", "llm_judge")
    assert {query: one.value("llm_judge") for query, one in run.scores.items()} == {
        "q0": 0.0,
        "q1": 1.0,
    }
    assert [(stage.stage, stage.usage) for stage in run.stages] == [("judge", Usage(2, 40, 4))]
