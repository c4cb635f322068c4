"""Vectors that workers share: stored once, under the same keys, in the files of a serial run."""

from pathlib import Path

import numpy as np
import pytest

from remem.llm.vector_store import VectorStore
from remem.run.message_line import MessageServer, SocketLine
from remem.run.remote_calls import RemoteVectors
from remem.run.vector_keeper import VectorKeeper

OF = ("calls.sqlite", "m", 2)


class Counted:
    """A line without a way, which counts the messages and the arrays in them."""

    def __init__(self, folder: Path) -> None:
        self._keeper = VectorKeeper(str(folder))
        self.messages: list[tuple[str, int]] = []

    def ask(self, method: str, *arguments: object) -> object:
        arrays = sum(isinstance(argument, np.ndarray) for argument in arguments)
        self.messages.append((method, arrays))
        return getattr(self._keeper, method)(*arguments)

    def tell(self, method: str, *arguments: object) -> None:
        raise AssertionError("vectors are on disk when a message returns")


def vector(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_what_one_worker_has_embedded_another_finds_and_so_does_a_serial_run(
    tmp_path: Path,
) -> None:
    server = MessageServer(VectorKeeper(str(tmp_path)), "127.0.0.1")
    first, second = (RemoteVectors(SocketLine(server.address), OF) for _ in range(2))
    first.put_many({"a": vector(1, 0), "b": vector(0, 1)})
    found = second.get_many(["b", "nothing", "a"])
    assert {key: row.tolist() for key, row in found.items()} == {"a": [1, 0], "b": [0, 1]}
    serial = VectorStore(store=str(tmp_path / "calls.sqlite"), model="m", dimension=2)
    assert serial.get_many(["b"])["b"].tolist() == [0, 1]


def test_the_vectors_of_a_portion_are_one_array_in_one_message(tmp_path: Path) -> None:
    line = Counted(tmp_path)
    RemoteVectors(line, OF).put_many({str(number): vector(number, 0) for number in range(100)})
    assert line.messages == [("put_vectors", 1)]


def test_no_message_is_sent_for_no_vectors_and_unknown_keys_give_none(tmp_path: Path) -> None:
    line = Counted(tmp_path)
    RemoteVectors(line, OF).put_many({})
    assert line.messages == []
    assert RemoteVectors(line, OF).get_many(["a"]) == {}


def test_vectors_of_another_length_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the vector of a has shape \(3,\), expected \(2,\)"):
        RemoteVectors(Counted(tmp_path), OF).put_many({"a": vector(1, 2, 3)})
