"""The server of a run's embedder: asked once, before the first question, which encoder it has.

Vectors are kept by the name of the encoder alone, so a note next to them says which one it was.
"""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from remem.config.fingerprint import digest
from remem.config.instantiation import nodes
from remem.config.run_config import RunConfig
from remem.embed.served_encoder import ServedEncoder, wanted_encoder
from remem.errors import NobodyServesError, NotServedError
from remem.files.adapters import adapter, first_fault
from remem.files.disk import writing
from remem.files.whole_file import write_whole
from remem.run.run_manifest import RunManifest

log = logging.getLogger(__name__)

API_EMBEDDER = "remem.embed.api.ApiEmbedder"


def served_node(config: RunConfig) -> Mapping[str, Any] | None:
    """Return the configuration of the method's embedder if a server of remem embeds for it."""
    return next(
        (
            node
            for node in nodes(config.settings.method.build)
            if node["_target_"] == API_EMBEDDER and node.get("sends_role")
        ),
        None,
    )


def ask_server(config: RunConfig) -> ServedEncoder | None:
    """Ask the server of the embedder which encoder it serves; None if the run needs no server.

    Where nothing answers, it is the encoder of the kept vectors, which may be all that is needed.

    Raises:
        NotServedError: Nothing answers and no vectors are kept, or the server has another encoder
            than the configured one, or than that of the kept vectors.
    """
    node = served_node(config)
    if node is None:
        return None
    note = config.results / "cache" / "encoders" / f"{digest(str(node['model']))}.json"
    noted = _read(note)
    try:
        encoder = encoder_at(node)
    except NobodyServesError as error:
        if noted is None:
            raise
        log.info("%s; until then only kept vectors are found", error)
        return noted
    if noted is None:
        _write(note, encoder)
    elif noted != encoder:
        raise NotServedError(
            f"the server has {encoder}, but the kept vectors are of {noted} ({note}): serve that "
            f"one again, or set paths.results to another folder"
        )
    return encoder


def encoder_at(node: Mapping[str, Any]) -> ServedEncoder:
    """Return what the server of an embedder says now of the configured encoder.

    Raises:
        NotServedError: Nothing answers there, or it has another encoder.
    """
    key = os.environ.get(node["api_key_variable"] or "", "")
    return wanted_encoder(str(node["model"]), str(node["base_url"]), key)


def encoder_of_run(config: RunConfig, manifest: RunManifest) -> ServedEncoder | None:
    """Return what the server said in a run, without a model if its manifest does not say.

    None if no server of remem embeds for the run, or the run is not there yet.
    """
    node = served_node(config)
    if manifest.encoder is not None or node is None or not manifest.config:
        return manifest.encoder
    return ServedEncoder(str(node["model"]))


def _read(note: Path) -> ServedEncoder | None:
    """Read which encoder the vectors under its name are of; None if there are none yet."""
    if not note.exists():
        return None
    try:
        return adapter(ServedEncoder).validate_json(note.read_bytes())
    except ValidationError as error:
        raise ValueError(f"{note}: {first_fault(error)}; delete the file") from error


def _write(note: Path, encoder: ServedEncoder) -> None:
    with writing(note):
        note.parent.mkdir(parents=True, exist_ok=True)
    write_whole(note, adapter(ServedEncoder).dump_json(encoder))
