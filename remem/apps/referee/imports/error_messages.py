"""Recognise published answers that are in fact error messages of a client or a server."""

import re

CODES = (
    "too many requests|internal server error|bad gateway|service unavailable|gateway time-?out|"
    "bad request|unauthorized|forbidden|not found"
)
CALLED = "llm|api|model|request|response|completion|openai|anthropic"
CLIENT_ERRORS = (
    "API|APIConnection|APIStatus|APITimeout|Authentication|BadRequest|Connection|"
    "ContextWindowExceeded|HTTP|InternalServer|NotFound|Overloaded|PermissionDenied|RateLimit|"
    "ServiceUnavailable|Timeout"
)
MESSAGES = tuple(
    re.compile(rf"\W*(?:{pattern})", flags)
    for pattern, flags in (
        # Error: ..., [ERROR] ..., **Error**: ...
        (r"error\W{0,3}[:\]]", re.IGNORECASE),
        (r"exception: (?!\w+\.?$)", re.IGNORECASE),
        (r"error code\W{0,2} [1-5][0-9]{2}\b", re.IGNORECASE),
        (r"traceback \(most recent call last\)", re.IGNORECASE),
        (rf"error (?:[a-z]+ing|from)(?: \w+){{0,2}} (?:{CALLED})\b[^.:\n]{{0,40}}:", re.IGNORECASE),
        (rf"(?:{CALLED}|http|server|rate limit) error\b[^.:\n]{{0,20}}:", re.IGNORECASE),
        (
            rf"(?:http(?:/[0-9.]+)? )?(?:error )?[45][0-9]{{2}}\W{{1,3}}(?:{CODES})\W*(?:$|:)",
            re.IGNORECASE,
        ),
        (r"rate limit (?:reached|exceeded)\b(?: for|[^\w,]*$)", re.IGNORECASE),
        (
            r"(?:request timed out|connection (?:error|refused|reset)|timed? ?out)\W*$",
            re.IGNORECASE,
        ),
        (r"(?:error|exception|nan|null)\W*$", re.IGNORECASE),  # not "None", which may refuse
        (r"an (?:unexpected |internal )?(?:error|exception) (?:has )?occurred\b", re.IGNORECASE),
        (
            r"error (?:generating|getting|calling|processing|in|during)\b[^.\n]{0,60}:",
            re.IGNORECASE,
        ),
        (rf"(?:{CALLED}) (?:call |request )?failed\b", re.IGNORECASE),
        (r"(?:llm|api|model)[_ ]error\]", re.IGNORECASE),
        (r"errno -?[0-9]+\b", re.IGNORECASE),
        (r"(?:!doctype\s+html|html)\b[^<]{0,200}>", re.IGNORECASE),
        (r"\"error\"\s*:\s*[{\"]", 0),
        # litellm.RateLimitError: ..., httpx.ReadTimeout, RateLimitError('...')
        (r"(?:[A-Za-z_]\w*\.)+[A-Z]\w*(?:Error|Exception|Timeout)(?:[:(]|\W*$)", 0),
        (rf"(?:{CLIENT_ERRORS})Error(?:[:(]|\W*$)", 0),
        (r"(?:Attribute|Axios|Index|Key|Value)Error: |TypeError: fetch failed", 0),
        (r"(?:RetryError\[|HTTPS?ConnectionPool\()", 0),
    )
)
"""What such a message begins with; a sentence that only has the words is an answer."""
ABOUT_ERRORS = re.compile(r"error|exception|traceback", re.IGNORECASE)


def is_error_message(answer: str, *asked: str) -> bool:
    """Return whether an answer is an error message.

    Args:
        answer: The answer.
        asked: The question and its gold answers; if one of them mentions errors, no answer counts
            as an error message.

    >>> is_error_message("Error code: 429 - quota exceeded"), is_error_message("Error bars.")
    (True, False)
    >>> is_error_message("Error: disk full", "Which error did Ann get?")
    False
    """
    is_gold = answer.strip().casefold() in {text.strip().casefold() for text in asked}
    if is_gold or any(map(ABOUT_ERRORS.search, asked)):
        return False
    return any(message.match(answer) for message in MESSAGES)
