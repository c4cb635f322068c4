"""WhatsApp exports of several phones and locales, with the messages that a person reads in them."""

import pytest

LRM, NNBSP = "\u200e", "\u202f"
ARABIC, PERSIAN = (
    {
        number: "".join(chr(zero + int(digit)) for digit in str(number))
        for number in (2, 6, 13, 18, 2024)
    }
    for zero in (0x660, 0x6F0)
)


def test_an_android_export_has_notices_lines_and_left_out_media(read, rows) -> None:
    log = read(
        "chat.txt",
        "13/02/2024, 18:05 - Messages and calls are end-to-end encrypted.\n"
        "13/02/2024, 18:06 - Ann: We moved: at last!\n"
        "second line\n"
        "\n"
        "fourth line\n"
        "13/02/2024, 18:07 - Bob Lee: <Media omitted>\n"
        "14/02/2024, 09:00 - Ann added Cy\n",
    )
    assert log.format == "WhatsApp export"
    assert rows(log) == [
        ("1", "2024-02-13T18:05", "", "Messages and calls are end-to-end encrypted."),
        ("2", "2024-02-13T18:06", "Ann", "We moved: at last!\nsecond line\n\nfourth line"),
        ("6", "2024-02-13T18:07", "Bob Lee", "<Media omitted>"),
        ("7", "2024-02-14T09:00", "", "Ann added Cy"),
    ]
    assert [item.session for item in log.messages] == ["2024-02-13"] * 3 + ["2024-02-14"]
    assert log.notes == ()


def test_an_ios_export_loses_its_invisible_marks_and_names_its_notices(read, rows) -> None:
    log = read(
        "_chat.txt",
        f"{LRM}[13.02.24, 18:05:33] Hiking: {LRM}Messages are encrypted.\r\n"
        "[13.02.24, 18:06:01] ~\u202fAnn: Hi\r\n"
        f"{LRM}[14.02.24, 07:00:00] \u202a+49 151 23\u202c: {LRM}image omitted\r\n",
    )
    assert rows(log) == [
        ("1", "2024-02-13T18:05", "", "Hiking: Messages are encrypted."),
        ("2", "2024-02-13T18:06", "Ann", "Hi"),
        ("3", "2024-02-14T07:00", "+49 151 23", "image omitted"),
    ]


@pytest.mark.parametrize(
    ("start", "time"),
    [
        (f"[2/13/24, 6:05:33{NNBSP}PM] ", "2024-02-13T18:05"),
        (f"2/13/24, 12:05{NNBSP}AM - ", "2024-02-13T00:05"),
        ("13/2/24, 12:05 pm - ", "2024-02-13T12:05"),
        (f"13/2/24, 6:05{NNBSP}p.{NNBSP}m. - ", "2024-02-13T18:05"),
        ("13.02.24, 18:05 - ", "2024-02-13T18:05"),
        ("13.2.2024 klo 18.05 - ", "2024-02-13T18:05"),
        ("13/02/2024 18:05 - ", "2024-02-13T18:05"),
        ("13.02.2024. 18:05 - ", "2024-02-13T18:05"),
        ("13.02.24 \u0433., 18:05 ч. - ", "2024-02-13T18:05"),
        ("[13.02.2024 18.05.33] ", "2024-02-13T18:05"),
        ("2024-02-13, 6:05 p.m. - ", "2024-02-13T18:05"),
        ("13/02/2024 à 18:05 - ", "2024-02-13T18:05"),
        ("13-02-2024 18:05 - ", "2024-02-13T18:05"),
        ("2024-02-13, 18:05 - ", "2024-02-13T18:05"),
        ("2024. 02. 13. 18:05 - ", "2024-02-13T18:05"),
        ("[2024/2/13 下午6:05:33] ", "2024-02-13T18:05"),
        ("2024/02/13 18:05 - ", "2024-02-13T18:05"),
        ("[13/02/2024, 18:05:33] ", "2024-02-13T18:05"),
        ("2024년 2월 13일 오후 6:05 - ", "2024-02-13T18:05"),
        ("[2024. 2. 13. 오후 6:05:12] ", "2024-02-13T18:05"),
        ("2024. 2. 13. 오전 12:05 - ", "2024-02-13T00:05"),
        ("18:05, 13/02/2024 - ", "2024-02-13T18:05"),
        ("[18:05:12, 13/02/2024] ", "2024-02-13T18:05"),
        ("6:05 CH, 13/02/2024 - ", "2024-02-13T18:05"),
        ("13/02/2024, 6:05 SA - ", "2024-02-13T06:05"),
        ("2024年2月13日 午後6:05 - ", "2024-02-13T18:05"),
        ("[2024/02/13 18:05:12] ", "2024-02-13T18:05"),
        ("2024/2/13 晚上6:05 - ", "2024-02-13T18:05"),
        ("[2024/2/13 凌晨12:05:12] ", "2024-02-13T00:05"),
        ("2024/2/13 中午12:05 - ", "2024-02-13T12:05"),
        (
            f"\u200f{ARABIC[13]}\u200f/{ARABIC[2]}\u200f/{ARABIC[2024]}\u060c {ARABIC[6]}:05 م - ",
            "2024-02-13T18:05",
        ),
        (
            f"[{ARABIC[13]}/{ARABIC[2]}/{ARABIC[2024]}\u060c {ARABIC[6]}:05:33 ص] ",
            "2024-02-13T06:05",
        ),
        (f"[{PERSIAN[13]}/2/{PERSIAN[2024]}\u060c {PERSIAN[18]}:05:33] ", "2024-02-13T18:05"),
    ],
)
def test_the_date_of_a_locale_is_read(read, rows, start, time) -> None:
    assert rows(read("chat.txt", f"{start}Ann: Hi")) == [("1", time, "Ann", "Hi")]


