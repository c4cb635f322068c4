"""The audit of small files, with notes of their own, and of the real ones."""

import hashlib
import json

import pytest

from remem.benchmarks.files.audit import audit_all
from remem.benchmarks.files.notes import read_notes
from remem.cli import main as cli

CHAT = {
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "Bye."},
        {"speaker": "Bob", "dia_id": "D1:2", "text": "Bye."},
    ],
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I sold it."}],
    "session_2_date_time": "9:05 am on 1 June, 2023",
}
QA = [
    # Read as released, the first string names nothing; read tolerantly, two messages.
    {"question": "Who sold it?", "answer": "Ann", "evidence": ["D1:1 D2:1"], "category": 4},
    {"question": "Who sold it?", "answer": "Ann", "evidence": ["D2:1"], "category": 1},
    {"question": "Who ate it?", "adversarial_answer": "Bob", "evidence": ["D"], "category": 5},
]
CONTENT = json.dumps([{"sample_id": "conv-1", "conversation": CHAT, "qa": QA}]).encode()
SUM = hashlib.sha256(CONTENT).hexdigest()
COUNTS = {
    "origin": "counted",
    "histories": 1,
    "episodes": 2,
    "messages": 3,
    "questions": 3,
    "categories": {"1": 1, "4": 1, "5": 1},
}
FILE = "locomo10.json"
EXCERPT = f"excerpt_{FILE}"
LOADINGS = {EXCERPT: ["dataset=locomo", f"dataset.build.file={EXCERPT}"]}
OF_EXCERPT = {"file": EXCERPT, "sums": {EXCERPT: SUM}, "loadings": LOADINGS, "files": ()}


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Return the folders of the data and of the notes; the CLI uses them, too."""
    data, notes = tmp_path / "my data", tmp_path / "notes"
    (data / "locomo").mkdir(parents=True)
    monkeypatch.setenv("REMEM_DATA", str(data))
    monkeypatch.setattr("remem.benchmarks.files.notes.datasets_folder", lambda: notes)
    return data, notes


def write_notes(notes, sums, counts=COUNTS, loadings=None, files=(FILE,)):
    (notes / "locomo").mkdir(parents=True)
    loadings = loadings or {FILE: ["dataset=locomo"]}
    sources = {"licence": "CC0", "files": {f: f"https://example.org/{f}" for f in files}}
    text = "".join(f"{expected}  {file}\n" for file, expected in sums.items())
    (notes / "locomo" / "sources.yaml").write_text(json.dumps(sources | {"loadings": loadings}))
    (notes / "locomo" / "SHA256SUMS").write_text(text)
    (notes / "locomo" / "counts.json").write_text(json.dumps(dict.fromkeys(loadings, counts)))


def rows_of(folders):
    data, notes = folders
    return list(audit_all(read_notes(notes), data))


def audited(folders, content=CONTENT, sums=None, file=FILE, **notes):
    """Write a file of LoCoMo and its notes; return the rows of the audit."""
    if content is not None:
        (folders[0] / "locomo" / file).write_bytes(content)
    write_notes(folders[1], sums or {FILE: SUM}, **notes)
    return rows_of(folders)


def exit_code(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["remem", *arguments])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return stop.value.code


def test_a_pinned_file_with_the_right_counts_passes(folders, monkeypatch, capsys):
    [row] = audited(folders)
    assert (row.dataset, row.file, row.verdict) == ("locomo", FILE, "pinned")
    assert (row.problems, row.remarks, row.failed) == ((), (), False)
    found = row.measured
    assert (found.histories, found.episodes, found.messages, found.questions) == (1, 2, 3, 3)
    assert found.categories == {"1": 1, "4": 1, "5": 1}
    assert found.unresolved_evidence == {"paper": 2, "tolerant": 1}
    assert (found.repeated_messages, found.repeated_questions, found.missing_golds) == (1, 1, 0)
    assert exit_code(monkeypatch, "data", "audit") == 0
    assert "pinned" in capsys.readouterr().out


def test_flaws_are_shown_and_fail_unless_they_are_the_known_ones(folders, monkeypatch, capsys):
    data, notes = folders
    folder = data / "beam" / "100K" / "1"
    folder.mkdir(parents=True)
    contents = {
        "100K/1/chat.json": [{"turns": [[{"role": "user", "id": 0, "content": "Hi ->-> 1,1"}]]}],
        "100K/1/probing_questions.json": {"abstention": [{"question": "?", "rubric": ["no"]}]},
    }
    for file, content in contents.items():
        (data / "beam" / file).write_text(json.dumps(content))
    sums = {
        file: hashlib.sha256(json.dumps(c).encode()).hexdigest() for file, c in contents.items()
    }
    counts = {"origin": "counted", "histories": 1, "episodes": 1, "messages": 1, "questions": 1}
    counts |= {"categories": {"abstention": 1}, "flaws": {}}
    write_notes(notes, sums, counts, {"100K/*": ["dataset=beam"]}, files=sums)
    (notes / "locomo").rename(notes / "beam")
    [row] = rows_of(folders)
    assert row.measured.flaws["messages that end in a mark of the writing plan"] == 1
    assert [problem.partition(":")[0] for problem in row.problems] == ["flaws"]
    assert exit_code(monkeypatch, "data", "audit") == 5
    shown = capsys.readouterr().out
    assert "beam/100K/*: messages that end in a mark of the writing plan: 1\n" in shown
    assert "beam/100K/*: of these from the assistant: 0\n" in shown
    known = {"100K/*": counts | {"flaws": row.measured.flaws}}
    (notes / "beam" / "counts.json").write_text(json.dumps(known))
    [row] = rows_of(folders)
    assert (row.problems, row.remarks) == ((), ())
    assert exit_code(monkeypatch, "data", "audit") == 0


def test_a_file_that_differs_fails_even_if_the_counts_are_right(folders, monkeypatch, capsys):
    [row] = audited(folders, CONTENT + b"\n")
    assert (row.verdict, row.measured.messages) == ("differs", 3)
    assert row.problems == (
        f"{FILE} does not have the sha256 in SHA256SUMS: move it away and fetch it again",
    )
    assert exit_code(monkeypatch, "data", "audit") == 5
    output = capsys.readouterr()
    assert f"locomo/{FILE}: {FILE} does not have the sha256 in SHA256SUMS" in output.out
    assert output.err == "remem: 1 of 1 rows of the audit failed\n"


def test_an_unpinned_file_passes_until_it_differs_from_the_recorded_sum(folders):
    [row] = audited(folders, sums={FILE: "UNPINNED"})
    assert (row.verdict, row.failed) == ("unpinned", False)
    (folders[0] / "locomo" / "SHA256SUMS.local").write_text(f"{'0' * 64}  {FILE}\n")
    [row] = rows_of(folders)
    assert (row.verdict, row.failed) == ("differs", True)
    assert "SHA256SUMS.local" in row.problems[0]


def test_a_count_that_is_off_fails(folders, monkeypatch):
    counts = COUNTS | {"messages": 4, "categories": {"4": 3}, "origin": "stated"}
    [row] = audited(folders, counts=counts)
    assert row.verdict == "pinned"
    assert row.problems == (
        "messages: found 3, expected 4 (stated)",
        "categories: found {'1': 1, '4': 1, '5': 1}, expected {'4': 3} (stated)",
    )
    assert exit_code(monkeypatch, "data", "audit") == 5


def test_only_the_named_sets_are_audited(folders, monkeypatch, capsys):
    _, notes = folders
    write_notes(notes, {FILE: SUM})
    (notes / "locomo").rename(notes / "other")
    write_notes(notes, {FILE: SUM})
    assert exit_code(monkeypatch, "data", "audit", "other") == 0
    assert "locomo/" not in capsys.readouterr().out
    assert exit_code(monkeypatch, "data", "audit", "othr") == 2
    assert "unknown dataset 'othr'; choose locomo or other" in capsys.readouterr().err


def test_an_excerpt_passes_whatever_its_counts(folders, monkeypatch):
    [row] = audited(folders, counts=COUNTS | {"messages": 4}, **OF_EXCERPT)
    assert (row.verdict, row.problems) == ("excerpt", ())
    assert row.remarks == ("messages: found 3, expected 4 (counted)",)
    assert exit_code(monkeypatch, "data", "audit") == 0


def test_an_excerpt_of_another_sum_than_the_pinned_one_fails(folders, monkeypatch, capsys):
    [row] = audited(folders, CONTENT + b"\n", **OF_EXCERPT)
    assert (row.verdict, row.measured.messages) == ("differs", 3)
    assert row.problems == (
        f"{EXCERPT} does not have the sha256 in SHA256SUMS: move it away and put it there again",
    )
    assert exit_code(monkeypatch, "data", "audit") == 5
    assert "does not have the sha256 in SHA256SUMS" in capsys.readouterr().out


def test_what_is_absent_is_shown_and_does_not_fail(folders, monkeypatch, capsys):
    [row] = audited(folders, None)
    assert (row.verdict, row.measured, row.failed) == ("absent", None, False)
    assert exit_code(monkeypatch, "data", "audit") == 0
    assert "absent" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"[{", "is not JSON"), (b'[{"sample_id": "conv-1"}]', "conv-1 has no 'conversation'")],
)
def test_what_a_loader_cannot_read_fails_with_its_reason(folders, monkeypatch, content, reason):
    [row] = audited(folders, content, {FILE: hashlib.sha256(content).hexdigest()})
    assert (row.verdict, row.measured) == ("pinned", None)
    assert row.problems[0].startswith("unreadable: ")
    assert reason in row.problems[0]
    assert exit_code(monkeypatch, "data", "audit") == 5


def test_a_damaged_gzip_file_fails_without_ending_the_audit(folders):
    sums = {FILE: SUM, "other.json": "UNPINNED"}
    damaged, other = audited(folders, b"\x1f\x8b broken", sums, f"{FILE}.gz")
    assert (damaged.verdict, damaged.failed, other.verdict) == ("differs", True, "absent")
    assert damaged.problems[0].startswith("unreadable: ")


def test_a_companion_file_that_is_absent_is_a_remark(folders):
    loadings = {FILE: ["dataset=locomo", "dataset.build.file=other.json"]}
    [row] = audited(folders, loadings=loadings)
    assert (row.verdict, row.measured, row.failed) == ("pinned", None, False)
    assert row.remarks[0].startswith("not counted: no data at ")


def test_files_that_no_loader_reads_have_a_row_of_their_own(folders):
    sums = {"list.json": "0" * 64, FILE: SUM}
    loaded, alone = audited(folders, b"[]", sums, "list.json")
    assert (loaded.file, loaded.verdict) == (FILE, "absent")
    assert (alone.file, alone.verdict, alone.measured) == ("list.json", "differs", None)


def test_a_set_of_files_of_which_one_lacks_is_incomplete(folders):
    sums, loadings = {FILE: SUM, "locomo11.json": SUM}, {"locomo1*.json": ["dataset=locomo"]}
    [row] = audited(folders, sums=sums, loadings=loadings)
    assert (row.verdict, row.problems) == ("incomplete", ("locomo11.json is missing",))


def test_the_rows_are_written_as_json_with_the_same_bytes_each_time(folders, tmp_path, monkeypatch):
    audited(folders, counts=COUNTS | {"messages": 4})
    out = tmp_path / "new" / "audit.json"
    assert exit_code(monkeypatch, "data", "audit", "--json", str(out)) == 5
    first = out.read_bytes()
    assert exit_code(monkeypatch, "data", "audit", "--json", str(out)) == 5
    assert out.read_bytes() == first
    [row] = json.loads(first)
    assert (row["verdict"], row["failed"]) == ("pinned", True)
    assert row["measured"]["unresolved_evidence"] == {"paper": 2, "tolerant": 1}
    assert row["problems"] == ["messages: found 3, expected 4 (counted)"]


@pytest.mark.slow  # reads every data set whole; `remem data audit` does too
@pytest.mark.real_data
@pytest.mark.usefixtures("real_data")
def test_the_real_data_are_those_of_the_papers(monkeypatch, tmp_path):
    out = tmp_path / "audit.json"
    assert exit_code(monkeypatch, "data", "audit", "--json", str(out)) == 0
    rows = {(row["dataset"], row["file"]): row for row in json.loads(out.read_bytes())}
    assert not [row for row in rows.values() if row["failed"]]

    locomo, realtalk = rows["locomo", "locomo10.json"], rows["realtalk", "Chat_*.json"]
    assert locomo["verdict"] == realtalk["verdict"] == "pinned"
    assert locomo["measured"]["unresolved_evidence"] == {"paper": 7, "tolerant": 3}
    assert realtalk["measured"]["unresolved_evidence"] == {"paper": 699, "tolerant": 16}
    assert (locomo["measured"]["repeated_messages"], locomo["measured"]["repeated_questions"]) == (
        *(6, 12),
    )
    assert realtalk["measured"]["repeated_messages"] == 8944 - 8877
    assert rows["test_of_time", "excerpt_tot_semantic_sampled_100.json"]["verdict"] == "excerpt"
