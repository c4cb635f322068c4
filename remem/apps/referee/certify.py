"""`remem referee certify`: replay a bundle, and write the result as a page and as JSON."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import Packages
from remem.cli.bundle import File, say_printable
from remem.errors import UsageError
from remem.files.plain_text import printable
from remem.reports.terminal.console import safe_console, say

if TYPE_CHECKING:
    from remem.apps.referee.certificates.certificate import CertificatePaths


def certify(  # noqa: PLR0917  each is an option of the command line
    file: File,
    out: Annotated[
        Path | None,
        typer.Option(help="folder for the certificate (default: the folder of the bundle)"),
    ] = None,
    sign: Annotated[Path | None, typer.Option(help="sign with this secret key of minisign")] = None,
    check: Annotated[
        bool, typer.Option(help="check an existing certificate; nothing is replayed")
    ] = False,
    public_key: Annotated[
        Path | None,
        typer.Option(help="with --check: the minisign public key to check the signature with"),
    ] = None,
    package: Packages = None,
) -> None:
    """Replay a bundle and write its certificate: a page, and JSON to sign.

    Nothing is sent to a model.

    Example: remem referee certify table1.remem --sign ~/.minisign/minisign.key
    """
    from remem.apps.referee.certificates.certificate import certificate_paths

    if public_key is not None and not check:
        raise UsageError("--public-key needs --check; to sign, give your secret key with --sign")
    if check and sign is not None:
        raise UsageError("--sign and --check cannot be used together: leave out one of them")
    paths = certificate_paths(file, out)
    if check:
        _check(file, paths, public_key)
        return
    from remem.apps.referee.certificates.certificate_files import write_certificate
    from remem.apps.referee.certificates.certificate_text import checked_facts, unchecked_facts
    from remem.apps.referee.certificates.certify import certify as certify_bundle
    from remem.benchmarks.files.notes import data_folder
    from remem.reports.html import table_files
    from remem.reports.terminal.progress import ProgressView

    view = ProgressView(safe_console(stderr=True), None)
    with TemporaryDirectory(prefix="remem-certify-") as temporary:
        certificate = certify_bundle(
            file,
            data_folder(),
            Path(temporary) / "results",
            lambda label, price: view(printable(label), price),
            package or (),
            files=table_files,
        )
    written = write_certificate(certificate, paths, sign)
    for line in checked_facts(certificate):
        say_printable(line)
    say("Not checked:")
    for line in unchecked_facts(certificate):
        say(f"  {printable(line)}")
    say(f"Written: {', '.join(map(str, written.files))}; sha256 of the JSON {written.sha256}")


def _check(file: Path, paths: "CertificatePaths", public_key: Path | None) -> None:
    """Check that a certificate belongs to this bundle, and its page and signature to it."""
    from remem.apps.referee.certificates.certificate_files import check_certificate

    checked = check_certificate(file, paths, public_key)
    say(f"{paths.json} is the certificate of {file}, and {paths.page.name} is the page for it")
    if public_key is not None:
        say(f"The certificate is signed by the key in {public_key}")
    elif paths.signature.exists():
        say(f"{paths.signature.name} was not checked: give --public-key")
    else:
        say("The certificate is not signed")
    say(f"sha256 of the JSON {checked}")
