"""The address of a server: whether it needs a key, why it cannot be used, and whose replies it has.

Replies of one server are never taken for those of another that serves a model of the same name. The
address is not part of any key or fingerprint, so that a finished run is found wherever its model
was served. It is compared instead, and a run stops where it differs.
"""

from urllib.parse import urlsplit

from remem.errors import OtherServerError

SETTINGS = "llm.build.endpoint"
"""Where a configuration holds the settings of an endpoint."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def needs_key(base_url: str) -> bool:
    """Return whether an endpoint needs a key: all but those on loopback addresses do."""
    return urlsplit(base_url).hostname not in LOOPBACK


def shown_address(base_url: str) -> str:
    """Return an address without user and password, and without a slash at its end."""
    parts = urlsplit(base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")


def nobody_answers(error: Exception) -> bool:
    """Return whether no connection could be made: refused, or no such host."""
    # httpx's or httpx2's, depending on openai's version, behind openai's own error
    return type(error.__cause__).__name__ == "ConnectError"


def describe_no_answer(address: str, error: Exception, setting: str) -> str:
    """Return the message that nothing answers at an address, and which setting holds it."""
    return (
        f"nothing answers at {address} ({error.__cause__}); is the server running? "
        f"Start it, or set {setting}=<its address>"
    )


def describe_missing_key(address: str, variable: str, setting: str) -> str:
    """Return the message that an address needs a key, and which setting names its variable."""
    return (
        f"no API key for {address}: set the environment variable {variable}, which {setting} names"
    )


def check_same_server(stored: str, asked: str, what: str) -> None:
    """Compare the server of something stored with the one that a run asks.

    Args:
        stored: The address that it came from; "" if it is not known.
        asked: The address that the run asks; "" for a server of its own, and for a replay.
        what: What is stored, in the plural.

    Raises:
        OtherServerError: The two differ.
    """
    if stored and asked and stored != asked:
        raise OtherServerError(
            f"{what} came from {stored}, but this run asks {asked}: to keep both apart, set "
            f"paths.results to another folder; if it is the same server, set its endpoint's "
            f"known_as={stored} (llm.build.endpoint, or judge_llm.build.endpoint of a judge)"
        )
