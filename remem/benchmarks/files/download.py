"""Download one file over HTTP, with resuming and verification.

A download is resumed only if the checksum of the file is known; otherwise its parts could come from
two versions. A file gets its final name only after verification.
"""

import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from remem.files.disk import writing
from remem.files.opened import MAX_BYTES, file_sum


@contextmanager
def show_download(console: Console, label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a callback that shows the number of received bytes."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=None)
        yield lambda received, total: progress.update(task, completed=received, total=total)


ATTEMPTS = 3
"""Number of times that an interrupted download is tried."""

TIMEOUT_SECONDS = 30
CHUNK_BYTES = 2**16

OnBytes = Callable[[int, int | None], None]
"""Called with the received and the total bytes; the total is None if the server omits it."""


class DownloadError(RuntimeError):
    """A file could not be downloaded."""


class WrongSumError(DownloadError):
    """The checksum of a downloaded file differs from the pinned one."""


class _BrokenOffError(Exception):
    """The connection ended before the end of the file."""


def download(url: str, target: Path, sha256: str | None, on_bytes: OnBytes) -> None:
    """Download a file to `target`; if `sha256` is given, create `target` only if it matches."""
    part = target.with_name(f"{target.name}.part")
    _receive_whole(url, part, resume=sha256 is not None, on_bytes=on_bytes)
    sum_of_file = file_sum(part)
    if sha256 not in (None, sum_of_file):
        rejected = part.replace(target.with_name(f"{target.name}.rejected"))
        raise WrongSumError(
            f"{url} sent a file with sha256 {sum_of_file}, expected {sha256}; the file is "
            f"kept as {rejected}; run the same command again to repeat the download"
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
    """Receive the rest of a file, or all of it if the server does not support ranges."""
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
    """Request the bytes after the first `have`; return None if there are none."""
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
    """Yield the chunks, each with the number of bytes received so far."""
    received = start
    try:
        while chunk := response.read(CHUNK_BYTES):
            received += len(chunk)
            yield received, chunk
    except (OSError, HTTPException) as error:
        raise _BrokenOffError(f"{type(error).__name__} after {received} bytes") from error
    if total is not None and received < total:
        raise _BrokenOffError(f"{received} of {total} bytes")
