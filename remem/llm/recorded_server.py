"""A bundle's replacement for a local server: only its identity, with nothing to start."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RecordedServer:
    """The identity of the `LocalServer` whose replies were recorded; it is part of their keys."""

    identity: Mapping[str, Any]
