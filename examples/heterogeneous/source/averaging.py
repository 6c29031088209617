"""Gradients averaged over the training hosts: everyone sends to the first, who answers."""

from __future__ import annotations

import numpy as np

from cluster import Cluster
from frames import connect, listen, receive_frame, send_frame

AVERAGING_PORT = 7001


class Averaging:
    def __init__(self, cluster: Cluster) -> None:
        self._peers = []
        self._first = None
        others = len(cluster.training_hosts) - 1
        if others == 0:
            return
        if cluster.rank == 0:
            with listen(cluster.current_host, AVERAGING_PORT) as server:
                self._peers = [server.accept()[0] for _ in range(others)]
        else:
            self._first = connect(cluster.training_hosts[0], AVERAGING_PORT)

    def average(self, gradients: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The mean over all hosts, the same everywhere. Every host must call it equally often."""
        if self._first is None and not self._peers:
            return gradients
        flat = np.concatenate([value.reshape(-1) for value in gradients.values()])
        if self._first is not None:
            send_frame(self._first, flat, {})
            flat, _ = receive_frame(self._first)
        else:
            received = [receive_frame(peer)[0] for peer in self._peers]
            flat = np.mean([flat, *received], axis=0, dtype=np.float32)
            for peer in self._peers:
                send_frame(peer, flat, {})
        parts = np.split(flat, np.cumsum([value.size for value in gradients.values()])[:-1])
        return {name: part.reshape(value.shape)
                for (name, value), part in zip(gradients.items(), parts)}
