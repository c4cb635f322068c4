"""Find the reason that a server gave for refusing a request, and a setting that helps.

A wrong key, an account without credit and a setting that the server does not know affect every
call, so they stop the run.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from remem.errors import BudgetReachedError, StopRunError
from remem.files.json_text import json_value

MOST_SHOWN = 300
PAGES_OF_SERVERS = (401, 403, 407, 429, 500, 502, 503, 504, 520, 521, 522, 524)
"""Status codes with which a reachable server, or a proxy, sends a page."""
QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|insufficient (?:account )?(?:balance|credits"
    r"|funds)|billing hard limit|credit balance is too low|out of credits|any credits"
    r"|balance is insufficient|key limit exceeded|api usage limits|budget has been exceeded"
    r"|arrearage|overdue|account .{0,40}suspended|billing_not_active|account is not active",
    re.IGNORECASE,
)
PASSES = re.compile(r"retry in|try again in|per (?:minute|second|hour|day)", re.IGNORECASE)
"""Refusals that waiting cures, although they mention a quota."""
WRONG_KEY = re.compile(
    r"(?:api|access).?key (?:not valid|is invalid|provided|is not valid)|(?:incorrect|invalid)"
    r" (?:api|access).?key|invalid_api_key|api_key_invalid",
    re.IGNORECASE,
)
ONE_CALL = re.compile(
    r"moderat|content.?(?:filter|policy)|flagged|context.?length|too many tokens|prompt is too long"
    r"|maximum context|`?inputs`? tokens",
    re.IGNORECASE,
)
"""Refusals of one prompt, which say nothing about others."""


@dataclass(frozen=True, slots=True)
class Cure:
    """A setting that prevents some refusals, and a pattern that matches the reasons for them."""

    setting: str
    pattern: re.Pattern[str]


_UNKNOWN = (
    r"(?:unsupported|not supported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted"
    r"|unavailable|extra_forbidden|not allowed|invalid|only the default|must be)"
)


def _refused(name: str) -> re.Pattern[str]:
    """Return a pattern of reasons that refuse a parameter of this name."""
    return re.compile(
        rf"\b{name}\b.{{0,80}}{_UNKNOWN}|{_UNKNOWN}.{{0,80}}\b{name}\b", re.IGNORECASE
    )


CHAT_CURES = (
    Cure(
        "token_parameter=max_completion_tokens",
        re.compile(r"use .?max_completion_tokens", re.IGNORECASE),
    ),
    Cure("token_parameter=max_tokens", _refused("max_completion_tokens")),
    Cure(
        "max_output_tokens=<a smaller number>",
        re.compile(
            r"max_(?:completion_)?tokens\b.*too large|at most \d+ (?:completion|output)"
            r"|in the completion|max_(?:new|output)_tokens|range of max_tokens"
        ),
    ),
    Cure("seed=null", _refused("seed")),
    Cure("temperature=null", _refused("temperature")),
    Cure(
        "json_mode=schema, or json_mode=text if that is refused too",
        re.compile(r"response_format.{0,40}must be .?json_schema", re.IGNORECASE),
    ),
    Cure(
        "json_mode=object, or json_mode=text if that is refused too",
        _refused("(?:response_format|json_schema|json_object)"),
    ),
    Cure(
        "tool_choice=auto",
        re.compile(
            rf"{_refused('tool_choice').pattern}|tool_choice.{{0,40}}(?:forces|value)"
            r"|support the provided .tool_choice",
            re.IGNORECASE,
        ),
    ),
)
EMBEDDING_CURES = (
    Cure(
        "batch_size=<a smaller number>",
        re.compile(
            r"batch.?size|batch (?:is )?too large|too many inputs|maximum (?:number of )?inputs"
            r"|array too long|\binput\b.*at most|at most \d+ (?:requests|texts|inputs)"
            r"|texts must be at most|in one batch",
            re.IGNORECASE | re.DOTALL,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The status of a refused request, and the reason that the server gave, as one line."""

    status: int
    reason: str

    @property
    def is_of_quota(self) -> bool:
        """Return whether the account has no credit left, so that retrying is useless."""
        if self.status == HTTPStatus.PAYMENT_REQUIRED:
            return True
        return bool(QUOTA.search(self.reason)) and not PASSES.search(self.reason)

    def stop(
        self, address: str, *, settings: str, key_setting: str, cures: tuple[Cure, ...]
    ) -> StopRunError | None:
        """Return the error that ends the run; None if other calls may still succeed.

        Args:
            address: The address of the server.
            settings: The key of the endpoint's settings in a configuration.
            key_setting: The setting that names the environment variable of the API key.
            cures: The settings that may prevent a refusal.
        """
        refused = f"{address} refused the request with status {self.status}: {self.reason}"
        if self.is_of_quota:
            return BudgetReachedError(
                f"{refused}; no calls are possible until the account is topped up. The same "
                "command then continues where it stopped"
            )
        if ONE_CALL.search(self.reason):
            return None
        is_refused = self.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
        if is_refused or WRONG_KEY.search(self.reason):
            return StopRunError(
                f"{refused}; check the key in the variable that {key_setting} names, and its "
                f"permissions"
            )
        cure = self.cure(cures)
        if self.status == HTTPStatus.NOT_FOUND and not cure:
            return StopRunError(f"{refused}; {_not_found(address, settings)}")
        return StopRunError(f"{refused}; set {settings}.{cure}") if cure else None

    def cure(self, cures: tuple[Cure, ...]) -> str:
        """Return the setting that would have prevented the refusal; "" if none is known."""
        fitting = (cure.setting for cure in cures if cure.pattern.search(self.reason))
        return next(fitting, "") if self.status < HTTPStatus.INTERNAL_SERVER_ERROR else ""


