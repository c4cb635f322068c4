"""How many histories a cluster runs at once, and which disks its SQLite files may be on."""

from pathlib import Path

import pytest

from remem.run.ray_runner import (
    SECONDS_PER_COUNT,
    Machine,
    Places,
    check_machines,
    checked_gpus,
    file_system,
    histories_at_once,
)

HEAD = Machine(0, 0)


def test_a_history_needs_a_cpu_and_its_gpus_on_one_machine() -> None:
    cases = [
        ([HEAD, Machine(8, 0), Machine(4, 2)], 0, 12),
        ([HEAD, Machine(8, 0), Machine(4, 2)], 1, 2),  # the machine without GPUs runs none
        ([Machine(4, 2)], 0.5, 4),
        ([Machine(3, 2)], 0.5, 3),  # each needs a CPU too
        ([Machine(16, 1)], 0.3, 3),
        ([Machine(64, 3)], 0.3, 9),  # a history has no parts of two GPUs
        ([Machine(64, 3)], 0.1, 30),
        ([Machine(4, 1), Machine(4, 1)], 2, 0),  # no history has GPUs of two machines
        ([Machine(4, 5)], 2, 2),
        ([Machine(0.5, 0)], 0, 0),
    ]
    for machines, gpus, expected in cases:
        assert histories_at_once(machines, gpus) == expected


def test_a_history_that_would_wait_forever_is_refused() -> None:
    check_machines([HEAD, Machine(1, 0)], 0, "auto")
    check_machines([Machine(8, 0), Machine(1, 1)], 0.5, "auto")
    cases = [
        ([HEAD], 0, "the cluster at auto has no CPU for a history"),
        (
            [HEAD, Machine(8, 0)],
            1,
            "runner.gpus_per_history=1 needs .* the cluster at auto has at most 0 on",
        ),
        (
            [Machine(0, 4), Machine(8, 1)],
            2,
            "=2 needs .* has at most 1 on such a machine .GPUs in total: 5",
        ),
    ]
    for machines, gpus, told in cases:
        with pytest.raises(ValueError, match=told):
            check_machines(machines, gpus, "auto")


def test_a_part_of_a_gpu_or_whole_ones_are_accepted() -> None:
    for gpus in [0, 0.25, 1, 2, 8.0]:
        assert checked_gpus(gpus) == gpus


def test_machines_that_join_or_leave_are_seen_after_a_while() -> None:
    at_once, time = 2, 100.0
    places = Places(lambda: at_once, now=lambda: time)
    assert [places.is_free(running) for running in (0, 1, 2, 3)] == [True, True, False, False]
    at_once, time = 3, time + SECONDS_PER_COUNT - 0.1
    assert not places.is_free(2)
    time += 0.1
    assert places.is_free(2)
    at_once, time = 0, time + SECONDS_PER_COUNT
    assert places.is_free(0)  # a history can wait for a machine that has left
    assert not places.is_free(1)


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
        ("/scratches/calls.sqlite", "overlay"),
        ("/home/ann/results/calls.sqlite", "nfs4"),
        ("/home/ann/tmp/calls.sqlite", "tmpfs"),
        ("/my data/calls.sqlite", "lustre"),
    ],
)
def test_the_deepest_mount_says_what_a_path_lies_on(path: str, kind: str) -> None:
    assert file_system(Path(path), MOUNTS) == kind
