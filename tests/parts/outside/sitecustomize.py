"""Write every name and address sought beyond this machine to the file REMEM_TESTS_OUTSIDE.

Python imports this module at the start of each process that has its folder on PYTHONPATH;
tests/conftest.py imports it for the tests' own process. It observes the calls of Python's sockets,
not other programs. Ray's servers are ignored like those, as they ask which cloud they are in; Ray's
workers, which run our code, are observed.
"""

import os
import socket
import sys

NOTES = os.environ.get("REMEM_TESTS_OUTSIDE")
RAY, RAYS_WORKERS = "/site-packages/ray/", "/ray/_private/workers/"
LOCAL = ("", "localhost", "::1", "::", "0.0.0.0")


def heard(event, arguments):
    """Write down a connection or a look-up, with the running test."""
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
    """Return the host that is sought, or None if there is none, as for a Unix socket."""
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