def read_refusal(status: int, content: bytes) -> Refusal:
    """Build a refusal from the status of a response and the reason in its body."""
    text = content[: 100 * MOST_SHOWN].decode("utf-8", "replace")
    if page := describe_page(text, status):
        return Refusal(status, page)
    try:
        reason = _reason(json_value(content)) or text
    except ValueError:
        reason = text
    line = " ".join(reason.split())
    return Refusal(status, line[:MOST_SHOWN] or "no reason is given")


def _reason(stated: Any) -> str:
    """Return the reason of a JSON body, in the forms of the servers that we know.

    >>> _reason({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]})
    'body.seed: Extra inputs are not permitted'
    """
    if isinstance(stated, str):
        return stated
    if isinstance(stated, list):
        return "; ".join(filter(None, map(_reason, stated)))
    if not isinstance(stated, dict):
        return ""
    words = next(
        (
            words
            for name in ("message", "msg", "error", "errors", "detail")
            if (words := _reason(stated.get(name)))
        ),
        "",
    )
    metadata = stated.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):  # of OpenRouter
        words = f"{words}: {metadata['raw']}"
    place = stated.get("loc")
    prefix = ".".join(map(str, place)) if isinstance(place, list) else ""
    code = str(stated.get("code") or stated.get("type") or "")
    suffix = f" ({code})" if words and QUOTA.search(code) else ""
    return (f"{prefix}: {words}" if prefix else words) + suffix


def describe_page(text: str, status: int = HTTPStatus.OK) -> str:
    """Return a complaint if a reply is a web page instead of JSON; "" for other replies."""
    if not re.match(r"\s*<(?:!doctype\s+html|html|head|body|\?xml|!--)", text, re.IGNORECASE):
        return ""
    title = re.search(r"<title>([^<]{1,80})", text, re.IGNORECASE)
    named = f" ({' '.join(title[1].split())})" if title else ""
    advice = "" if status in PAGES_OF_SERVERS else "; is /v1 missing at its end?"
    return f"the address answers with a web page{named}{advice}"


def _not_found(address: str, settings: str) -> str:
    if not urlsplit(address).path.rstrip("/").endswith("/v1"):
        return (
            f"is /v1 missing at the end of {settings}.base_url, or is the name in {settings}.model "
            "unknown to the server?"
        )
    return f"set {settings}.model to a model that the server serves, or correct {settings}.base_url"
