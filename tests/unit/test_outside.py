"""Attempts of the tests and their children to reach other machines are recorded and fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
# The events alone: nothing is looked up and nothing connects.
PROGRAM = """
import socket, sys
inside, datagrams = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
local = socket.socket(socket.AF_UNIX)
for one in ("localhost", None, "", "127.0.0.1", b"127.0.0.1", "::1"):
    sys.audit("socket.getaddrinfo", one, 80, 0, 0, 0)
sys.audit("socket.connect", inside, ("127.0.0.1", 80))
sys.audit("socket.connect", local, "/tmp/socket")
sys.audit("socket.sendmsg", inside, None)
sys.audit("socket.getaddrinfo", "models.invalid", 443, 0, 0, 0)
sys.audit("socket.gethostbyname", "names.invalid")
sys.audit("socket.connect", inside, ("192.0.2.1", 443))
sys.audit("socket.sendto", datagrams, ("192.0.2.2", 53))
"""


def test_names_and_addresses_of_other_machines_are_noted_with_the_test(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    noting = os.environ | {"REMEM_TESTS_OUTSIDE": str(notes)}
    subprocess.run([sys.executable, "-c", PROGRAM], env=noting, check=True)
    noted = notes.read_text(encoding="utf-8").splitlines()
    assert len(noted) == 4
    for line, sought in zip(
        noted, ("models.invalid", "names.invalid", "192.0.2.1", "192.0.2.2"), strict=True
    ):
        assert line.startswith("tests/unit/test_outside.py::test_names_and_addresses")
        assert sought in line


@pytest.mark.parametrize(("program", "heard"), [("dashboard/agent.py", 0), ("workers/one.py", 4)])
def test_of_ray_its_workers_are_heard_and_its_servers_are_not(
    tmp_path: Path, program: str, heard: int
) -> None:
    script = tmp_path / "site-packages" / "ray" / "_private" / program
    script.parent.mkdir(parents=True)
    script.write_text(PROGRAM, encoding="utf-8")
    notes = tmp_path / "notes"
    notes.touch()
    noting = os.environ | {"REMEM_TESTS_OUTSIDE": str(notes)}
    subprocess.run([sys.executable, str(script)], env=noting, check=True)
    assert len(notes.read_text(encoding="utf-8").splitlines()) == heard


def test_a_session_that_looked_outside_has_failed(pytester: pytest.Pytester) -> None:
    pytester.makeconftest((TESTS / "conftest.py").read_text(encoding="utf-8"))
    hook = pytester.mkdir("parts").joinpath("outside")
    hook.symlink_to(TESTS / "parts" / "outside")
    pytester.makepyfile("""
        import subprocess, sys
        PROGRAM = "import sys; sys.audit('socket.gethostbyname', '{}.invalid')"
        def test_here(): exec(PROGRAM.format("here"))
        def test_in_a_child():
            subprocess.run([sys.executable, "-c", PROGRAM.format("child")], check=True)
    """)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("REMEM_TESTS_OUTSIDE")
        patch.delenv("PYTHONPATH")
        ended = pytester.runpytest_subprocess()
    assert ended.ret == pytest.ExitCode.TESTS_FAILED
    ended.assert_outcomes(passed=2)
    ended.stdout.fnmatch_lines_random(
        ["*test_here*here.invalid*", "*test_in_a_child*child.invalid*"]
    )
