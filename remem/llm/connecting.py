"""What is said of an endpoint that cannot be used: nothing answers there, or its key is missing."""

from urllib.parse import urlsplit

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


def told_down(address: str, error: Exception, setting: str) -> str:
    """Say that nothing answers at an address, and which setting holds it."""
    return (
        f"nothing answers at {address} ({error.__cause__}); is the server running? "
        f"Start it, or set {setting}=<its address>"
    )


def told_no_key(address: str, variable: str, setting: str) -> str:
    """Say that the environment has no key for an address, and which setting names its variable."""
    return (
        f"no API key for {address}: set the environment variable {variable}, which {setting} names"
    )