def test_a_korean_name_stands_between_a_comma_and_a_colon_with_a_space(read, rows) -> None:
    log = read(
        "KakaoTalk.txt",
        "2024년 2월 13일 오후 6:05, 민수 : 이사했어: 드디어\n"
        "둘째 줄\n"
        "2024년 2월 14일 오전 9:00, 지은 김 : 축하해!\n",
    )
    assert rows(log) == [
        ("1", "2024-02-13T18:05", "민수", "이사했어: 드디어\n둘째 줄"),
        ("3", "2024-02-14T09:00", "지은 김", "축하해!"),
    ]


@pytest.mark.parametrize("start", ["18:05, 3/4/2024 - ", "3/4/2024, 下午6:05 - "])
def test_the_day_comes_first_unless_am_or_pm_says_american(read, rows, start) -> None:
    log = read("a.txt", f"{start}Ann: a\n")
    assert rows(log)[0][1] == "2024-04-03T18:05"
    assert "use --month-first" in log.notes[0]


@pytest.mark.parametrize("line", ["25:99, 13/02/2024 - Ann: a", "18:05, 31/31/2024 - Ann: a"])
def test_a_clock_or_date_that_cannot_be_is_no_start_of_a_message(read, rows, line) -> None:
    log = read("a.txt", f"13/02/2024, 18:05 - Ann: b\n{line}\n")
    assert rows(log) == [("1", "2024-02-13T18:05", "Ann", f"b\n{line}")]


@pytest.mark.parametrize(
    "line",
    [
        "4/13/25, 9:17:58\u202fPM ~\u202fAnn: Hi",
        "[2025/4/13 21:17:58] Ann:Hi",
        "13/04/25, 21:17 - \u200e~ Ann: Hi",
    ],
)
def test_a_name_behind_a_tilde_or_without_a_space_after_it_is_read(read, rows, line) -> None:
    assert rows(read("chat.txt", line)) == [("1", "2025-04-13T21:17", "Ann", "Hi")]


def test_a_link_or_a_time_in_a_notice_is_no_speaker(read, rows) -> None:
    log = read("chat.txt", "13/04/25, 21:17 - See https://x.org\n13/04/25, 21:18 - Call at 10:30")
    assert [row[2:] for row in rows(log)] == [("", "See https://x.org"), ("", "Call at 10:30")]


def test_a_number_above_twelve_anywhere_decides_what_is_the_day(read, rows) -> None:
    log = read("a.txt", "3/4/24, 18:05 - Ann: a\n3/14/24, 18:05 - Ann: b\n")
    assert [row[1][:10] for row in rows(log)] == ["2024-03-04", "2024-03-14"]
    log = read("b.txt", "3/4/24, 18:05 - Ann: a\n14/4/24, 18:05 - Ann: b\n")
    assert [row[1][:10] for row in rows(log)] == ["2024-04-03", "2024-04-14"]
    assert log.notes == ()


