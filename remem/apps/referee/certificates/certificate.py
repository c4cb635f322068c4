"""The certificate of a bundle: what a replay found, as canonical JSON that can be signed.

The same bundle, version, packages and data give the same bytes: keys are sorted, numbers have six
digits, and no clock is read. A certificate has only ids, numbers and codes, and no text of a data
set; `certificate_text` puts it into words.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from remem.bundle.differences import OtherRelease
from remem.bundle.layout import JUDGE, Count, Release, Seconds, Sha256
from remem.bundle.rivals import RivalCode
from remem.bundle.tables import NotCompared
from remem.bundle.verify import Verified
from remem.errors import VerificationFailedError
from remem.files.adapters import adapter, first_fault, parsed
from remem.files.opened import opened
from remem.prompts.chosen import PromptSum
from remem.protocols import DataFile

FORMAT: Literal["remem-certificate-2"] = "remem-certificate-2"
EARLIER = b"remem-certificate-1"
LARGEST = 256 * 2**20
"""Maximum size of a certificate in bytes; it has a few numbers for each question."""
DIGITS = 6

Number = Annotated[float, Field(allow_inf_nan=False)]
Judge = Annotated[str, StringConstraints(pattern=rf"^({JUDGE.pattern})?$")]
MissingPackage = Annotated[str, StringConstraints(pattern=r"^[\w.\[\]-]{0,80}$")]
SettingsSum = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]


@dataclass(frozen=True, slots=True)
class CertifiedScore:
    """The mean of a score with its 95% interval, and its values by question.

    `judge` is the name of the judge's file, or "" if the score needs no judge. `values` has a value
    for each question of the run, in order, or None for a question without this score. `values` is
    empty for scores that are not used to rank systems.
    """

    name: str
    heading: str
    judge: Judge
    better: Literal["higher", "lower"]
    share: bool
    mean: Number
    low: Number | None
    high: Number | None
    n: Count
    clusters: Count | None
    values: tuple[Number | None, ...]


@dataclass(frozen=True, slots=True)
class CertifiedScores:
    """The scores of a run under one convention, with the convention's name and choices."""

    convention: str
    choices: Mapping[str, str | int]
    scores: tuple[CertifiedScore, ...]

    def score(self, judge: str, name: str = "") -> CertifiedScore | None:
        """Return the first score of a judge that has values by question; None if there is none.

        `judge` is "" for scores that need no judge. If `name` is given, only scores with this name
        count.
        """
        return next(
            (
                score
                for score in self.scores
                if score.judge == judge and name in ("", score.name) and score.values
            ),
            None,
        )


@dataclass(frozen=True, slots=True)
class CertifiedCost:
    """The percentiles and the sum of one measure of a run.

    `each` says what has one value of the measure, such as "question".
    """

    name: str
    unit: str
    each: str
    p50: Number
    p95: Number
    p99: Number
    n: Annotated[int, Field(ge=1, le=2**53)]
    total: Number


@dataclass(frozen=True, slots=True)
class CertifiedJudge:
    """A judge with verdicts in the bundle: its file, kind, prompts and number of verdicts."""

    file: Judge
    kind: str
    prompts: tuple[str, ...]
    verdicts: Count


@dataclass(frozen=True, slots=True)
class CertifiedCode:
    """The code that produced the answers, as the bundle states it."""

    commits: tuple[str, ...]
    code: tuple[str, ...]
    python: str
    platform: str
    packages: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CertifiedRun:
    """A run of the bundle: its models and settings, its questions, scores and costs.

    `llm` is the choice of the model in conf/llm, and `model` is the model's own name. If the memory
    is a rival, `rival` is the code that rebuilt it in the replay. `missing` is the package whose
    absence prevented a replay; "" if it is unknown or nothing is missing. `with_records` says
    whether the bundle has the records of the run. `other_data` says whether the data files of the
    replay differ from those of the run, and `other_releases` lists the packages whose releases
    differ. `questions` has the ids of the answered questions, and `clusters` has the cluster of
    each question. `index_bytes` is the size of the saved indexes that the replay built; None for a
    memory that saves none. Runs with equal settings have the same `settings_sum`. `peak_mib` is 0
    if it was not measured.
    """

    label: str
    dataset: str
    data: tuple[DataFile, ...]
    method: str
    reader: str
    planner: str
    ablation: str
    llm: str
    model: str
    embedder: str
    prompts: tuple[PromptSum, ...]
    judges: tuple[CertifiedJudge, ...]
    ran_on: CertifiedCode
    fingerprint: str
    settings_sum: SettingsSum
    records_sha256: Sha256
    started: str
    finished: str
    asked: Count
    answered: Count
    of: Count
    with_records: bool
    replayed: bool
    missing: MissingPackage
    rival: RivalCode | None
    other_data: bool
    other_releases: tuple[OtherRelease, ...]
    own_convention: str
    scorings: tuple[CertifiedScores, ...]
    questions: tuple[str, ...]
    clusters: tuple[str, ...]
    costs: tuple[CertifiedCost, ...]
    index_seconds: Seconds
    index_bytes: Count | None
    peak_mib: Count

    def cost(self, name: str) -> CertifiedCost | None:
        """Return the measure with this name; None if the run does not have it."""
        return next((cost for cost in self.costs if cost.name == name), None)


