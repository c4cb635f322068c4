"""Write the files of a certificate, with a signature if there is a key, and check such files."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from remem.apps.referee.certificates.certificate import (
    Certificate,
    CertificatePaths,
    certificate_bytes,
    read_certificate,
    sum_of,
)
from remem.apps.referee.certificates.certificate_page import certificate_page
from remem.apps.referee.certificates.minisign import check_signature, sign
from remem.bundle.verify import verify
from remem.errors import UsageError, VerificationFailedError
from remem.files.disk import write_whole
from remem.files.opened import read_file


@dataclass(frozen=True, slots=True)
class WrittenCertificate:
    """The written files, and the sha256 of the JSON."""

    files: tuple[Path, ...]
    sha256: str


def write_certificate(
    certificate: Certificate, paths: CertificatePaths, key: Path | None = None
) -> WrittenCertificate:
    """Write the JSON and the page of a certificate, and its signature if there is a key.

    The JSON is signed before anything is written. An old signature that belongs to other bytes is
    removed.

    Raises:
        UsageError: The program minisign or the key is missing, or minisign refused to sign.
    """
    content = certificate_bytes(certificate)
    signature = None if key is None else _signature(content, key, certificate.bundle.sha256)
    paths.json.parent.mkdir(parents=True, exist_ok=True)
    if signature is None and not _is_same(paths.json, content):
        paths.signature.unlink(missing_ok=True)
    write_whole(paths.json, content)
    write_whole(paths.page, certificate_page(certificate))
    written = [paths.json, paths.page]
    if signature is not None:
        write_whole(paths.signature, signature)
        written.append(paths.signature)
    return WrittenCertificate(tuple(written), sum_of(content))


def check_certificate(bundle: Path, paths: CertificatePaths, public_key: Path | None = None) -> str:
    """Check that a bundle is intact and its certificate valid; return the certificate's sha256.

    Raises:
        UsageError: The certificate, the key or the program that checks signatures is missing.
        VerificationFailedError: The bundle, the JSON, the page or the signature does not match.
    """
    if not paths.json.is_file():
        raise UsageError(f"there is no {paths.json}; make it: remem referee certify {bundle}")
    certificate, content = read_certificate(paths.json)
    if verify(bundle).sha256 != certificate.bundle.sha256:
        raise VerificationFailedError(f"{paths.json} is the certificate of another bundle")
    if not _is_same(paths.page, certificate_page(certificate)):
        raise VerificationFailedError(
            f"{paths.page} is not the page that this version of remem makes from "
            f"{paths.json.name}, which remem {certificate.certified_with} wrote; make the "
            f"certificate again"
        )
    if public_key is not None:
        check_signature(paths.json, paths.signature, public_key)
    return sum_of(content)


def _signature(content: bytes, key: Path, bundle_sha256: str) -> bytes:
    with TemporaryDirectory(prefix="remem-sign-") as temporary:
        file, signature = Path(temporary) / "certificate.json", Path(temporary) / "minisig"
        write_whole(file, content)
        sign(file, key, signature, f"remem certificate of the bundle {bundle_sha256}")
        return read_file(signature)


def _is_same(path: Path, content: bytes) -> bool:
    return path.is_file() and read_file(path) == content
