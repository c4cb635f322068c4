"""Sign a file, and check its signature, with the program minisign, which asks for the password."""

import shutil
from pathlib import Path

from remem.errors import UsageError, VerificationFailedError
from remem.files.plain_text import printable
from remem.files.programs import run_at_terminal, run_program

PROGRAM = "minisign"
CHECK_SECONDS = 60.0
INSTALL = "apt install minisign (Debian, Ubuntu) or brew install minisign (macOS)"


def sign(file: Path, key: Path, signature: Path, comment: str) -> None:
    """Sign a file; the same key, file and comment always give the same signature.

    Args:
        file: The file to sign.
        key: The secret key, as `minisign -G` writes it.
        signature: The file to write.
        comment: The trusted comment, which is signed too.

    Raises:
        UsageError: The program or the key is missing, or minisign refused.
    """
    _check_key(key, "secret", "create one with minisign -G")
    exit_code = run_at_terminal(
        [_program(), "-S", "-s", str(key), "-m", str(file), "-x", str(signature), "-t", comment]
    )
    if exit_code:
        raise UsageError(f"minisign did not sign with {key} (exit code {exit_code})")


def check_signature(file: Path, signature: Path, public_key: Path) -> None:
    """Check the signature of a file.

    Raises:
        UsageError: The program or the key is missing.
        VerificationFailedError: There is no signature, or it does not fit the file and the key.
    """
    check_public_key(public_key)
    if not signature.is_file():
        raise VerificationFailedError(f"{file} is not signed: there is no {signature}")
    done = run_program(
        [_program(), "-V", "-p", str(public_key), "-m", str(file), "-x", str(signature)],
        CHECK_SECONDS,
    )
    if done.exit_code:
        complaint = printable(done.errors) or f"minisign ended with exit code {done.exit_code}"
        raise VerificationFailedError(
            f"{signature} is not a signature of {file} by the key in {public_key}: {complaint}"
        )


def check_public_key(key: Path) -> None:
    """Check that a public key and the program minisign exist.

    Raises:
        UsageError: The key or the program is missing.
    """
    _check_key(key, "public", "ask the signer for it")
    _program()


def _check_key(key: Path, kind: str, remedy: str) -> None:
    if not key.is_file():
        raise UsageError(f"there is no {kind} key at {key}; {remedy}")


def _program() -> str:
    program = shutil.which(PROGRAM)
    if program is None:
        raise UsageError(f"the program minisign is not installed: {INSTALL}")
    return program
