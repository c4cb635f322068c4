"""Check that a file is on a local disk: SQLite's WAL needs shared memory on one machine.

https://www.sqlite.org/wal.html: "WAL does not work over a network filesystem".
"""

import re
from pathlib import Path

from remem.protocols import StopRunError

MOUNTS = Path("/proc/self/mounts")
NETWORK = re.compile(
    r"nfs\d*|cifs|smb\d*|smbfs|lustre|gpfs|beegfs|ceph|glusterfs|afs|9p|pvfs2|orangefs|wekafs|"
    r"fuse\.(sshfs|glusterfs|ceph\S*|s3fs|gcsfuse|juicefs|beegfs\S*|weka\S*|moosefs)"
)


class NetworkDiskError(StopRunError):
    """A file of SQLite would be on a network file system."""


def check_local_disk(what: str, path: Path, setting: str) -> None:
    """Raise NetworkDiskError if a file is known to be on a network file system.

    Args:
        what: The kind of file.
        path: The file; it need not exist.
        setting: The setting that names the file.
    """
    if not MOUNTS.exists():
        return
    kind = file_system(path.resolve(), MOUNTS.read_text())
    if NETWORK.fullmatch(kind):
        raise NetworkDiskError(
            f"the {what} {path} is on {kind}, a network file system, but SQLite needs a local "
            f"disk; set {setting}=<a file on a local disk>"
        )


def file_system(path: Path, mounts: str) -> str:
    """Return the type of the file system that holds a path; "" if no line names it.

    Args:
        path: An absolute path, links resolved; it need not exist.
        mounts: The lines of /proc/mounts: device, place, type and more; the last mount counts.
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        _, place, type_of, *_ = line.split(" ")
        place = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), place)
        if path.is_relative_to(place) and len(place) >= len(best):
            best, kind = place, type_of
    return kind