@dataclass(frozen=True, slots=True)
class CertifiedTable:
    """A table of the bundle; if the replay did not compare all of it, `not_compared` says why."""

    name: str
    files: Count
    not_compared: NotCompared | None


@dataclass(frozen=True, slots=True)
class BundleContent:
    """What a bundle states about itself; `replies` and `vectors` are counts."""

    sha256: Sha256
    size: Count
    made_with: str
    licences: tuple[str, ...]
    entries: Count
    replies: Count
    vectors: Count


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a replay of a bundle found; `certified_with` is the release of remem that ran it."""

    format: Literal["remem-certificate-2"]
    certified_with: Release
    bundle: BundleContent
    runs: tuple[CertifiedRun, ...]
    tables: tuple[CertifiedTable, ...]


def bundle_content(path: Path, verified: Verified) -> BundleContent:
    """Return what a verified bundle states about itself."""
    return BundleContent(
        sha256=verified.sha256,
        size=path.stat().st_size,
        made_with=verified.index.made_with,
        licences=verified.index.licences,
        entries=len(verified.index.entries),
        replies=verified.calls,
        vectors=verified.vectors,
    )


@dataclass(frozen=True, slots=True)
class CertificatePaths:
    """The files of a certificate."""

    json: Path
    page: Path
    signature: Path


def certificate_paths(bundle: Path, folder: Path | None = None) -> CertificatePaths:
    """Return the paths of a bundle's certificate; by default, it is next to the bundle."""
    stem = (folder or bundle.parent) / f"{bundle.name.removesuffix('.remem')}.certificate"
    return CertificatePaths(*(Path(f"{stem}{end}") for end in (".json", ".html", ".json.minisig")))


def certificate_bytes(certificate: Certificate) -> bytes:
    """Return a certificate as canonical JSON: sorted keys, ASCII, no spaces, a final newline."""
    content = adapter(Certificate).dump_python(certificate, mode="json")
    text = json.dumps(
        content, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":")
    )
    return text.encode() + b"\n"


def sum_of(content: bytes) -> str:
    """Return the sha256 of a certificate's bytes, which the certificate's page states."""
    return hashlib.sha256(content).hexdigest()


def read_certificate(path: Path) -> tuple[Certificate, bytes]:
    """Read a certificate, which may be untrusted; return it and its bytes.

    Raises:
        VerificationFailedError: The file is too large, malformed or not canonical.
    """
    with opened(path) as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise VerificationFailedError(
            f"{path} has more than {LARGEST:,} bytes, too many for a certificate"
        )
    try:
        certificate = parsed(Certificate, content)
    except ValidationError as error:
        raise VerificationFailedError(
            f"{path} is not a certificate: {_fault(content, error)}; make it again: remem "
            f"referee certify <bundle>"
        ) from error
    if certificate_bytes(certificate) != content:
        raise VerificationFailedError(
            f"{path} was changed since remem referee certify wrote it; make the certificate again"
        )
    _check_lengths(path, certificate)
    return certificate, content


def _fault(content: bytes, error: ValidationError) -> str:
    """Describe why a file is not a certificate."""
    if not content.strip():
        return "the file is empty"
    if error.errors(include_url=False)[0]["type"] == "json_invalid":
        return f"it is not complete, valid JSON ({len(content):,} bytes)"
    if EARLIER in content:
        return f"its format is {EARLIER.decode()}, of an earlier version of remem"
    return first_fault(error)


def _check_lengths(path: Path, certificate: Certificate) -> None:
    """Check that each run has one cluster and one value per question, and no question twice."""
    for run in certificate.runs:
        count = len(run.questions)
        lists = [run.clusters, *(s.values for way in run.scorings for s in way.scores if s.values)]
        if len(set(run.questions)) < count or any(len(values) != count for values in lists):
            raise VerificationFailedError(
                f"{path}: {run.label} repeats a question, or does not list one cluster and one "
                f"value of each score for each of its {count} questions; make the certificate again"
            )
