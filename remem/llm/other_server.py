"""Replies of one server are never taken for those of another that serves a model of the same name.

The address of a server is not part of any key or fingerprint, so that a finished run is found
wherever its model was served. It is compared instead, and a run stops where it differs.
"""

from remem.protocols import StopRunError


class OtherServerError(StopRunError):
    """What is stored came from another server than the one that this run asks."""


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
