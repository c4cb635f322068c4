"""Diaries: Markdown with dated headings, and plain text with dates."""

import pytest

DIARY = """# My year

## Sunday, 4 February 2024
Went to the dentist.
It hurt.

- bought milk
* [x] called mum

## Feb 6, 2024 - Rome
Flew to Rome.

### 2024-02-08
**Ann:** Are you there?
Note: none.
"""


def test_a_markdown_diary_has_a_message_for_each_paragraph_item_and_heading(read, rows) -> None:
    log = read("diary.md", DIARY)
    assert log.format == "Markdown"
    assert rows(log) == [
        ("1", "2024-02-04", "", "My year"),
        ("4", "2024-02-04", "", "Went to the dentist.\nIt hurt."),
        ("7", "2024-02-04", "", "bought milk"),
        ("8", "2024-02-04", "", "called mum"),
        ("10", "2024-02-06", "", "Rome"),
        ("11", "2024-02-06", "", "Flew to Rome."),
        ("14", "2024-02-08", "Ann", "Are you there?\nNote: none."),
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "## 2024-02-04",
        "# 4 February 2024",
        "### Feb 4, 2024",
        "## February 4th, 2024",
        "## Sunday 4 February 2024",
        "## Sun, Feb 4, 2024",
        "## Sunday, the 4th of February 2024",
        "## Sonntag, 4. Februar 2024",
        "## Dimanche 4 février 2024",
        "## domingo, 4 de febrero de 2024",
        "## Zondag 4 februari 2024",
        "## 2024/02/04",
        "## 04.02.2024",
        "**4 February 2024**",
        "Date: 2024-02-04",
    ],
)
def test_a_dated_heading_dates_what_follows(read, rows, heading) -> None:
    log = read("diary.md", f"{heading}\n\nIt rained.\n")
    assert rows(log) == [("3", "2024-02-04", "", "It rained.")]


def test_a_daily_note_is_dated_by_its_name(read, rows) -> None:
    log = read("2024-02-04.md", "Slept long.\n")
    assert rows(log) == [("1", "2024-02-04", "", "Slept long.")]


def test_names_before_colons_are_speakers_of_markdown_if_they_come_back(read, rows) -> None:
    log = read("chat.md", "## 2024-02-04\n\nAnn: Hi\n\nBob: Yes\n\nAnn: Bye\n")
    assert [row[2:] for row in rows(log)] == [("Ann", "Hi"), ("", "Bob: Yes"), ("Ann", "Bye")]


def test_plain_text_is_dated_by_lines_and_by_their_starts(read, rows) -> None:
    log = read(
        "log.txt",
        "Date: 9 May 2023\n"
        "Bob: yes\n"
        "10 May 2023 was warm\n"
        "2024-02-04 18:05 Ann: hello\n"
        "2024-02-05: went home\n"
        "[6 Feb 2024, 10:00] <Bob> no\n"
        "7. Februar 2024: Heute\n"
        "Feb 8, 2024 - text\n"
        "Thursday, 9 February 2024\n"
        "cold\n",
    )
    assert log.format == "plain text"
    assert rows(log) == [
        ("2", "2023-05-09", "Bob", "yes"),
        ("3", "2023-05-09", "", "10 May 2023 was warm"),
        ("4", "2024-02-04T18:05", "Ann", "hello"),
        ("5", "2024-02-05", "", "went home"),
        ("6", "2024-02-06T10:00", "Bob", "no"),
        ("7", "2024-02-07", "", "Heute"),
        ("8", "2024-02-08", "", "text"),
        ("10", "2024-02-09", "", "cold"),
    ]


def test_an_ambiguous_date_of_json_lines_is_decided_by_the_whole_file(read, rows) -> None:
    lines = '{"text": "a", "date": "04/02/2024 18:05"}\n{"text": "b", "date": "13/02/2024"}\n'
    log = read("log.jsonl", lines)
    assert [row[1] for row in rows(log)] == ["2024-02-04T18:05", "2024-02-13"]


def test_signs_after_a_heading_are_not_a_part_of_it(read, rows) -> None:
    assert [row[3] for row in rows(read("a.md", "## Rome ##\n"))] == ["Rome"]


@pytest.mark.parametrize("name", ["log.md", "log.txt"])
def test_a_heading_of_a_hundred_thousand_signs_does_not_take_long(read, name) -> None:
    log = read(name, "# x" + " #" * 50_000 + "x\n" + "\t" * 50_000 + "y\n")
    assert len(log.messages) in (1, 2)


YEARLESS = """# {title}

## {first}
Snow.

## 2 March - Rome
Sun.

## Sat, 9 March: race
Ran.

## Day 3 of the tour
Walked.

## 30. December
Ice.

## January 2nd
Plans.
"""


@pytest.mark.parametrize(
    ("title", "first"), [("My diary", "Feb 18, 2024"), ("Diary 2024", "18 February")]
)
def test_a_heading_without_a_year_has_that_of_the_date_or_title_above(
    read, rows, title, first
) -> None:
    log = read("diary.md", YEARLESS.format(title=title, first=first))
    dates = {text: date for _, date, _, text in rows(log)}
    assert dates["Snow."] == "2024-02-18"
    assert dates["Sun."] == dates["Rome"] == "2024-03-02"
    assert dates["Ran."] == dates["Walked."] == dates["Day 3 of the tour"] == "2024-03-09"
    assert dates["Ice."] == "2024-12-30"
    assert dates["Plans."] == "2025-01-02"  # January after December
    (note,) = log.notes
    assert "in headings without a year" in note
    assert "in the year of the date or title next to them" in note


def test_headings_without_any_year_stay_undated_and_the_note_says_what_to_write(read, rows) -> None:
    log = read("diary.md", YEARLESS.format(title="My diary", first="18 February"))
    assert {date for _, date, _, _ in rows(log)} == {""}
    (note,) = log.notes
    assert "in headings without a year: 5, the first at" in note
    assert "diary.md:3; write one above them, such as '# Diary 2024'" in note
