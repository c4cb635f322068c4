"""The server core over real sockets: limits, foreign clients, keep-alive, many clients, closing."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from remem.serve.http_handler import Reply, Request, RequestError, json_reply
from remem.serve.server import LoopbackServer

JSON = {"Content-Type": "application/json"}
POST = b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def echo(request: Request) -> Reply:
    return json_reply({"path": request.path, "label": request.label, "body": request.body})


def refuse(request: Request) -> Reply:
    raise RequestError(404, "there is no such model")


def break_down(request: Request) -> Reply:
    raise KeyError("secret-of-the-server")


ROUTES = {
    ("POST", "/v1/echo"): echo,
    ("GET", "/health"): echo,
    ("POST", "/v1/refuse"): refuse,
    ("POST", "/v1/break"): break_down,
    ("POST", "/v1/cut"): lambda request: Reply(b'{"a": 1}', cut_at=4),
}


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(ROUTES, max_body_bytes=1000) as server:
        yield server


def connection(server: LoopbackServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)


def post(
    server: LoopbackServer, path: str, body: bytes, headers: dict[str, str] = JSON
) -> tuple[int, Any]:
    client = connection(server)
    client.request("POST", path, body, headers)
    reply = client.getresponse()
    content = json.loads(reply.read())
    client.close()
    return reply.status, content


def talk(server: LoopbackServer, raw: bytes) -> bytes:
    """Send raw bytes and return all that the server sends before it closes the connection."""
    host, _, port = server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as plain:
        plain.sendall(raw)
        plain.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: plain.recv(65536), b""))


def test_a_route_is_given_the_parsed_body(server: LoopbackServer) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    told = {"path": "/v1/echo", "label": "", "body": {"a": [1]}}
    assert post(server, "/v1/echo", b'{"a": [1]}') == (200, told)


def test_a_label_may_stand_before_a_path(server: LoopbackServer) -> None:
    status, told = post(server, "/run/r1/history/h2/index/v1/echo?x=1", b"1")
    assert (status, told["label"]) == (200, "/run/r1/history/h2/index")


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/nosuch", b"{}", JSON, 404),
        ("/other/v1/echo", b"{}", JSON, 404),
        ("/health", b"{}", JSON, 405),
        ("/v1/echo", b"{}", {}, 415),
        ("/v1/echo", b"x" * 1001, JSON, 413),
        ("/v1/echo", b"{", JSON, 400),
        ("/v1/echo", b'"\xff"', JSON, 400),
        ("/v1/echo", b"[" * 999, JSON, 400),
        ("/v1/echo", b"{}", JSON | {"Host": "127.0.0.1.evil.example:80"}, 403),
        ("/v1/echo", b"{}", JSON | {"Host": "["}, 403),
        ("/v1/echo", b"{}", JSON | {"Origin": "http://evil.example"}, 403),
        ("/v1/refuse", b"{}", JSON, 404),
        ("/v1/break", b"{}", JSON, 500),
    ],
)
def test_what_is_refused_has_the_right_status_and_openais_shape(
    server: LoopbackServer, path: str, body: bytes, headers: dict[str, str], status: int
) -> None:
    found, told = post(server, path, body, headers)
    assert found == status
    assert set(told) == {"error"}
    assert set(told["error"]) == {"message", "type", "param", "code"}
    assert told["error"]["message"]
    assert "Traceback" not in str(told) and "secret" not in str(told)


def test_a_page_of_this_server_and_localhost_are_no_foreign_sites(server: LoopbackServer) -> None:
    host = server.url.replace("127.0.0.1", "localhost").removeprefix("http://")
    same = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
    assert post(server, "/v1/echo", b"{}", JSON | same)[0] == 200


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"NO REAL QUESTION HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /health HTTP/1.1\r\n\r\n", b"403"),  # no host
        (b"DELETE /health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"501"),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"411"),
        (POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", b"413"),  # too many for int()
        (POST + b"Content-Length: \xb2\r\n\r\n", b"411"),  # a digit, but none of a number
    ],
)
def test_what_is_no_proper_request_is_answered_in_json(
    server: LoopbackServer, raw: bytes, status: bytes
) -> None:
    head, _, body = talk(server, raw).partition(b"\r\n\r\n")
    assert head.split()[1] == status
    assert b"Access-Control" not in head
    assert json.loads(body)["error"]["message"]


@pytest.mark.parametrize(
    "head",
    [
        b"GET /health HTTP/1.1\r\nContent-Length: %d\r\n",
        b"GET /health HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: %d\r\n",
        b"GET /health HTTP/1.1\r\nContent-Length: +%d\r\n",
        b"GET /health HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: %d\r\n",
        b"GET /health HTTP/1.1\r\nContent-Length : %d\r\n",
        b"GET /health HTTP/1.1\r\nno header\r\nContent-Length: %d\r\n",
        b"GET /health HTTP/1.1\r\nTransfer-Encoding: chunked, %d\r\n",
        b"GET /nosuch HTTP/1.1\r\nContent-Length: %d\r\n",
        b"HEAD /health HTTP/1.1\r\nContent-Length: %d\r\n",
        b"BREW /health HTTP/1.1\r\nContent-Length: %d\r\n",
        b"POST /v1/echo HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n",
        b"POST /v1/echo HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
        b"Content-Length: %d\r\n",
    ],
)
def test_no_byte_of_a_body_is_answered_as_a_request(server: LoopbackServer, head: bytes) -> None:
    body = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    replies = talk(server, head % len(body) + b"Host: localhost\r\n\r\n" + body)
    final = replies.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert final.count(b"HTTP/1.1 ") == 1 and final.split()[1].startswith((b"4", b"5"))
    assert b"smuggled" not in replies
    assert final.endswith(b"\r\n\r\n") == head.startswith(b"HEAD")


def test_a_body_that_breaks_off_is_no_request(server: LoopbackServer) -> None:
    assert talk(server, POST + b"Content-Length: 50\r\n\r\n{}") == b""


def test_a_reply_that_is_cut_ends_in_the_middle(server: LoopbackServer) -> None:
    client = connection(server)
    client.request("POST", "/v1/cut", b"{}", JSON)
    with pytest.raises(http.client.IncompleteRead):
        client.getresponse().read()


def test_calls_on_one_connection_wait_for_no_delayed_acknowledgement(
    server: LoopbackServer,
) -> None:
    client = connection(server)
    took = []
    for number in range(60):
        begun = time.perf_counter()
        client.request("POST", "/v1/echo", json.dumps(number), JSON)
        assert json.loads(client.getresponse().read())["body"] == number
        took.append(time.perf_counter() - begun)
    assert min(took[30:]) < 0.04  # the delay, which the first calls of a connection do not have
    client.close()


def test_128_clients_are_served_at_once() -> None:
    together = threading.Barrier(128)

    def meet(request: Request) -> Reply:
        together.wait(timeout=60)
        return json_reply(request.body)

    statuses: list[int] = []
    with LoopbackServer({("POST", "/v1/meet"): meet}) as server:
        clients = [
            threading.Thread(target=lambda: statuses.append(post(server, "/v1/meet", b"1")[0]))
            for _ in range(128)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    assert statuses == [200] * 128


def test_a_stop_ends_idle_connections_and_frees_the_port(server: LoopbackServer) -> None:
    client = connection(server)
    client.request("GET", "/health")
    client.getresponse().read()
    begun = time.perf_counter()
    server.stop()
    assert time.perf_counter() - begun < 30
    assert client.sock is not None and client.sock.recv(1) == b""
    with LoopbackServer(ROUTES, port=int(server.url.rpartition(":")[2])) as again:
        assert post(again, "/v1/echo", b"1")[0] == 200


def test_a_server_that_never_began_can_be_stopped() -> None:
    LoopbackServer(ROUTES).stop()


def test_a_reply_is_counted_before_it_is_received_and_not_when_it_is_lost() -> None:
    counted: list[int] = []
    routes = {
        ("GET", "/small"): lambda _: Reply(b"1", count=counted.append),
        ("GET", "/large"): lambda _: Reply(b"1" * 50_000_000, count=counted.append),
    }
    with LoopbackServer(routes) as server:
        client = connection(server)
        client.request("GET", "/small")
        client.getresponse().read()
        assert counted == [1]
        client.request("GET", "/large")
        client.getresponse().read(10)
        client.close()
    assert counted == [1, 1, -1]
