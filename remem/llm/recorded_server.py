"""What a bundle has in place of a local server: what shaped the replies, and nothing to start."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RecordedServer:
    """The identity of the `LocalServer` whose replies were recorded; it is part of their keys."""

    identity: Mapping[str, Any]
