"""The surroundings of a run change: other processes, the endpoint, data, the clock, Ctrl-C."""

import json
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from remem.serve.stub.stub import StubServer, StubSettings

JUMPING_CLOCK = """
import random, time
draw, real = random.Random(3), time.time
time.time = lambda: real() + draw.choice((-1e8, 0, 1e8))
"""


def test_two_processes_on_one_run_leave_it_whole(line: Any, undisturbed: bytes) -> None:
    first, second = line.start(), line.start()
    ended = [(item.communicate()[1], item.returncode) for item in (first, second)]
    codes = sorted(code for _, code in ended)
    assert codes in ([0, 0], [0, 1])
    for said, code in ended:
        assert code == 0 or "is being written by another process" in said
    assert line.finished() == undisturbed


def test_an_endpoint_that_is_away_for_a_while_costs_no_answer(
    line: Any, undisturbed: bytes
) -> None:
    server = StubServer(StubSettings(latency_seconds=0.01))
    server.start()
    port = int(server.url.rpartition(":")[2])
    impatient = ("llm.build.endpoint.tries=2", "llm.build.endpoint.timeout_seconds=2")
    run = replace(line, server=server, overrides=impatient)
    process = run.start()
    while not server.counts.bodies and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.2)
    server.stop()
    time.sleep(1.5)
    with StubServer(port=port) as back:
        _, said = process.communicate(timeout=120)
        assert process.returncode in (0, 1, 3), said
        assert "Traceback" not in said
        again = replace(run, server=back)
        assert again.finished() == undisturbed


def test_data_that_change_under_a_run_are_another_run(tmp_path: Path, line: Any) -> None:
    file = tmp_path / "locomo" / "locomo10.json"
    file.parent.mkdir()
    said = {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a red kayak."}
    chat = {"speaker_a": "Ann", "speaker_b": "Bob", "session_1": [said]}
    chat["session_1_date_time"] = "1:56 pm on 8 May, 2023"
    asked = {"question": "What did Ann buy?", "answer": "a red kayak", "evidence": ["D1:1"]}
    asked["category"] = 4
    file.write_text(json.dumps([{"sample_id": "conv-1", "conversation": chat, "qa": [asked]}]))
    chosen = (f"dataset.build.data={tmp_path}", "run.health=warn")
    generated = ("dataset.build.", "dataset=generated_dialogues")
    arguments = [each for each in line.arguments if not each.startswith(generated)]

    def ended() -> int:
        code, _, said = line.remem(tmp_path, "run", *arguments, "dataset=locomo", *chosen)
        assert "Traceback" not in said
        return int(code)

    assert ended() == 0
    first, before = line.log, line.log.read_bytes()
    file.write_text(file.read_text().replace("a red kayak.", "a blue kayak."))
    assert ended() == 0
    assert first.read_bytes() == before
    assert len(list(line.results.glob("runs/*/*/*/records.jsonl"))) == 2


def test_a_clock_that_jumps_changes_no_record(
    tmp_path: Path, line: Any, undisturbed: bytes
) -> None:
    (tmp_path / "sitecustomize.py").write_text(JUMPING_CLOCK)
    code, said = line.ended(env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert code == 0, said
    assert line.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed


def test_ctrl_c_ends_within_seconds_though_the_model_is_silent(
    line: Any, undisturbed: bytes
) -> None:
    with StubServer(StubSettings(latency_seconds=600)) as silent:
        process = replace(line, server=silent).start()
        while not silent.counts.bodies and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        watchdog = threading.Timer(60, process.kill)  # a second or two where nothing else runs
        watchdog.start()
        _, said = process.communicate()
        watchdog.cancel()
    assert process.returncode == 130, said
    assert "run the same command to continue" in said
    assert line.finished() == undisturbed
