"""What the terminal shows of a diagnosis."""

from rich.console import Console

from remem.reports.terminal.diagnosed import fix_first, show_diagnoses
from remem.results.diagnosis import Diagnosis

CATEGORIES = {"a": "1", "b": "1", "c": "2"}
REMEM = Diagnosis(
    "REMem-I",
    "F1",
    set("abcd"),
    {"a": "stored, not recalled", "b": "stored, not recalled", "c": "not readable"},
    CATEGORIES,
    lost_by={"a": "time condition", "b": "search"},
)
BM25 = Diagnosis("BM25", "F1", set("abcd"), {"a": "evidence not known"}, CATEGORIES)


def shown(*diagnoses: Diagnosis) -> list[list[str]]:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(show_diagnoses(diagnoses))
    return [line.split() for line in capture.get().splitlines() if line.strip()]


def test_each_run_has_a_column_with_shares_and_intervals() -> None:
    # Wilson's interval of 2 of 3 is 20.8% to 93.9%, that of 1 of 3 is 6.1% to 79.2%.
    assert ["stored,", "not", "recalled", "2", "67%", "[21,", "94]", "0"] in shown(REMEM, BM25)
    assert ["not", "readable", "1", "33%", "[6,", "79]", "0"] in shown(REMEM, BM25)


def test_a_single_run_has_its_categories() -> None:
    assert ["wrong", "answers", "REMem-I", "1", "2"] in shown(REMEM)
    assert ["stored,", "not", "recalled", "2", "67%", "[21,", "94]", "2", "0"] in shown(REMEM)


def test_the_most_frequent_cause_of_memory_and_reader_is_to_be_fixed_first() -> None:
    assert [line.split(".")[0].strip() for line in fix_first(REMEM)] == [
        "REMem-I: 3 of 4 answers are wrong by F1",
        "Fix first in the memory: stored, not recalled (2)",
        "time condition (1): the calls' time conditions exclude it",
        "search (1): none of these changes finds it",
        "Fix first in the reader: not readable (1)",
    ]
    assert list(fix_first(BM25)) == ["BM25: 1 of 4 answers are wrong by F1."]