def test_else_the_order_in_which_dates_do_not_go_back_decides(read, rows) -> None:
    log = read("a.txt", "3/4/24, 18:05 - Ann: a\n3/5/24, 18:05 - Ann: b\n4/1/24, 9:05 - Ann: c\n")
    assert [row[1][:10] for row in rows(log)] == ["2024-03-04", "2024-03-05", "2024-04-01"]
    assert log.notes == ()


def test_a_guess_is_said_and_can_be_set_right(read, rows) -> None:
    log = read("a.txt", "3/4/24, 18:05 - Ann: a\n")
    assert rows(log)[0][1] == "2024-04-03T18:05"
    assert "was read as 3 April 2024, 6:05 pm" in log.notes[0]
    assert "use --month-first" in log.notes[0]
    american = read("b.txt", "3/4/24, 6:05 PM - Ann: a\n")
    assert rows(american)[0][1] == "2024-03-04T18:05"
    assert "use --day-first" in american.notes[0]
    told = read("a.txt", "3/4/24, 18:05 - Ann: a\n", day_first=False)
    assert (rows(told)[0][1], told.notes) == ("2024-03-04T18:05", ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ('Robert "Bob" Hill', "hi"),
        ("Robert \u201eBob\u201c Hill", "hi"),
        ("Bob (work) \U0001f642", "hi"),
        ("", 'Ann changed the subject from "A" to "B: c"'),
    ],
)
def test_a_name_may_have_marks_that_are_closed(read, rows, name, text) -> None:
    said = f"{name}: {text}" if name else text
    assert rows(read("a.txt", f"13/2/24, 18:05 - {said}\n"))[0][2:] == (name, text)


def test_a_name_has_a_colon_if_all_of_its_messages_have_the_same_part_after_it(read, rows) -> None:
    lines = ("Team: Ops: up", "Team: Ops: down: no", "Ann: PS: x", "Ann: y")
    log = read("a.txt", "".join(f"13/2/24, 18:05 - {line}\n" for line in lines))
    assert [row[2:] for row in rows(log)] == [
        *(("Team: Ops", "up"), ("Team: Ops", "down: no"), ("Ann", "PS: x"), ("Ann", "y"))
    ]


CHAT = "13/2/24, 18:05 - Encrypted.\n14/2/24, 18:05 - Ann: a\n"


def test_two_chats_in_a_file_share_no_session(read) -> None:
    log = read("a.txt", CHAT + CHAT)
    assert [item.session for item in log.messages] == [
        *("chat 1 2024-02-13", "chat 1 2024-02-14", "chat 2 2024-02-13", "chat 2 2024-02-14")
    ]


def test_lines_that_are_impossible_in_the_order_are_named(read) -> None:
    with pytest.raises(
        ValueError, match=r"month first: .*a.txt:1 .*a.txt:2 .*2 of 2 dates.*--day-first"
    ):
        read("a.txt", CHAT, day_first=False)
    with pytest.raises(ValueError, match=r"day first: .*a.txt:3 .'2/15/24, 9:00'. .1 of 3 dates"):
        read("a.txt", CHAT + "2/15/24, 9:00 - Bob: b\n")


def test_buddhist_years_are_read_and_said(read, rows) -> None:
    log = read("a.txt", "29/2/2567, 18:05 - Ann: a\n13/3/2567, 18:05 - Ann: b\n")
    assert [row[1] for row in rows(log)] == ["2024-02-29T18:05", "2024-03-13T18:05"]
    assert log.notes == ("the years are Buddhist: 2567 was read as 2024",)


def test_a_line_with_a_date_that_no_calendar_has_goes_on_with_the_message(read, rows) -> None:
    log = read("a.txt", "13/2/24, 18:05 - Ann: a\n31/2/24, 18:05 - Ann: b\n")
    assert rows(log) == [("1", "2024-02-13T18:05", "Ann", "a\n31/2/24, 18:05 - Ann: b")]


def test_lines_before_the_first_date_are_undated_messages(read, rows) -> None:
    text = "cut off\n" + "".join(f"1{day}/2/24, 18:05 - Ann: x{day}\n" for day in (3, 4, 5))
    assert rows(read("a.txt", text))[0] == ("1", "", "", "cut off")
