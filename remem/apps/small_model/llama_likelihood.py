"""The likelihood of a text after a prompt, from a local llama.cpp server.

The server only returns the probabilities of tokens that it generates, so a grammar forces it to
generate exactly the tokens of the text. The probabilities are those over the entire vocabulary,
before the grammar is applied.
"""

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from remem.files.json_text import json_value
from remem.llm.endpoint import EndpointError, EndpointReply
from remem.llm.likelihood import LikelihoodRequest, format_log_probabilities
from remem.protocols import ChatReply
from remem.types import Usage

KEPT_CHARACTERS = 300
LARGEST_REPLY = 8 * 2**20


def ask_llama(url: str, request: LikelihoodRequest, timeout_seconds: float) -> EndpointReply:
    """Return a reply whose content is the log-probability of each token of the text.

    Args:
        url: The address of the server, without /v1.
        request: The prompt, and the text after it.
        timeout_seconds: The maximum time without data from the server.

    Raises:
        EndpointError: The server did not answer, or did not generate the tokens of the text.
    """
    begun = time.perf_counter()
    content = {"content": request.text, "add_special": False}
    tokens = _posted(f"{url}/tokenize", content, timeout_seconds).get("tokens")
    if not isinstance(tokens, list) or not tokens:
        raise EndpointError(
            f"the server returned no tokens for the text {request.text!r}", retryable=False
        )
    forced = {
        "prompt": request.prompt,
        "n_predict": len(tokens),
        "n_probs": 1,
        "temperature": 0,
        "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
    }
    return _answered(_posted(f"{url}/completion", forced, timeout_seconds), tokens, begun)


def _answered(completion: Mapping[str, Any], tokens: Sequence[int], begun: float) -> EndpointReply:
    try:
        steps = completion["completion_probabilities"]
        came = [(step["id"], float(step["logprob"])) for step in steps]
        counts = int(completion["tokens_evaluated"]), int(completion["tokens_predicted"])
    except (KeyError, TypeError, ValueError) as error:
        raise EndpointError(
            f"the server sent no probabilities: {str(completion)[:KEPT_CHARACTERS]}",
            retryable=False,
        ) from error
    if [token for token, _ in came] != list(tokens):
        raise EndpointError(
            f"the server returned the tokens {[token for token, _ in came]}, expected "
            f"{list(tokens)}",
            retryable=False,
        )
    values = [value for _, value in came]
    if not all(math.isfinite(value) and value <= 0 for value in values):
        raise EndpointError(
            f"the server returned {values}, expected log-probabilities of at most 0",
            retryable=False,
        )
    reply = ChatReply(
        format_log_probabilities(values), (), truncated=False, usage=Usage(1, *counts)
    )
    return EndpointReply(reply, time.perf_counter() - begun)


def _posted(url: str, body: Mapping[str, Any], timeout_seconds: float) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    request = Request(url, json.dumps(body).encode(), headers)  # always to this machine
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=timeout_seconds) as reply:
            content = json_value(reply.read(LARGEST_REPLY))
    except HTTPError as error:
        complaint = error.read(KEPT_CHARACTERS).decode(errors="replace")
        raise EndpointError(f"{url} answered {error.code}: {complaint}", retryable=False) from error
    except (OSError, ValueError) as error:
        raise EndpointError(f"{url} did not answer: {error}", retryable=True) from error
    if not isinstance(content, dict):
        raise EndpointError(
            f"{url} sent {str(content)[:KEPT_CHARACTERS]}, expected a JSON object", retryable=False
        )
    return content
