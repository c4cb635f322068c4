"""Check that the configuration of a bundle names only allowed classes, models, files and programs.

A configuration in a bundle is not trusted. It may use recorded replies, but no model. Each
class must be named in `conf` and must not connect to other machines. Each file must be in the
folder of data, results or prompts. Each program must be one that `conf` starts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from remem.config.conf_files import REPLAY_ENDPOINT, conf_targets
from remem.config.instantiation import nodes
from remem.config.permissions import CHAT_MODEL, reaching_out
from remem.config.untrusted import fills_memory, is_outside, largest, node_refusal
from remem.errors import UsageError

STORED_VECTORS = "remem.bundle.replies_and_vectors.StoredVectors"
RECORDED_SERVER = "remem.llm.replay.RecordedServer"
NEVER: Mapping[str, str] = {
    "program": "may run only the programs of conf/method",
    "address": "may not name a server or an index file",
    "size": "may not generate so much data",
}
ONLY_NAMES = ("identity", "model")
"""Keys whose values only identify something: no allowed class opens them as a file."""

Json = Any


def check_trusted(config: Mapping[str, Any], packages: Sequence[str], store: str) -> None:
    """Raise an error if the configuration of a bundle names something that is not allowed.

    Args:
        config: The configuration, as packed.
        packages: Further packages whose classes it may name.
        store: The only store that it may name.

    Raises:
        UsageError: A class, store, model, program, file or size is not allowed.
    """
    targets = (conf_targets() | {STORED_VECTORS, RECORDED_SERVER}) - reaching_out()
    for node in nodes(config):
        target = str(node["_target_"])
        if target not in targets and target.split(".", maxsplit=1)[0] not in packages:
            raise UsageError(
                f"a bundle may not use _target_ {target!r}; if it belongs to your own package, add "
                "--package <package>"
            )
        if node.get("store", store) != store:
            raise UsageError(f"the bundle names the store {node['store']!r}, expected {store}")
        if target == CHAT_MODEL and node.get("ledger") is not None:
            raise UsageError(f"the bundle names the ledger {node['ledger']!r}, expected none")
        kind = node_refusal(node)
        if kind:
            raise UsageError(f"a bundle {NEVER[kind]}")
        if target == CHAT_MODEL and node["endpoint"]["_target_"] != REPLAY_ENDPOINT:
            raise UsageError("a bundle may not ask a model; expected stored replies only")
    for where, value in leaves(config, ONLY_NAMES):
        name = where.rpartition(".")[2]
        if fills_memory(name, value):  # from the machine that replays
            raise UsageError(
                f"{where} is {value:.6g}: a bundle may set it to {largest(name)} at most"
            )
        if isinstance(value, str) and is_outside(value):
            raise UsageError(
                f"a bundle may not name a file outside the folders for data, results and "
                f"prompts; found {where} = {value[:200]!r}"
            )


def leaves(node: Json, skipped: Sequence[str] = (), where: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the dotted key and the value of each leaf, except those below the skipped keys."""
    if isinstance(node, Mapping):
        parts = iter(node.items())
    elif isinstance(node, list):
        parts = enumerate(node)
    else:
        yield where, node
        return
    for key, value in parts:
        if key not in skipped:
            yield from leaves(value, skipped, f"{where}.{key}" if where else str(key))
