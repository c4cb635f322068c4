"""Read a log file in full, as text or as JSON, if it is not too large."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path
from typing import Any

from remem.files.json_text import parse_json
from remem.files.opened import read_file

FIX_JSON = "fix it there; a file with one message per line must end in .jsonl"


def read_content(path: Path) -> bytes:
    """Return the bytes of a file; raise an error if it is missing or too large."""
    if not path.is_file():
        raise FileNotFoundError(
            f"no such file: {str(path)!r} (relative to {Path.cwd()}); examples/own_log/README.md "
            f"lists the accepted formats"
        )
    return read_file(path)


def json_of(path: Path) -> Any:
    """Read a JSON file."""
    content = read_content(path)
    if _is_utf16(content):
        content = text_of(path).encode("utf-8", "surrogatepass")
    return parse_json(content, str(path), FIX_JSON, keep_surrogates=True)


def text_of(path: Path) -> str:
    """Read a text file.

    Raises:
        ValueError: The file is a zip archive, or is neither UTF-8 nor UTF-16.
    """
    content = read_content(path)
    if content.startswith(b"PK\x03\x04"):
        raise ValueError(f"{path} is a zip archive: unzip it, and add the log inside")
    try:
        return content.decode("utf-16" if _is_utf16(content) else "utf-8-sig", "surrogatepass")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 text ({error.reason} at byte {error.start}): save it as UTF-8"
        ) from error


def _is_utf16(content: bytes) -> bool:
    return content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
