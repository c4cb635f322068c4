"""Notes in the file REMEM_TESTS_OUTSIDE every name and address sought that is not of this machine.

Python imports it at the start of each process that has its folder on PYTHONPATH; tests/conftest.py
imports it for the tests' own. It hears what Python's sockets are told, not what other programs do.
Ray's servers are such programs: they ask which cloud they are in. Its workers run what is ours.
"""

import os
import socket
import sys

NOTES = os.environ.get("REMEM_TESTS_OUTSIDE")
RAY, RAYS_WORKERS = "/site-packages/ray/", "/ray/_private/workers/"
LOCAL = ("", "localhost", "::1", "::", "0.0.0.0")


def heard(event, arguments):
    """Note a connection or a look-up, with the test that is at work."""
    program = sys.argv[0] if sys.argv else ""
    if not event.startswith("socket.") or (RAY in program and RAYS_WORKERS not in program):
        return
    where = _sought(event, arguments)
    if where is None or where in LOCAL or where.startswith("127."):
        return
    test = os.environ.get("PYTEST_CURRENT_TEST", "no test")
    line = f"{test}: {event} {where} (in {sys.argv[:1]})\n"
    notes = os.open(NOTES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(notes, line.encode())
    os.close(notes)


def _sought(event, arguments):
    """Return the host; None where there is none, as of a Unix socket."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        by, address = arguments
        if address is None or by.family not in (socket.AF_INET, socket.AF_INET6):
            return None
        return _text(address[0])
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        return _text(arguments[0])
    return None


def _text(host):
    if host is None:
        return None
    return host.decode() if isinstance(host, bytes) else str(host)


if NOTES:
    sys.addaudithook(heard)
