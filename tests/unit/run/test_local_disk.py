"""Which file system a path lies on, from the lines of /proc/mounts."""

from pathlib import Path

import pytest

from remem.run import local_disk
from remem.run.local_disk import NetworkDiskError, check_local_disk, file_system

MOUNTS = """\
overlay / overlay rw,relatime 0 0
/dev/nvme0n1 /scratch ext4 rw 0 0
head:/home /home nfs4 rw,vers=4.2 0 0
head:/data /my\\040data lustre rw 0 0
tmpfs /home/ann/tmp tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/calls.sqlite", "overlay"),
        ("/scratch/calls.sqlite", "ext4"),
        ("/scratches/calls.sqlite", "overlay"),
        ("/home/ann/results/calls.sqlite", "nfs4"),
        ("/home/ann/tmp/calls.sqlite", "tmpfs"),
        ("/my data/calls.sqlite", "lustre"),
    ],
)
def test_the_deepest_mount_says_what_a_path_lies_on(path: str, kind: str) -> None:
    assert file_system(Path(path), MOUNTS) == kind


def test_a_call_store_on_a_network_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    monkeypatch.setattr(local_disk, "MOUNTS", mounts)
    check_local_disk("call store", Path("/scratch/calls.sqlite"), "cache.calls")
    with pytest.raises(NetworkDiskError, match=r"the ledger /home/.* is on nfs4.*x\.y="):
        check_local_disk("ledger", Path("/home/ann/calls.sqlite"), "x.y")
