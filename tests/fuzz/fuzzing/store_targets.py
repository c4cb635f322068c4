"""What reads files in formats of our own: sheets of labels, and lists of sums."""

from random import Random

from fuzzing.data_targets import write
from fuzzing.harness import Target
from fuzzing.mutation import changed_bytes, changed_text

from remem.benchmarks.files.notes import read_sums
from remem.results.label_sheets import read_error_labels, read_labels
from remem.types import Gold, Record

RECORDED = Record(
    query_id="q1",
    history_id="h",
    index=0,
    question="Who?",
    gold=Gold(("Ann",), "4"),
    status="ok",
    answer="Ann",
)
SHEET = "query_id,category,question,gold,answer,label\nq1,4,Who?,Ann,Ann,1\n"
SUMS = f"{'a' * 64}  x.json\nUNPINNED  y.json\n"


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


TARGETS = (
    Target("stored: label sheets", _sheet, read_sheet),
    Target("stored: sums", _sums, read_sums_file),
)
