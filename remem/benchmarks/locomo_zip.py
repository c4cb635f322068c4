"""Read LoCoMo's 2024 release: a zip of ten flat files, 26.json to 50.json.

In these files, session keys, questions and speakers are at the same level. Texts, ids and questions
are those of
locomo10.json.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from remem.benchmarks.json_fields import checked, field
from remem.benchmarks.json_files import check_size, parse_json

# A folder that macOS adds repeats the names of the members; its own files start with "._".
MEMBER = re.compile(r"(?!__MACOSX/)(?:.*/)?([0-9]{1,9})\.json")
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, struct.error, OSError),
    *(OverflowError, KeyError, ValueError),
)
"""Errors that zipfile raises for a damaged archive."""


def is_zip(content: bytes) -> bool:
    """Return True if the content of a file is a zip archive."""
    return content.startswith(b"PK")


def unzip_conversations(content: bytes, name: str) -> list[dict[str, Any]]:
    """Return the conversations of the archive in the structure of locomo10.json, by number.

    Nothing is written to disk. Files that are not conversations are ignored.
    """
    with _naming(name):
        archive = zipfile.ZipFile(BytesIO(content))
    members = sorted(
        (int(match[1]), info.filename)
        for info in archive.infolist()
        if (match := MEMBER.fullmatch(info.filename))
    )
    _check_packing(archive, [member for _, member in members], name)
    flat = {number: read_member(archive, member, name) for number, member in members}
    if not flat or len(flat) < len(members):
        found = ", ".join(member for _, member in members) or "none"
        raise ValueError(f"{name} must have each conversation once as <n>.json, found: {found}")
    return [
        {
            "sample_id": f"conv-{number}",
            "conversation": conversation,
            "qa": field(conversation, "qa", list, f"{name}/{number}.json"),
        }
        for number, conversation in flat.items()
    ]


def read_member(archive: zipfile.ZipFile, member: str, name: str) -> dict[str, Any]:
    """Return the JSON object in one file of the archive."""
    with _naming(name):
        content = archive.read(member)
    where = f"{name}/{member}"
    return checked(parse_json(content, where), dict, where)


def _check_packing(archive: zipfile.ZipFile, members: Sequence[str], name: str) -> None:
    """Raise ValueError for an unusual compression method or too many bytes."""
    infos = [archive.getinfo(member) for member in members]
    odd = next((info.filename for info in infos if info.compress_type not in METHODS), None)
    if odd is not None:
        raise ValueError(f"{name}/{odd} has an unknown compression method: fetch it again")
    check_size(sum(info.file_size for info in infos), name)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    try:
        yield
    except DAMAGES as error:
        raise ValueError(f"{name} is a damaged zip file ({error}): fetch it again") from error
