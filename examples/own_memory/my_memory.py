"""A memory of one's own: the messages that share the most words with the question."""

from remem import Evidence, History, Message, Query, message_passage


class SharedWords:
    """Recalls the `top_k` messages with the most words of the question."""

    def __init__(self, *, top_k: int) -> None:
        self._top_k = top_k
        self._messages: list[Message] = []

    def index(self, history: History) -> None:
        """Take in a history, or the next part of it."""
        self._messages.extend(history.messages())

    def recall(self, query: Query) -> Evidence:
        """Return the best messages as passages, earlier ones first among equals."""
        words = set(query.text.lower().split())
        best = sorted(self._messages, key=lambda said: -len(words & {*said.text.lower().split()}))
        return Evidence(passages=tuple(message_passage(said) for said in best[: self._top_k]))
