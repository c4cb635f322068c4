"""The checks of `remem doctor`, which look for what a run may need and say how to fix problems."""

import importlib.metadata
import os
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from remem.benchmarks.files.notes import DatasetNotes, data_folder, judge_file, read_notes
from remem.config.extras import Extra, all_extras, extra_named, installed_version
from remem.config.instantiation import OURS, check_targets, instantiate_checked
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import StopRunError
from remem.llm.endpoint import ModelServer
from remem.llm.http_client import needs_key
from remem.run.memory_checks import check_memory

State = Literal["ok", "absent", "problem"]

LEAST_FREE_GIB = 2
ENDPOINT_SECONDS = 5


@dataclass(frozen=True, slots=True)
class SetupFinding:
    """The result of one check; "absent" marks a missing part that only some runs need."""

    what: str
    state: State
    found: str
    fix: str = ""


def examine(overrides: Sequence[str], datasets: Path) -> Iterator[SetupFinding]:
    """Check Python, extras, GPU, data, disk, and the model and method that the overrides name."""
    config = run_config(compose_config(overrides))
    yield _python()
    yield _core()
    yield from map(_extra, all_extras())
    yield _faiss()
    yield _gpu()
    yield from _model(config)
    if any(override.startswith("method=") for override in overrides) and not config.sees_gold:
        yield from _memory(config)
    folder = data_folder()
    yield from (_data(notes, folder) for notes in read_notes(datasets))
    yield _disk(config.results)


def _python() -> SetupFinding:
    machine = f"{platform.system()} {platform.machine()}"
    return SetupFinding("python", "ok", f"{platform.python_version()} on {machine}")


def _core() -> SetupFinding:
    """Compare the installed packages with those that remem needs."""
    try:
        core = extra_named("")
    except importlib.metadata.PackageNotFoundError:
        return SetupFinding("core", "problem", "remem is not installed", "pip install -e .")
    if core.missing:
        return SetupFinding(
            "core", "problem", f"missing: {', '.join(core.missing)}", "pip install -e ."
        )
    return SetupFinding(
        "core", "ok", f"remem {installed_version('remem')}, {len(core.needed)} packages"
    )


def _extra(extra: Extra) -> SetupFinding:
    what = f"extra {extra.name}"
    if not extra.needed:
        return SetupFinding(what, "absent", f"not available for {platform.system()}")
    if extra.missing:
        return SetupFinding(what, "absent", f"missing: {', '.join(extra.missing)}", extra.install)
    return SetupFinding(what, "ok", ", ".join(package.name for package in extra.needed))


def _faiss() -> SetupFinding:
    """Check which faiss package is installed; both would overwrite each other's module."""
    there = [name for name in ("faiss-cpu", "faiss-gpu") if installed_version(name)]
    if len(there) == 2:
        fix = "pip uninstall faiss-cpu faiss-gpu, then install the extra cpu or the extra gpu"
        return SetupFinding("faiss", "problem", "both faiss-cpu and faiss-gpu are installed", fix)
    return SetupFinding(
        "faiss", "ok" if there else "absent", ", ".join(there) or "not installed; numpy is used"
    )


def _gpu() -> SetupFinding:
    if shutil.which("nvidia-smi") is None:
        fix = (
            "only NV-Embed-v2 and Qwen3-Embedding-8B need a GPU, and a server with "
            "/v1/embeddings will also do"
        )
        return SetupFinding("GPU", "absent", "nvidia-smi not found", fix)
    return SetupFinding("GPU", "ok", "nvidia-smi found; index=torch and the encoders use it")


