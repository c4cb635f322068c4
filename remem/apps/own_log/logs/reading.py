"""Read a log in any of the known formats."""

from pathlib import Path

from remem.apps.own_log.logs.conversations import CHATGPT, CLAUDE
from remem.apps.own_log.logs.json_messages import JSON, JsonLines, JsonMessages
from remem.apps.own_log.logs.log import Log, LogFile, LogFormat, LogMessage, in_sessions
from remem.apps.own_log.logs.markdown import Markdown
from remem.apps.own_log.logs.plain_text import PlainText
from remem.apps.own_log.logs.slack import Slack
from remem.apps.own_log.logs.telegram import Telegram
from remem.apps.own_log.logs.telegram_html import TelegramPage
from remem.apps.own_log.logs.whatsapp import WhatsApp
from remem.apps.own_log.logs.whole_files import json_of, text_of
from remem.intake import Intake


def formats() -> tuple[LogFormat, ...]:
    """Return the formats in the order in which they are tried; the last ones fit most."""
    lines: tuple[LogFormat, ...] = (JsonLines(), TelegramPage(), WhatsApp(), Markdown())
    documents: tuple[LogFormat, ...] = (Telegram(), CHATGPT, CLAUDE, Slack(), JsonMessages())
    return (*documents, *lines, PlainText())


def read_log(path: Path, *, day_first: bool | None = None) -> Log:
    """Read the messages of a log, in its order.

    Messages without a session are one session a day; undated messages belong to the session of the
    message before them.

    Args:
        path: A file, or the folder of a Slack export.
        day_first: The order of day and month in dates such as 04/02/2024; None to let the file
            decide.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file has no messages, or something in it cannot be read.
    """
    file = _opened(path, day_first)
    fitting = next((format for format in formats() if format.fits(file)), None)
    if fitting is None:
        raise ValueError(
            f"{path} is a folder without a Slack export, expected <channel>/<date>.json in it; add "
            "files of other formats one by one"
        )
    reading = fitting.read(file)
    intake: Intake[LogMessage] = Intake("messages")
    for item in reading.messages:
        if item.message.text.strip():
            intake.keep(item)
        else:
            intake.leave_out(item.place, "they have no text")
    if not intake.items:
        raise ValueError(f"{path} has no messages, expected at least one ({fitting.name})")
    account = intake.account(arrived=len(reading.messages))
    return Log(path, fitting.name, in_sessions(intake.items), account, reading.notes)


def _opened(path: Path, day_first: bool | None) -> LogFile:
    if path.is_dir():
        return LogFile(path, document={}, day_first=day_first)
    if path.suffix.lower() == JSON:
        return LogFile(path, document=json_of(path), day_first=day_first)
    return LogFile(path, text=text_of(path), day_first=day_first)
