import json
import zipfile
from io import BytesIO

import pytest

from remem.benchmarks import json_files
from remem.benchmarks.locomo import LoCoMo
from remem.benchmarks.locomo_zip import is_zip, unzip_conversations


def flat(text):
    return {
        "qa": [{"question": "Who?", "answer": text, "evidence": ["D1:1"], "category": 4}],
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": text}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1_observation": {"Ann": [["She writes.", "D1:1"]]},
        "session_1_summary": "Ann writes.",
    }


def pack(members):
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


SOUND = pack(
    {
        "data/": "",
        "data/30.json": json.dumps(flat("thirty")),
        "data/9.json": json.dumps(flat("nine")),
        "data/notes.json": "[]",
        "data/.DS_Store": "x",
        "__MACOSX/data/._30.json": "x",
        "__MACOSX/data/30.json": "x",
    }
)


def test_a_zip_is_known_by_its_content():
    assert is_zip(SOUND)
    assert not is_zip(b'[{"sample_id": "conv-1"}]')


def test_conversations_come_by_number_and_other_members_are_ignored():
    conversations = unzip_conversations(SOUND, "x.zip")
    assert [conversation["sample_id"] for conversation in conversations] == ["conv-9", "conv-30"]
    assert [conversation["qa"] for conversation in conversations] == [
        flat("nine")["qa"],
        flat("thirty")["qa"],
    ]


def test_a_flat_file_gives_the_same_benchmark_as_a_nested_one(tmp_path):
    (tmp_path / "locomo").mkdir()
    nested = [
        {"sample_id": "conv-9", "conversation": {
            key: flat("nine")[key] for key in ("session_1", "session_1_date_time")
        }, "qa": flat("nine")["qa"]},
    ]  # fmt: skip
    (tmp_path / "locomo" / "flat.zip").write_bytes(pack({"9.json": json.dumps(flat("nine"))}))
    (tmp_path / "locomo" / "nested.json").write_text(json.dumps(nested))
    one, two = (
        LoCoMo(data=str(tmp_path), file=f, evidence_rule="paper")
        for f in ("flat.zip", "nested.json")
    )
    assert one.histories() == two.histories()
    assert len(one.histories()[0].episodes) == 1
    assert one.questions("conv-9") == two.questions("conv-9")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SOUND[:-30], "x.zip is a damaged zip file"),
        (pack({"notes.txt": "x"}), "x.zip must have each conversation once as <n>.json"),
        (pack({"a/9.json": json.dumps(flat("a")), "b/9.json": json.dumps(flat("b"))}), "once"),
        (pack({"9.json": "{"}), r"x.zip/9\.json is not JSON"),
        (pack({"9.json": "[]"}), r"x.zip/9\.json is list, expected dict"),
        (pack({"9.json": "{}"}), r"x.zip/9\.json has no 'qa'"),
    ],
)
def test_an_archive_of_another_shape_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        unzip_conversations(content, "x.zip")


def test_a_damaged_member_is_refused():
    content = bytearray(pack({"9.json": json.dumps(flat("nine"))}))
    content[60:70] = b"\xff" * 10
    with pytest.raises(ValueError, match="is a damaged zip file"):
        unzip_conversations(bytes(content), "x.zip")


def test_a_member_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(json_files, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="more than 100 bytes"):
        unzip_conversations(pack({"9.json": json.dumps(flat("nine"))}), "x.zip")
