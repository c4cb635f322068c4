"""Read the bundles of a leaderboard, and refuse those that cannot be trusted, with the reason.

Each bundle is verified, and its certificate must agree with all that the bundle states and with the
scores under the run's own convention. Results that need a replay, such as scores under other
conventions, are taken from the certificate if their values are possible.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean

from remem.apps.referee.certificates.certificate import (
    Certificate,
    CertifiedCost,
    CertifiedRun,
    CertifiedScore,
    CertifiedScores,
    bundle_content,
    certificate_paths,
    read_certificate,
)
from remem.apps.referee.certificates.certified_scores import certified_scorings, packed_ways
from remem.apps.referee.certificates.minisign import check_public_key, check_signature
from remem.apps.referee.certificates.stated_run import stated_run
from remem.bundle.reading import Bundle, open_bundle
from remem.bundle.run_parts import malformed_config, read_run_parts
from remem.bundle.sums import SAME_NUMBER
from remem.bundle.verify import verify
from remem.config.run_config import RunConfig
from remem.errors import StopRunError, UsageError, VerificationFailedError
from remem.files.plain_text import printable
from remem.results.conventions import score_sets
from remem.results.costs import MEASURES

BUNDLES = "*.remem"
OF_REPLAY = (
    *("replayed", "missing", "rival", "other_data", "other_releases"),
    *("scorings", "costs", "index_bytes"),
)
"""The fields of a run that a bundle does not state."""
REPLAYED, SIGNED, UNSIGNED = (
    "replayed for this page",
    "by its signed certificate",
    "by its certificate, whose signature was not checked",
)
CAUTION = (
    "The signature of this certificate was not checked. Only the certificate itself says that a "
    "replay took place. Nothing else supports these facts: whether each run was replayed, the "
    "version that "
    "certified, releases of packages in the remarks, scores under other conventions than the "
    "run's own, times, tokens, dollars, and the bytes of indexes."
)
"""What a page says of a certificate whose signature was not checked."""

Certify = Callable[[Path], Certificate]


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """An accepted bundle with its certificate; `basis` says why the certificate is trusted."""

    file: str
    certificate: Certificate
    basis: str

    @property
    def caution(self) -> str:
        """A warning if some facts rest only on an unsigned certificate; otherwise ""."""
        return CAUTION if self.basis == UNSIGNED else ""


@dataclass(frozen=True, slots=True)
class RefusedBundle:
    """A bundle that was refused, and the reason."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entries:
    """The accepted and the refused bundles of a folder, sorted by name."""

    entries: tuple[BoardEntry, ...]
    refused: tuple[RefusedBundle, ...]


def read_entries(
    folder: Path, public_keys: Sequence[Path] = (), certify: Certify | None = None
) -> Entries:
    """Read the bundles of a folder with their certificates.

    Args:
        folder: The folder of the bundles, with their certificates next to them.
        public_keys: Public keys of minisign; if any are given, each certificate must have a valid
            signature for one of them.
        certify: A function that replays a bundle and returns its certificate; if None, the existing
            certificates are read.

    Raises:
        UsageError: The folder has no bundle, or a key or minisign is missing.
    """
    for key in public_keys:
        check_public_key(key)
    paths = sorted(folder.glob(BUNDLES))
    if not paths:
        raise UsageError(f"{folder} has no bundle ({BUNDLES}); pack one: remem bundle pack <run>")
    entries, refused = [], []
    for path in paths:
        try:
            entries.append(_entry(path, public_keys, certify))
        except (VerificationFailedError, StopRunError, UsageError, ValueError, OSError) as error:
            # The page is public: it must not say where the folder is on this machine.
            reason = printable(str(error).replace(f"{folder}/", ""))
            refused.append(
                RefusedBundle(
                    printable(path.name), reason.removeprefix(f"{printable(path.name)}: ")
                )
            )
    return Entries(tuple(entries), tuple(refused))


def _entry(path: Path, public_keys: Sequence[Path], certify: Certify | None) -> BoardEntry:
    if certify is not None:
        return BoardEntry(printable(path.name), certify(path), REPLAYED)
    paths = certificate_paths(path)
    if not paths.json.is_file():
        raise UsageError(
            f"{path} has no {paths.json.name}; make it: remem referee certify {path.name}"
        )
    certificate, _ = read_certificate(paths.json)
    verified = verify(path)
    if verified.sha256 != certificate.bundle.sha256:
        raise VerificationFailedError(f"{paths.json} is the certificate of another bundle")
    if public_keys:
        _check_any(paths.json, paths.signature, public_keys)
    tables = [(table.name, len(table.files)) for table in verified.index.laid_out]
    if certificate.bundle != bundle_content(path, verified) or tables != [
        (table.name, table.files) for table in certificate.tables
    ]:
        raise VerificationFailedError(
            f"{paths.json} and the bundle differ in size, version, contents or tables; make the "
            f"certificate again: remem referee certify {path.name}"
        )
    if len(certificate.runs) != len(verified.runs):
        raise VerificationFailedError(
            f"the number of runs is {len(certificate.runs)} in {paths.json}, but "
            f"{len(verified.runs)} in the bundle"
        )
    with open_bundle(path) as bundle:
        for number, label in enumerate(verified.runs, start=1):
            _check_agreement(bundle, number, label, certificate.runs[number - 1])
    return BoardEntry(printable(path.name), certificate, SIGNED if public_keys else UNSIGNED)


def _check_any(file: Path, signature: Path, public_keys: Sequence[Path]) -> None:
    for number, key in enumerate(public_keys, start=1):
        try:
            check_signature(file, signature, key)
        except VerificationFailedError:
            if number == len(public_keys):
                raise
        else:
            return


