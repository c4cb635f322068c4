"""Count the vectors that a server sent in a run, those that were refused, and the texts it cut."""

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence

from remem.intake import Account, Remark
from remem.llm.served_model import fewest_tokens

log = logging.getLogger(__name__)

SOURCE = "embedding server"
"""The key of this account in a manifest."""
REFUSED = "were refused"
SORTED = "sorted by their index"
CUT = "cut by the server"
OTHER_MODEL = "by another model than was asked"
NOTES = {
    REFUSED: "{count:,} of {arrived:,} vectors of the embedding server were refused.",
    SORTED: "{count:,} of {arrived:,} vectors of the embedding server came in a "
    "different order from their texts, and were sorted by their index.",
    OTHER_MODEL: "{count:,} of {arrived:,} vectors of the embedding server came from "
    "another model than the one requested.",
    CUT: "The embedding server cut at least {count:,} of {arrived:,} texts (it counted fewer "
    "tokens than they have words), so a search does not find the rest of them.",
}
SHOWN = 60
"""Maximum characters of a text in a warning."""


class VectorAccount:
    """Counts the vectors that a server sent to this process; warns once if the server cut texts.

    Under `runner=ray` each worker counts and warns for itself, and a run reports only the counts of
    the process that started it. The counts name requests by number, so they contain no texts and
    can be put into a bundle.

    Args:
        address: The address of the server, without credentials.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._requests = 0
        self._account = Account("vectors", arrived=0, kept=0, asked=0)

    @property
    def account(self) -> Account:
        """Return the counts so far."""
        return self._account

    def send(self, texts: int) -> str:
        """Count the texts of a request, and return its label, such as "request 1"."""
        with self._lock:
            self._requests += 1
            self._account += Account("vectors", arrived=0, kept=0, asked=texts)
            return f"request {self._requests}"

    def refuse(self, place: str, arrived: int) -> None:
        """Count the vectors of a reply that was refused."""
        left_out = (Remark(REFUSED, arrived, place),) if arrived else ()
        with self._lock:
            self._account += Account("vectors", arrived, kept=0, left_out=left_out)

    def keep(
        self,
        place: str,
        texts: Sequence[str],
        *,
        is_sorted: bool,
        tokens: int | None,
        other_model: str = "",
    ) -> None:
        """Count the vectors of a reply, and the texts that the server cut.

        Args:
            place: The label of the request, as returned by `send`.
            texts: Its texts, one for each vector.
            is_sorted: Whether the vectors arrived in another order and were sorted.
            tokens: The number of tokens that the server counted; None if it reported none.
            other_model: The model that the server names, if it is not the requested one; else "".
        """
        cut = 0 if tokens is None else fewest_cut(texts, tokens)
        counts = {
            SORTED: len(texts) * is_sorted,
            CUT: cut,
            OTHER_MODEL: len(texts) * bool(other_model),
        }
        repaired = tuple(Remark(what, count, place) for what, count in counts.items() if count)
        with self._lock:
            before = {remark.what for remark in self._account.repaired}
            self._account += Account("vectors", len(texts), len(texts), repaired=repaired)
            arrived = self._account.arrived
        if other_model and OTHER_MODEL not in before:
            log.warning(
                "%s says that its vectors come from the model %r, which is not the requested one; "
                "check the model of the embedder and of the server",
                self._address,
                other_model,
            )
        if cut and CUT not in before:
            log.warning(
                "%s has cut off the ends of texts (at least %d of %d so far): it counts fewer "
                "tokens than these texts have words. A search cannot find what is cut off. The "
                "longest text of this request starts with %r. Serve a model that reads longer "
                "texts, or raise the server's limit",
                *(self._address, cut, arrived, max(texts, key=len)[:SHOWN]),
            )


def fewest_cut(texts: Sequence[str], tokens: int) -> int:
    """Return how many texts must have been cut: an uncut text has at least one token per word.

    >>> fewest_cut(["a b c d e", "f g", "h"], 4)
    1
    """
    words = sorted((fewest_tokens([text]) for text in texts), reverse=True)
    left, cut = sum(words), 0
    while left > tokens:
        left -= words[cut]
        cut += 1
    return cut


def vector_sentences(accounts: Mapping[str, Account]) -> Iterator[str]:
    """Yield a warning for each fault of the embedding server, because a fault may affect scores."""
    account = accounts.get(SOURCE)
    if account is not None:
        for remark in (*account.left_out, *account.repaired):
            if remark.what in NOTES:
                note = NOTES[remark.what]
                yield note.format(count=remark.count, arrived=account.arrived)
