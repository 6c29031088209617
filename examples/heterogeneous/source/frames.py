"""Arrays and a few words over TCP: a length-prefixed header in JSON, then the bytes."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

import numpy as np

_LENGTHS = struct.Struct(">IQ")
MAX_HEADER_BYTES = 1 << 20
MAX_BODY_BYTES = 1 << 30
CONNECT_SECONDS = 60.0


def send_frame(connection: socket.socket, array: np.ndarray, words: dict[str, Any]) -> None:
    array = np.ascontiguousarray(array)
    header = json.dumps({"shape": array.shape, "dtype": array.dtype.str, "words": words}).encode()
    connection.sendall(_LENGTHS.pack(len(header), array.nbytes) + header)
    connection.sendall(array.reshape(-1).view(np.uint8))


def receive_frame(connection: socket.socket) -> tuple[np.ndarray, dict[str, Any]]:
    """The next array and its words; ConnectionError at the end of the stream."""
    header_bytes, body_bytes = _LENGTHS.unpack(_receive(connection, _LENGTHS.size))
    if header_bytes > MAX_HEADER_BYTES or body_bytes > MAX_BODY_BYTES:
        raise ConnectionError(f"a frame of {header_bytes} + {body_bytes} bytes is too large")
    header = json.loads(_receive(connection, header_bytes))
    body = np.frombuffer(_receive(connection, body_bytes), dtype=header["dtype"])
    return body.reshape(header["shape"]), header["words"]


def _receive(connection: socket.socket, count: int) -> bytearray:
    buffer = bytearray(count)
    view = memoryview(buffer)
    done = 0
    while done < count:
        got = connection.recv_into(view[done:])
        if got == 0:
            raise ConnectionError("the other side closed the connection")
        done += got
    return buffer


def listen(host: str, port: int) -> socket.socket:
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((host, port))
    server.listen(64)
    return server


def connect(host: str, port: int) -> socket.socket:
    """Connects by name; hosts of a job start at about the same time, so it tries for a while."""
    deadline = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(None)
            return connection
        except OSError as error:
            if time.monotonic() > deadline:
                raise ConnectionError(f"{host}:{port} did not answer: {error}") from error
            time.sleep(0.05)
