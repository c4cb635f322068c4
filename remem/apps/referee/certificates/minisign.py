"""Sign a file, and check its signature, with the program minisign, which asks for the password."""

import shutil
import subprocess
from pathlib import Path

from remem.errors import UsageError, VerificationFailedError
from remem.files.plain_text import printable

PROGRAM = "minisign"
INSTALL = "apt install minisign (Debian, Ubuntu) or brew install minisign (macOS)"


def sign(file: Path, key: Path, signature: Path, comment: str) -> None:
    """Sign a file; the same key and file give the same signature, as no time is in the comment.

    Args:
        file: The file to sign.
        key: The secret key, as `minisign -G` writes it.
        signature: The file to write.
        comment: The trusted comment, which is signed too.

    Raises:
        UsageError: The program or the key is missing, or minisign refused.
    """
    _check_key(key, "secret", "minisign -G")
    done = subprocess.run(
        [_program(), "-S", "-s", key, "-m", file, "-x", signature, "-t", comment], check=False
    )
    if done.returncode:
        raise UsageError(f"minisign did not sign with {key} (exit code {done.returncode})")


def check_signature(file: Path, signature: Path, public_key: Path) -> None:
    """Check the signature of a file.

    Raises:
        UsageError: The program or the key is missing.
        VerificationFailedError: There is no signature, or it is not one of this file by this key.
    """
    check_public_key(public_key)
    if not signature.is_file():
        raise VerificationFailedError(f"{file} is not signed: there is no {signature}")
    done = subprocess.run(
        [_program(), "-V", "-p", public_key, "-m", file, "-x", signature],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        complaint = printable(done.stderr) or f"minisign ended with exit code {done.returncode}"
        raise VerificationFailedError(
            f"{signature} is not a signature of {file} by the key in {public_key}: {complaint}"
        )


def check_public_key(key: Path) -> None:
    """Check that a public key and the program are there.

    Raises:
        UsageError: One of them is missing.
    """
    _check_key(key, "public", "its owner")
    _program()


def _check_key(key: Path, kind: str, source: str) -> None:
    if not key.is_file():
        raise UsageError(f"there is no {kind} key at {key}; get one from {source}")


def _program() -> str:
    program = shutil.which(PROGRAM)
    if program is None:
        raise UsageError(f"the program minisign is not installed: {INSTALL}")
    return program
