"""The preview of a log and its warnings, before any question is asked."""

from remem.apps.own_log.logs.preview import preview, warnings


def test_the_preview_counts_messages_speakers_days_and_missing_dates(read) -> None:
    log = read("log.txt", "Ann: a\n2024-02-04: b\n2024-06-03: Bob: c\n")
    assert preview(log).endswith(
        "(plain text): 3 messages, 2 speakers, 4 Feb - 3 Jun 2024, 1 undated"
    )


def test_years_are_shown_for_both_ends_if_they_differ(read) -> None:
    log = read("log.txt", "2023-12-31: b\n2024-01-02: c\n")
    assert "31 Dec 2023 - 2 Jan 2024" in preview(log)
    assert "1 message, 0 speakers, 4 Feb 2024," in preview(read("b.txt", "2024-02-04: b\n"))


def test_a_log_without_dates_has_no_span_and_a_warning_with_the_first_line(read) -> None:
    log = read("log.txt", "\nAnn: a\nAnn: b\n")
    assert preview(log).endswith("2 messages, 1 speaker, 2 undated")
    (warning,) = warnings(log)
    assert f"2 of 2 messages have no date, the first at {log.path}:2;" in warning


def test_a_log_with_all_dates_has_no_warning(read) -> None:
    assert warnings(read("log.txt", "2024-02-04: b\n")) == ()


def test_messages_without_text_are_counted_with_the_first_place(read) -> None:
    lines = ('{"text": "Hello", "date": "2024-05-03"}', '{"text": " "}', '{"text": ""}')
    log = read("chat.jsonl", "\n".join(lines))
    assert (log.accounts[0].arrived, log.accounts[0].kept) == (3, 1)
    assert warnings(log) == (
        f"{log.path}: 2 of 3 messages were left out: they have no text (first: {log.path}:2).",
    )


def test_times_that_could_not_be_read_are_counted_with_the_first(read) -> None:
    log = read("log.txt", "2024-02-04: I ran yesterday.\n2024-02-05: I sang the other day.\n")
    assert warnings(log) == (
        f"1 of 2 times named in messages could not be read, the first at {log.path}:2 "
        '("the other day"); they are shown as not read',
    )


def test_lines_after_a_date_that_cannot_be_read_have_none(read) -> None:
    log = read("log.txt", "Date: 30 January 2024\nAnn: a\nDate: 31/02/2024\nAnn: b\n")
    assert [str(item.message.time) for item in log.messages] == ["2024-01-30", "None"]
    assert (
        f"the date at {log.path}:3 cannot be read, so the lines after it have no date" in log.notes
    )
