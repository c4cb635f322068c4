"""Downloads one file over HTTP: goes on where it was cut off, and names nothing unverified.

Only a file with a known sum is resumed: without one, nothing could tell two versions in one file.
"""

import hashlib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from remem.benchmarks.json_files import MAX_BYTES
from remem.files.disk import writing

ATTEMPTS = 3
"""How often a download that breaks off goes on before it gives up."""

TIMEOUT_SECONDS = 30
CHUNK_BYTES = 2**16

OnBytes = Callable[[int, int | None], None]
"""Is told how many bytes are there, and of how many; None when the server does not say."""


class DownloadError(RuntimeError):
    """A file could not be downloaded."""


class WrongSumError(DownloadError):
    """What was downloaded is not what it is pinned to be."""


class _BrokenOffError(Exception):
    """The connection ended before the file did."""


def download(url: str, target: Path, sha256: str | None, on_bytes: OnBytes) -> None:
    """Download a file; it gets its name only if its sum is `sha256`, where one is known."""
    part = target.with_name(f"{target.name}.part")
    _receive_whole(url, part, resume=sha256 is not None, on_bytes=on_bytes)
    with part.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 not in (None, found):
        rejected = part.replace(target.with_name(f"{target.name}.rejected"))
        raise WrongSumError(
            f"{url} sent a file with sha256 {found}, expected {sha256}; it is kept as {rejected}; "
            f"run the same command to download it again"
        )
    part.replace(target)


def _receive_whole(url: str, part: Path, *, resume: bool, on_bytes: OnBytes) -> None:
    reasons = []
    for _ in range(ATTEMPTS):
        if not resume:
            part.unlink(missing_ok=True)
        try:
            _receive_rest(url, part, on_bytes)
        except _BrokenOffError as error:
            reasons.append(str(error))
        else:
            return
    raise DownloadError(f"{url} was interrupted {ATTEMPTS} times ({'; '.join(reasons)})")


def _receive_rest(url: str, part: Path, on_bytes: OnBytes) -> None:
    """Receive what is missing of a file, or all of it where the server gives only that."""
    have = part.stat().st_size if part.exists() else 0
    response = _open(url, have)
    if response is None:
        return
    with response:
        start = have if response.status == HTTPStatus.PARTIAL_CONTENT else 0
        length = response.headers.get("Content-Length")
        total = None if length is None else start + int(length)
        part.parent.mkdir(parents=True, exist_ok=True)
        with writing(part), part.open("ab" if start else "wb") as file:
            for received, chunk in _chunks(response, start, total):
                if max(received, total or 0) > MAX_BYTES:
                    raise DownloadError(f"{url} is too large: more than {MAX_BYTES} bytes")
                file.write(chunk)
                on_bytes(received, total)


def _open(url: str, have: int) -> HTTPResponse | None:
    """Ask for what follows the first `have` bytes; None when nothing does."""
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response: HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if have and error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return None
        raise DownloadError(f"{url} answered {error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise DownloadError(f"{urlsplit(url).netloc} cannot be reached ({reason})") from error
    return response


def _chunks(response: HTTPResponse, start: int, total: int | None) -> Iterator[tuple[int, bytes]]:
    """Iterate over the chunks, each with how many bytes are there by then."""
    received = start
    try:
        while chunk := response.read(CHUNK_BYTES):
            received += len(chunk)
            yield received, chunk
    except (OSError, HTTPException) as error:
        raise _BrokenOffError(f"{type(error).__name__} after {received} bytes") from error
    if total is not None and received < total:
        raise _BrokenOffError(f"{received} of {total} bytes")
