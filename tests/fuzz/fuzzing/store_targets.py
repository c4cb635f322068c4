"""What reads files that a run has left: records, judgments, labels, overlays, sums."""

from collections.abc import Callable
from random import Random
from typing import Any

from fuzzing.data_targets import document, folder, write
from fuzzing.harness import Target
from fuzzing.mutation import (
    changed_bytes,
    changed_document,
    changed_text,
    deep,
)
from pydantic import TypeAdapter

from remem.benchmarks.files.notes import read_sums
from remem.errors import AlteredError
from remem.files.line_log import summed
from remem.results.label_sheets import read_error_labels, read_labels
from remem.results.rescore import read_overlay
from remem.results.verdicts import JudgedCase, Judgment, judgment_usages, verdicts_by_case
from remem.run.store import (
    MANIFEST,
    RECORDS,
    TIMINGS,
    Timing,
    read_manifest,
    read_records,
    read_timings,
)
from remem.types import (
    Gold,
    Record,
    Retrieved,
    StepRecord,
    Usage,
)

RECORDED = Record(
    query_id="q1",
    history_id="h",
    index=0,
    question="Who?",
    gold=Gold(("Ann",), "4", evidence=("D1:1",)),
    status="ok",
    answer="Ann",
    retrieved=(Retrieved("g1", ("D1:1",)),),
    steps=(StepRecord("semantic_retrieve", {"query": "x"}, "t", "m", ("g1",), 1, error=False),),
    recall_usage=Usage(1, 2, 3),
)
JUDGED = Judgment(
    JudgedCase("q1", 0, "Who?", ("Ann",), "Ann"), "ok", correct=True, usage=Usage(1, 2, 3)
)
OVERLAY = [
    {
        "question_id": "locomo_0_qa1",
        "question_index": 1,
        "question": "Who?",
        "golden_answer": "Ann",
        "error_type": "HALLUCINATION",
        "correct_answer": "Bob",
        "cited_evidence": ["D1:1"],
        "correct_evidence": ["D1:3"],
    }
]
SHEET = "query_id,category,question,gold,answer,label\nq1,4,Who?,Ann,Ann,1\n"
SUMS = f"{'a' * 64}  x.json\nUNPINNED  y.json\n"
MANIFESTED = {"config": {"a": {"b": [1, "x"]}}, "fingerprint": "0" * 12, "started": ["now"]}


def json_of(kind: Any, value: object) -> Any:
    return TypeAdapter(kind).dump_python(value, mode="json")


def lines(value: Any) -> Callable[[Random], bytes]:
    """Return what draws a log of lines like this one."""

    def draw(rng: Random) -> bytes:
        every = [
            (deep(rng).encode() if rng.random() < 0.01 else changed_document(rng, value)).replace(
                b"\n", b" "
            )
            for _ in range(rng.randrange(1, 3))
        ]
        content = b"\n".join(every) + b"\n"
        return changed_bytes(rng, content, 2) if rng.random() < 0.1 else content

    return draw


def read_log(content: bytes) -> None:
    """Read what is drawn as a log of an earlier version, and with the sums of today's."""
    write(RECORDS, content)
    write(MANIFEST, b'{"started": []}')  # without a sum, so that no line needs one
    for record in read_records(folder()):
        TypeAdapter(Record).dump_json(record)
    write(RECORDS, b"".join(summed(line, "f") + b"\n" for line in content.splitlines()))
    for record in read_records(folder(), "f"):
        TypeAdapter(Record).dump_json(record)


def read_times(content: bytes) -> None:
    write(TIMINGS, content)
    read_timings(folder())


def read_judgments(content: bytes) -> None:
    path = write("judgments.x.jsonl", content)
    verdicts_by_case(path)
    judgment_usages(path)


def read_manifest_file(content: bytes) -> None:
    write(MANIFEST, content)
    assert read_manifest(folder()).missing or read_manifest(folder()).config


def read_overlay_file(content: bytes) -> None:
    for error in read_overlay(write("errors.json", content)):
        f"{error.id}{error.question}{error.answer}".encode()


def _sheet(rng: Random) -> bytes:
    if rng.random() < 0.05:
        return (SHEET + "q1," + rng.choice(("x" * 200_000, '"' * 99, "\x00", "\r\r"))).encode()
    text = changed_text(rng, SHEET, 3)
    content = text.encode("utf-8", "surrogatepass" if rng.random() < 0.1 else "replace")
    return changed_bytes(rng, content) if rng.random() < 0.2 else content


def read_sheet(content: bytes) -> None:
    path = write("labels.csv", content)
    if b"other" in content:
        read_error_labels(path, [RECORDED], ["other"])
    for label in read_labels(path, [RECORDED]).values():
        assert 0 <= label <= 1


def _sums(rng: Random) -> bytes:
    content = changed_text(rng, SUMS, 3).encode("utf-8", "replace")
    return changed_bytes(rng, content) if rng.random() < 0.2 else content


def read_sums_file(content: bytes) -> None:
    assert all("/" not in name for name in read_sums(write("SHA256SUMS", content)))


def _overlay(rng: Random) -> bytes:
    return document(OVERLAY)(rng)


ALTERED = (ValueError, AlteredError)
TARGETS = (
    Target("stored: records", lines(json_of(Record, RECORDED)), read_log, ALTERED),
    Target("stored: times", lines(json_of(Timing, Timing("q1", 0.5, 0.5, 0.1))), read_times),
    Target("stored: judgments", lines(json_of(Judgment, JUDGED)), read_judgments, ALTERED),
    Target("stored: manifests", document(MANIFESTED), read_manifest_file, ALTERED),
    Target("stored: label sheets", _sheet, read_sheet),
    Target("stored: label overlays", _overlay, read_overlay_file),
    Target("stored: sums", _sums, read_sums_file),
)
