"""Render messages and sessions as passages, in the same way for all memories.

The format is that of the released code, `[date] speaker: text`, without image captions.
"""

from remem.types import Episode, Message, Passage


def undated_line(message: Message) -> str:
    """Render a message as `speaker: text`, without its date; an event statement has only a text."""
    return f"{message.speaker}: {message.text}" if message.speaker else message.text


def dated_line(message: Message) -> str:
    """Render a message with its date, which is written as in the dataset."""
    if not message.speaker or not message.date:
        return undated_line(message)
    return f"[{message.date}] {undated_line(message)}"


def message_passage(message: Message) -> Passage:
    """Return a message as a passage."""
    return Passage(message.id, dated_line(message), message.time, (message.id,))


def session_passage(episode: Episode) -> Passage:
    """Return an episode as one passage with a line for each message.

    The time of the passage is that of the first message.
    """
    text = "\n".join(dated_line(message) for message in episode.messages)
    source = tuple(message.id for message in episode.messages)
    return Passage(episode.id, text, episode.messages[0].time, source)
