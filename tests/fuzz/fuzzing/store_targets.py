"""What reads files that a run has left: records, judgments, indexes, labels, overlays, sums."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
from fuzzing.data_targets import document, folder, write
from fuzzing.harness import Target
from fuzzing.mutation import (
    STRINGS,
    changed_bytes,
    changed_document,
    changed_text,
    deep,
)
from pydantic import TypeAdapter

from baselines import hipporag2_file
from baselines.hipporag2_file import Arrays, Texts
from remem.benchmarks.files.notes import read_sums
from remem.files.line_log import AlteredError, summed
from remem.memory import index_file
from remem.memory.graph import MemoryGraph
from remem.protocols import DamagedIndexError
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
from remem.time_scope import TimePoint, TimeScope
from remem.types import (
    Extraction,
    Fact,
    Gist,
    Gold,
    Passage,
    Record,
    Retrieved,
    StepRecord,
    Usage,
)

DIMENSION = 4
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


@cache
def index_parts() -> dict[str, Any]:
    """Return the parts of a small index: JSON values and arrays."""
    scope = TimeScope(start_time=TimePoint(2021, 5, 8, 0))
    graph = MemoryGraph()
    for name in ("s1", "s2"):
        gist = Gist("", "Ann rows.", TimeScope(TimePoint(2023)), "", ("D1:1",))
        fact = Fact("", "Ann", "owns", "boat", scope, "", ("D1:1",))
        graph.add_episode(name, Extraction((gist,), (fact,)))
    graph.add_synonyms(np.array([[0, 1]]))
    rows = np.full((2, DIMENSION), 0.5, np.float32)
    place = folder() / "index"
    place.mkdir(exist_ok=True)
    index_file.save(place, graph, rows, rows, index_file.Account(Usage(1, 2, 3), (("s3", "no"),)))
    with np.load(place / index_file.FILE_NAME, allow_pickle=False) as parts:
        return {name: np.asarray(parts[name]) for name in parts.files}


@cache
def rival_parts() -> dict[str, Any]:
    """Return the parts of a small index of HippoRAG 2."""
    place = folder() / "rival"
    place.mkdir(exist_ok=True)
    rows = np.full((2, DIMENSION), 0.5, np.float32)
    passages = tuple(Passage(f"p{n}", f"text {n}", None, ("D1:1",)) for n in (1, 2))
    triples = ((("Ann", "rows", "boat"),), ())
    texts = Texts(hipporag2_file.FORMAT, passages, triples, Usage(1, 2, 3), (("p2", "no"),))
    pairs = np.array([[0, 1]], np.int64)
    hipporag2_file.save(place, texts, Arrays(rows, rows, rows, pairs, np.array([0.9])))
    with np.load(place / hipporag2_file.FILE_NAME, allow_pickle=False) as parts:
        return {name: np.asarray(parts[name]) for name in parts.files}


def _npz(rng: Random, parts: dict[str, Any], texts: tuple[str, ...]) -> bytes:
    """Return an archive of arrays, some of which are changed, with odd headers or bytes."""
    members = {f"{name}.npy": npy(array) for name, array in parts.items()}
    for name in rng.sample(list(parts), rng.choice((0, 1, 1, 1, 2))):
        members[f"{name}.npy"] = _member(rng, name, parts[name], texts)
    if rng.random() < 0.05:
        members.pop(rng.choice(list(members)))
    if rng.random() < 0.05:
        members[rng.choice(STRINGS[:8]).encode("utf-8", "replace").decode() + "x"] = b"odd"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", rng.choice((*([0] * 12), 8, 12, 14))) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, archive.compression)
    content = out.getvalue()
    return changed_bytes(rng, content, 2) if rng.random() < 0.2 else content


def _member(rng: Random, name: str, array: Any, texts: tuple[str, ...]) -> bytes:
    kind = rng.randrange(12)
    if name in texts and kind < 4:
        value = json.loads(array.tobytes())
        text = deep(rng).encode() if rng.random() < 0.02 else changed_document(rng, value)
        return npy(np.frombuffer(text, np.uint8))
    if kind == 5:
        odd = rng.choice(("<f8", "<i4", "S4", "U3", "?", "M8[s]", "f4,i8", "<c8", ">f4"))
        return npy(np.zeros(array.shape, np.dtype(odd)))
    if kind == 6:
        return _odd_header(rng, npy(array))
    if kind == 7 and array.dtype.kind in "fi":
        changed = array.copy()
        changed[rng.randrange(len(array))] = rng.choice((-1, 10**9, 0, 2, np.float32(1.5)))
        return npy(changed)
    if kind == 8:
        return npy(array[: rng.randrange(3)] if rng.random() < 0.5 else array.reshape(-1, 1))
    return npy(array)


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def _odd_header(rng: Random, content: bytes) -> bytes:
    """Change what an array says of itself: its shape, type and order."""
    end = content.index(b"\n")
    shapes = ("(10**12,)", "(1000000000000,)", "(-1,)", "(99999999, 99999999, 9)", "()", "(0,)")
    header = rng.choice(
        (
            f"{{'descr': '|u1', 'fortran_order': False, 'shape': {rng.choice(shapes)}, }}",
            "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
            "{'descr': [('a', '<f4')], 'fortran_order': 1, 'shape': (1,), }",
            "{'descr': 'x9', 'fortran_order': False, 'shape': (1,), }",
            "[" * 500,
            "(((",
            "{'descr': 'u1' 'shape'",
            "__import__('os').system('true')",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1L,), }",
            "\x00\xff",
            changed_text(rng, content[10:end].decode("latin1"), 2),
        )
    )
    text = header.encode("latin1", "replace") + b"\n"
    return content[:8] + len(text).to_bytes(2, "little") + text + content[end + 1 :]


def _index(rng: Random) -> tuple[bytes, bytes]:
    content = _npz(rng, index_parts(), ("gists", "facts", "account"))
    right = {"format": index_file.FORMAT, "sha256": hashlib.sha256(content).hexdigest()}
    return content, json.dumps(right).encode() if rng.random() < 0.95 else changed_document(
        rng, right
    )


def read_index(given: tuple[bytes, bytes]) -> None:
    write(f"index/{index_file.FILE_NAME}", given[0])
    write(f"index/{index_file.MANIFEST_NAME}", given[1])
    stored = index_file.load(folder() / "index", dimension=DIMENSION)
    assert len(stored.gist_vectors) == len(stored.graph.gists)


def _rival(rng: Random) -> bytes:
    return _npz(rng, rival_parts(), ("texts",))


def read_rival(content: bytes) -> None:
    texts, arrays = hipporag2_file.load(write("rival/x.npz", content))
    assert len(texts.passages) == len(texts.triples)
    hipporag2_file.check_shape("passages", arrays.passages, len(texts.passages), DIMENSION)


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
    Target("stored: indexes", _index, read_index, (DamagedIndexError,)),
    Target("stored: indexes of HippoRAG 2", _rival, read_rival),
)
