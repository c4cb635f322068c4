"""The next start removes what a kill left half written, but nobody else's work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remem.bundle.pack import pack
from remem.errors import UsageError
from remem.files.disk import part_of, remove_left_over, write_whole
from remem.reports.html import table_files

HOUR = 3600
WRITE = """
import os, signal, sys
from pathlib import Path
from remem.files.disk import write_whole
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_whole(Path(sys.argv[1]), b"whole")
"""
PACK = """
import os, signal, sys
from pathlib import Path
from remem.bundle import pack
pack._read_runs = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
pack.pack([], Path(sys.argv[1]), None, files=None)
"""


def killed(program: str, path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL


def aged(folder: Path) -> list[str]:
    """Make all files an hour old; return the names in the folder."""
    for path in folder.rglob("*"):
        os.utime(path, (time.time() - HOUR,) * 2)
    return sorted(path.name for path in folder.iterdir())


def test_a_file_that_was_being_written_at_a_kill_is_removed_by_the_next_write(
    tmp_path: Path,
) -> None:
    killed(WRITE, tmp_path / "a.json")
    (left,) = aged(tmp_path)
    assert left.endswith(".part")
    write_whole(tmp_path / "a.json", b"again")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_bundle_that_was_being_packed_at_a_kill_is_removed_by_the_next_one(
    tmp_path: Path,
) -> None:
    killed(PACK, tmp_path / "runs.remem")
    (left,) = aged(tmp_path)
    assert left.startswith(".bundling-")
    mine = tmp_path / "holiday.999999.part"  # no process has this number
    mine.write_bytes(b"")
    os.utime(mine, (0, 0))
    with pytest.raises(UsageError, match="is not a run"):
        pack([tmp_path / "no-run"], tmp_path / "runs.remem", None, files=table_files)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == [mine]


def test_only_parts_whose_writer_has_ended_long_ago_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    ended, alive = process.pid, os.getppid()
    kept = (f"a.{alive}.part", f".bundling-{alive}-x", "toy.json.part", "a.json", f"b.{ended}.npz")
    for name in (*kept, f"a.{ended}.part", f"b.{ended}.part", ".bundling-x1y2"):
        (tmp_path / name).write_bytes(b"")
    for name in (f"c.{ended}.part", f".bundling-{ended}-x"):
        (tmp_path / name / "inner").mkdir(parents=True)
    elsewhere = tmp_path / "a.json"
    (tmp_path / f"d.{ended}.part").symlink_to(elsewhere)
    everything = aged(tmp_path)
    os.utime(tmp_path / f"d.{ended}.part", (0, 0), follow_symlinks=False)
    (tmp_path / f"c.{ended}.part" / "inner" / "young").write_bytes(b"")
    remove_left_over(tmp_path, "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        set(everything) - {f"a.{ended}.part", ".bundling-x1y2", f".bundling-{ended}-x"}
    )
    remove_left_over(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*kept, f"c.{ended}.part"}


def test_two_writers_never_have_the_same_part(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    assert part_of(file) != part_of(file)
    assert part_of(file).name.startswith("a.json.")


def test_a_part_of_another_host_is_judged_by_its_age_alone(tmp_path: Path) -> None:
    # This process is alive here; on the other host the same number says nothing.
    mine = part_of(tmp_path / "a")
    old, other = (
        tmp_path / f"{name}.node-7.0123456789ab.{os.getpid()}.part" for name in ("a", "b")
    )
    young = tmp_path / f"a.node-8.0123456789ab.{os.getpid()}.part"
    for part in (mine, old, other):
        part.write_bytes(b"")
    aged(tmp_path)
    young.write_bytes(b"")
    remove_left_over(tmp_path, "a")
    assert set(tmp_path.iterdir()) == {mine, young, other}
