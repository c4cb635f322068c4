"""Where a run goes: a project of W&B, or a folder of this machine until somebody sends it."""

from collections.abc import Mapping
from dataclasses import dataclass
from netrc import NetrcParseError, netrc
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

JobType = Literal["run", "table"]

PUBLIC_HOSTS = ("api.wandb.ai", "api.forge.coreweave.com")
"""The public server: which of its names a login is kept under depends on the package's version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A project and a group in it; W&B's own files lie under wandb/ of the results.

    `offline` says why nothing is sent, empty where it is.
    """

    results: Path
    project: str
    entity: str | None = None
    group: str | None = None
    job_type: JobType = "run"
    offline: str = ""

    @property
    def folder(self) -> Path:
        """Return where W&B puts its files."""
        return self.results / "wandb"


def why_offline(environment: Mapping[str, str], *, asked: bool) -> str:
    """Say why W&B is not to be connected to; "" where it is."""
    mode = environment.get("WANDB_MODE", "")
    if asked or mode == "offline":
        return "as asked"
    if mode == "online" or any(
        environment.get(name) for name in ("WANDB_API_KEY", "WANDB_IDENTITY_TOKEN_FILE")
    ):
        return ""
    return "" if _has_login(environment) else "no WANDB_API_KEY and no login"


def _has_login(environment: Mapping[str, str]) -> bool:
    """Tell whether `wandb login` has left a key for the server."""
    server = urlsplit(environment.get("WANDB_BASE_URL", "")).netloc
    hosts = PUBLIC_HOSTS if server in ("", *PUBLIC_HOSTS) else (server,)
    home = Path(environment["HOME"]) if "HOME" in environment else Path.home()
    named = [Path(environment["NETRC"])] if environment.get("NETRC") else []
    for path in (*named, home / ".netrc", home / "_netrc"):
        try:
            kept = netrc(path)
        except (OSError, NetrcParseError):
            continue
        return any(kept.authenticators(host) for host in hosts)
    return False
