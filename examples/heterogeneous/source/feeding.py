"""The data group: decodes photographs and streams batches to every training host."""

from __future__ import annotations

import queue
import socket
import threading

from cluster import Cluster, channel
from frames import connect, listen, receive_frame, send_frame
from photos import Batch, PhotoReader

DATA_PORT = 7000


def feed(cluster: Cluster, batch_size: int, seed: int) -> None:
    """Serves for ever: the platform stops this group when the training group has ended."""
    reader = PhotoReader(channel("raw"), batch_size, cluster.cpus, seed + cluster.rank)
    server = listen(cluster.current_host, DATA_PORT)
    print(f"feeding from {cluster.cpus} threads on {cluster.current_host}:{DATA_PORT}", flush=True)
    while True:
        connection, _ = server.accept()
        threading.Thread(target=_stream, args=(connection, reader), daemon=True).start()


def _stream(connection: socket.socket, reader: PhotoReader) -> None:
    with connection:
        try:
            while True:
                batch = reader.next()
                send_frame(connection, batch.pixels, {"names": batch.names})
        except (BrokenPipeError, ConnectionResetError):
            print("a training host has hung up", flush=True)


class RemoteReader:
    """Batches from all data hosts, in the order in which they arrive."""

    def __init__(self, hosts: list[str]) -> None:
        self._queue: queue.Queue[Batch | Exception] = queue.Queue(maxsize=2 * len(hosts))
        for host in hosts:
            threading.Thread(target=self._receive, args=(host,), daemon=True).start()

    def _receive(self, host: str) -> None:
        try:
            connection = connect(host, DATA_PORT)
            while True:
                pixels, words = receive_frame(connection)
                self._queue.put(Batch(pixels, words["names"]))
        except Exception as error:  # reaches the training loop, which ends the job with it
            self._queue.put(ConnectionError(f"{host}: {error}"))

    def next(self) -> Batch:
        batch = self._queue.get()
        if isinstance(batch, Exception):
            raise batch
        return batch
