import gzip
import hashlib
import json

import pytest

from remem.benchmarks.json_files import find_data_file, read_bytes, read_json
from remem.files import opened
from remem.protocols import DataFile


@pytest.fixture
def data(tmp_path):
    (tmp_path / "chats").mkdir()
    return tmp_path


def test_a_plain_file_is_read_with_the_sum_of_its_bytes(data):
    content = b'{"a": 1}'
    (data / "chats" / "x.json").write_bytes(content)
    raw, source = read_json(data, "chats", "x.json")
    assert raw == {"a": 1}
    assert source == DataFile("chats/x.json", hashlib.sha256(content).hexdigest())


def test_a_gzipped_file_is_unpacked_and_summed_as_it_lies(data):
    packed = gzip.compress(b"[1, 2]")
    (data / "chats" / "x.json.gz").write_bytes(packed)
    raw, source = read_json(data, "chats", "x.json")
    assert raw == [1, 2]
    assert source == DataFile("chats/x.json.gz", hashlib.sha256(packed).hexdigest())


def test_a_plain_file_goes_before_a_gzipped_one(data):
    (data / "chats" / "x.json").write_text("1")
    (data / "chats" / "x.json.gz").write_bytes(gzip.compress(b"2"))
    assert read_json(data, "chats", "x.json")[0] == 1


def test_a_missing_file_names_the_path_the_readme_and_the_setting(data):
    with pytest.raises(FileNotFoundError) as error:
        find_data_file(data, "chats", "x.json")
    message = str(error.value)
    assert str(data / "chats" / "x.json") in message
    assert "datasets/chats/README.md" in message
    assert "REMEM_DATA" in message


@pytest.mark.parametrize("packed", [b"plain text", gzip.compress(b"[1, 2, 3]", mtime=0)[:-9]])
def test_a_damaged_gzip_file_is_an_error(data, packed):
    (data / "chats" / "x.json.gz").write_bytes(packed)
    with pytest.raises(ValueError, match=r"x\.json\.gz is not a complete gzip file"):
        read_bytes(data, "chats", "x.json")


def test_a_file_that_is_too_large_unpacked_is_refused(data, monkeypatch):
    monkeypatch.setattr(opened, "MAX_BYTES", 100)
    (data / "chats" / "x.json.gz").write_bytes(gzip.compress(json.dumps([0] * 1000).encode()))
    with pytest.raises(ValueError, match="more than 100 bytes"):
        read_bytes(data, "chats", "x.json")