def _check_agreement(bundle: Bundle, number: int, label: str, certified: CertifiedRun) -> None:
    """Compare a run of a certificate with what the bundle states and with the packed scores.

    Raises:
        VerificationFailedError: The certificate contradicts the bundle.
    """
    parts = read_run_parts(bundle, number)
    with malformed_config(f"{bundle.path}: {parts.name}"):
        config = RunConfig(parts.config, parts.config)
        ways = packed_ways(bundle, parts, config)
        stated = stated_run(parts, config, label, ways[0])
        (own,) = certified_scorings(ways, config.settings.dataset.scores)
    different = [
        of.name
        for of in fields(CertifiedRun)
        if of.name not in OF_REPLAY and getattr(stated, of.name) != getattr(certified, of.name)
    ]
    named = score_sets([], config.settings.dataset.released_f1, parts.convention.scores)
    choices = {name: convention.chosen for name, convention in named.items()}
    names = [way.convention for way in certified.scorings]
    if not different and not (
        len(set(names)) == len(names)
        and _same_scores(own, certified.scorings)
        and all(_fits(own, way, choices) for way in certified.scorings[1:])
    ):
        different = ["scorings"]
    if not different and (impossible := unreplayable_field(certified)):
        raise VerificationFailedError(
            f"{bundle.path}: the certificate has an impossible value for {impossible} of {label}; "
            f"make it again: remem referee certify {bundle.path.name}"
        )
    if different:
        raise VerificationFailedError(
            f"{bundle.path}: the certificate contradicts the bundle in {', '.join(different)} of "
            f"{label}; make it again: remem referee certify {bundle.path.name}"
        )


def _same_scores(own: CertifiedScores, stated: Sequence[CertifiedScores]) -> bool:
    """Return whether the first scores of a certificate equal the bundle's, except for rounding."""
    if not stated or (stated[0].convention, stated[0].choices) != (own.convention, own.choices):
        return False
    ours, theirs = own.scores, stated[0].scores
    return list(map(_kind, ours)) == list(map(_kind, theirs)) and all(
        _are_close(_numbers(score), _numbers(other))
        for score, other in zip(ours, theirs, strict=True)
    )


def _numbers(score: CertifiedScore) -> tuple[float | None, ...]:
    return (score.mean, score.low, score.high, score.n, score.clusters, *score.values)


def _are_close(ours: Sequence[float | None], theirs: Sequence[float | None]) -> bool:
    return len(ours) == len(theirs) and all(
        (a is None) == (b is None) and abs((a or 0.0) - (b or 0.0)) <= ROUNDED
        for a, b in zip(ours, theirs, strict=True)
    )


def _fits(
    own: CertifiedScores, way: CertifiedScores, choices: Mapping[str, Mapping[str, str | int]]
) -> bool:
    """Return whether scores are under another known convention, and of the same kinds as our own.

    The choices of a convention decide how much is computed here, so they must be those of this
    version of remem.
    """
    if way.convention == own.convention or choices.get(way.convention) != way.choices:
        return False
    kinds, ours = ([_kind(score) for score in scores] for scores in (way.scores, own.scores))
    return len(set(kinds)) == len(kinds) and {*kinds} <= {*ours} and all(map(_is_mean, way.scores))


def _kind(score: CertifiedScore) -> tuple[str, str, str, str, bool]:
    return score.judge, score.name, score.heading, score.better, score.share


def _is_mean(score: CertifiedScore) -> bool:
    values = [value for value in score.values if value is not None]
    return not score.values or (bool(values) and abs(fmean(values) - score.mean) <= ROUNDED)


ROUNDED = 2 * SAME_NUMBER


def unreplayable_field(run: CertifiedRun) -> str:
    """Return the name of a field whose value no replay could produce; "" if none."""
    if run.replayed and run.missing:
        return "missing"
    if run.rival is not None and not run.replayed:
        return "rival"
    there = {"python": run.ran_on.python, **run.ran_on.packages}
    if any(there.get(o.package) != o.there or o.here == o.there for o in run.other_releases):
        return "other_releases"
    names = [cost.name for cost in run.costs]
    both = {"tokens", "evidence"} <= {*names}
    if len({*names}) < len(names) or both or not all(_is_cost(cost, run) for cost in run.costs):
        return "costs"
    if run.index_bytes is not None and not run.replayed:
        return "index_bytes"
    scores = [score for way in run.scorings[1:] for score in way.scores]
    return "" if all(_is_score(score, len(run.questions)) for score in scores) else "scorings"


def _is_cost(cost: CertifiedCost, run: CertifiedRun) -> bool:
    is_known = cost.each == "question" and MEASURES.get(cost.name) == (cost.unit, cost.each)
    ordered = 0 <= cost.p50 <= cost.p95 <= cost.p99 and cost.total >= 0
    return is_known and ordered and cost.n <= run.answered


def _is_score(score: CertifiedScore, questions: int) -> bool:
    """Return whether the mean is inside its interval, and all shares are from 0 to 1."""
    if score.n > questions or (score.low is None) != (score.high is None):
        return False
    low, high = (score.mean if end is None else end for end in (score.low, score.high))
    known_values = [value for value in score.values if value is not None]
    return _are_ordered(low, score.mean, high) and (
        not score.share
        or all(_are_ordered(0.0, value, 1.0) for value in (low, high, *known_values))
    )


def _are_ordered(low: float, middle: float, high: float) -> bool:
    return low <= middle + ROUNDED and middle <= high + ROUNDED