def _model(config: RunConfig) -> Iterator[SetupFinding]:
    """Look for the key and the endpoint of the model; no key is ever shown."""
    endpoint = config.settings.llm.chat_model.endpoint
    if endpoint.server is not None:
        yield _local(config.llm, endpoint.server)
        return
    if not endpoint.base_url:
        yield SetupFinding(
            "model", "absent", "llm=none", "to check a model: remem doctor llm=<a model>"
        )
        return
    variable = str(endpoint.key_variable)
    key = os.environ.get(variable, "")
    if key or not needs_key(endpoint.base_url):
        yield SetupFinding(
            "key", "ok", f"{variable} is set" if key else "not needed for a loopback address"
        )
    else:
        yield SetupFinding("key", "problem", f"{variable} is not set", f"export {variable}=...")
    yield _answers(endpoint.base_url, key)


def _memory(config: RunConfig) -> Iterator[SetupFinding]:
    """Check the memory of the method with planted facts; this calls its model."""
    for check in check_memory(config.memory_factory()):
        fix = (
            "run.health=warn lets a run continue" if check.stops else "runs continue with a warning"
        )
        state: State = "ok" if check.passed else "problem"
        yield SetupFinding(f"memory {check.name}", state, check.found, "" if check.passed else fix)


def _local(llm: str, build: Mapping[str, Any]) -> SetupFinding:
    """Check what a run needs to serve a model itself; nothing is started."""
    check_targets("llm", build, OURS)
    try:
        server: ModelServer = instantiate_checked(build)
        path = server.checked_weights()
    except (StopRunError, ValueError) as error:  # ValueError: no file or no checksum is given
        return SetupFinding("model", "problem", f"llm={llm} cannot be served", str(error))
    return SetupFinding("model", "ok", f"{path.name}, which the run serves itself")


def _answers(base_url: str, key: str) -> SetupFinding:
    """Check whether an endpoint answers, by asking for its list of models, which is free."""
    place = urlsplit(base_url).hostname  # a password may stand before it
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    fix = "check llm.build.endpoint.base_url, the key and the network"
    try:
        request = Request(f"{base_url}/models", headers=headers)
        with build_opener(_NoRedirects).open(request, timeout=ENDPOINT_SECONDS):
            return SetupFinding("endpoint", "ok", f"{place} answers")
    except HTTPError as error:
        if error.code == 404:  # it answers, but cannot list its models
            return SetupFinding("endpoint", "ok", f"{place} answers (without a list of models)")
        return SetupFinding("endpoint", "problem", f"{place} answers {error.code}", fix)
    except (URLError, OSError, ValueError) as error:
        return SetupFinding("endpoint", "problem", f"{place}: {error}", fix)


class _NoRedirects(HTTPRedirectHandler):
    """Treats a redirect as an error: following it would send the key to another address."""

    def redirect_request(self, *redirect: Any) -> None:
        """Return None, so that no redirect is followed."""


def _data(notes: DatasetNotes, folder: Path) -> SetupFinding:
    what = f"data {notes.name}"
    verdicts = {
        file: judge_file(folder, notes.name, file, sum_) for file, sum_ in notes.sums.items()
    }
    differ = [file for file, verdict in verdicts.items() if verdict == "differs"]
    there = [file for file, verdict in verdicts.items() if verdict != "absent"]
    if differ:
        fix = f"delete it, then: remem data fetch {notes.name}"
        return SetupFinding(
            what, "problem", f"{', '.join(differ)}: the checksum is not the pinned one", fix
        )
    if not there:
        fix = f"remem data fetch {notes.name}, or see datasets/{notes.name}/README.md"
        return SetupFinding(what, "absent", f"no files in {folder / notes.name}", fix)
    return SetupFinding(
        what, "ok", f"{len(there)} of {len(verdicts)} files, with the right checksums"
    )


def _disk(results: Path) -> SetupFinding:
    place = next(path for path in (results, *results.absolute().parents) if path.exists())
    free = shutil.disk_usage(place).free / 2**30
    fix = "" if free >= LEAST_FREE_GIB else "REMEM_RESULTS=<a folder elsewhere>"
    return SetupFinding(
        "disk", "problem" if fix else "ok", f"{free:.0f} GiB free for {results}", fix
    )
