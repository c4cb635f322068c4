"""Read a log in any of the known formats."""

import re
from dataclasses import replace
from pathlib import Path

from remem.apps.own_log.logs.conversations import CHATGPT, CLAUDE
from remem.apps.own_log.logs.discord import Discord
from remem.apps.own_log.logs.json_messages import JSON, JsonLines, JsonMessages
from remem.apps.own_log.logs.log import (
    NO_TEXT,
    Log,
    LogFile,
    LogFormat,
    LogMessage,
    Record,
    in_sessions,
)
from remem.apps.own_log.logs.markdown import Markdown
from remem.apps.own_log.logs.messenger import Messenger
from remem.apps.own_log.logs.plain_text import PlainText
from remem.apps.own_log.logs.slack import Slack
from remem.apps.own_log.logs.telegram import Telegram
from remem.apps.own_log.logs.telegram_html import TelegramPage
from remem.apps.own_log.logs.whatsapp import WhatsApp
from remem.apps.own_log.logs.whole_files import json_of, text_of
from remem.apps.own_log.logs.words import word_account
from remem.intake import Intake

_SURROGATE = re.compile("[\ud800-\udfff]")
HALF_SIGN = "half of a character (a lone surrogate) was replaced by U+FFFD"
UNDATED = "their date cannot be read, so they have none"


def formats() -> tuple[LogFormat, ...]:
    """Return the formats in the order in which they are tried, from specific to general."""
    programs: tuple[LogFormat, ...] = (Telegram(), CHATGPT, CLAUDE, Slack(), Discord(), Messenger())
    lines: tuple[LogFormat, ...] = (JsonLines(), TelegramPage(), WhatsApp(), Markdown())
    return (*programs, JsonMessages(), *lines, PlainText())


def read_log(path: Path, *, day_first: bool | None = None, all_branches: bool = False) -> Log:
    """Read the messages of a log in any of the known formats.

    Messages without a session form one session per day, and an undated message belongs to the day
    of the message before it. Records that cannot be read are left out and counted.

    Args:
        path: A file, or the folder of a Slack export.
        day_first: The order of day and month in dates such as 04/02/2024; None to decide from the
            dates of the file.
        all_branches: Whether to also read hidden branches of a conversation, such as replaced
            answers.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file has no message that can be read, or contradicts itself.
    """
    file = _opened(path, day_first, all_branches)
    fitting = next((format for format in formats() if format.fits(file)), None)
    if fitting is None:
        raise ValueError(
            f"{path} is a folder, but not a Slack export (it has no <channel>/<date>.json); add "
            f"logs in other formats as single files"
        )
    reading = fitting.read(file)
    intake: Intake[LogMessage] = Intake("messages")
    for record in reading.records:
        _take(record, intake)
    account = intake.account(arrived=len(reading.records))
    if not intake.items:
        why = " ".join(account.sentences(str(path)))
        raise ValueError(
            f"{path} has no messages (it was read as {fitting.name}), expected at least one"
            f"{f'; {why}' if why else ''}"
        )
    accounts = (account, word_account(reading))
    return Log(path, fitting.name, in_sessions(intake.items), accounts, reading.notes)


def _take(record: Record, intake: Intake[LogMessage]) -> None:
    """Keep the message of a record, or leave it out and count the reason."""
    item = record.message
    message = item.message
    reason = record.left_out or ("" if message.text.strip() else NO_TEXT)
    if reason:
        intake.leave_out(item.place, reason)
        return
    if message.time is None and message.date.strip():
        intake.repair(item.place, UNDATED)
    texts = (message.speaker, message.text, message.date, item.session, item.chat)
    if any(map(_SURROGATE.search, texts)):
        intake.repair(item.place, HALF_SIGN)
        speaker, text, date, session, chat = (_SURROGATE.sub("\ufffd", each) for each in texts)
        message = replace(message, speaker=speaker, text=text, date=date)
        item = replace(item, message=message, session=session, chat=chat)
    intake.keep(item)


def _opened(path: Path, day_first: bool | None, all_branches: bool) -> LogFile:
    if path.is_dir():
        return LogFile(path, document={}, day_first=day_first)
    if path.suffix.lower() == JSON:
        return LogFile(path, "", json_of(path), day_first, all_branches)
    return LogFile(path, text=text_of(path), day_first=day_first)
