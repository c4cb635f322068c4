"""Where a run is sent: a W&B project, or a local folder that can be uploaded later."""

from collections.abc import Mapping
from dataclasses import dataclass
from netrc import NetrcParseError, netrc
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

JobType = Literal["run", "table"]

PUBLIC_HOSTS = ("api.wandb.ai", "api.forge.coreweave.com")
"""Host names of the public server; older and newer versions of wandb store a login under either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A W&B project, with an optional group of runs in it.

    `offline` is the reason why nothing is sent; it is empty if runs are sent.
    """

    results: Path
    project: str
    entity: str | None = None
    group: str | None = None
    job_type: JobType = "run"
    offline: str = ""

    @property
    def folder(self) -> Path:
        """Return the folder of W&B's own files, `wandb/` in the results folder."""
        return self.results / "wandb"


def why_offline(environment: Mapping[str, str], *, asked: bool) -> str:
    """Return the reason why runs are not sent to W&B, or "" if they are sent."""
    mode = environment.get("WANDB_MODE", "")
    if asked or mode == "offline":
        return "as asked"
    if mode == "online" or any(
        environment.get(name) for name in ("WANDB_API_KEY", "WANDB_IDENTITY_TOKEN_FILE")
    ):
        return ""
    return "" if _has_login(environment) else "no WANDB_API_KEY and no login"


def _has_login(environment: Mapping[str, str]) -> bool:
    """Return True if `wandb login` has stored a key for the server."""
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
