import gzip
import hashlib

import pytest

from remem.benchmarks.files.notes import expected_sum, judge_file, record_sum, recorded_sums

CONTENT = b'{"a": 1}'
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def data(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.json").write_bytes(CONTENT)
    return tmp_path


def test_an_excerpt_without_a_pinned_sum_is_an_excerpt(data):
    (data / "toy" / "excerpt_toy.json").write_bytes(CONTENT)
    assert judge_file(data, "toy", "excerpt_toy.json", "UNPINNED") == "excerpt"


def test_a_gzipped_file_is_judged_by_what_is_in_it_or_as_it_lies(data):
    packed = gzip.compress(CONTENT)
    (data / "toy" / "toy.json").unlink()
    (data / "toy" / "toy.json.gz").write_bytes(packed)
    assert judge_file(data, "toy", "toy.json", SUM) == "pinned"
    as_it_lies = hashlib.sha256(packed).hexdigest()
    assert judge_file(data, "toy", "toy.json.gz", as_it_lies) == "pinned"
    assert judge_file(data, "toy", "toy.json", "0" * 64) == "differs"


def test_a_recorded_sum_is_never_replaced(data):
    record_sum(data / "toy", "toy.json", SUM)
    record_sum(data / "toy", "toy.json", "0" * 64)
    record_sum(data / "toy", "a.json", "1" * 64)
    assert recorded_sums(data / "toy") == {"a.json": "1" * 64, "toy.json": SUM}
    lines = (data / "toy" / "SHA256SUMS.local").read_text()
    assert lines == f"{'1' * 64}  a.json\n{SUM}  toy.json\n"


def test_a_pinned_sum_goes_before_a_recorded_one(data):
    record_sum(data / "toy", "toy.json", SUM)
    assert expected_sum(data, "toy", "toy.json", "0" * 64) == "0" * 64
    assert expected_sum(data, "toy", "toy.json", "UNPINNED") == SUM
    assert expected_sum(data, "toy", "other.json", "UNPINNED") is None
