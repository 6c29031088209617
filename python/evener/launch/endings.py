"""The data host's side of how a job ends: listens for the training processes' last words."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from enum import Enum

from evener.launch import proof
from evener.launch.watch import Watch, say

HELLO_SECONDS = 5.0
MAX_CONNECTIONS = 4096
# A host that loses power says nothing: probes find out, 5 s apart, after the sixth.
_KEEPALIVE = ((socket.TCP_KEEPIDLE, 5), (socket.TCP_KEEPINTVL, 5), (socket.TCP_KEEPCNT, 6))


class Verdict(Enum):
    RUNNING = "running"
    ENDED = "the training group has ended"
    LOST = "a training process was lost"
    NEVER_CAME = "a training process never came"


@dataclass(frozen=True)
class Patience:
    """Seconds to wait for what may never come."""

    start: float  # until all training processes have shown themselves
    lost: float   # until one that has gone without a word is back


class _Peer:
    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.nonce = proof.new_nonce()
        self.deadline = time.monotonic() + HELLO_SECONDS
        self.received = b""
        self.claim: proof.Claim | None = None


class Endings:
    """Who is training, who has ended. Lives on the thread of its Watch."""

    def __init__(
        self, watch: Watch, server: socket.socket, token: str, ranks: int, patience: Patience
    ) -> None:
        self._watch = watch
        self._server = server
        self._token = token
        self._ranks = ranks
        self._patience = patience
        self._peers: set[_Peer] = set()
        self._codes: dict[int, int] = {}
        self._present: dict[int, _Peer] = {}
        self._lost: dict[int, float] = {}
        self._told = False
        self._start_deadline = time.monotonic() + patience.start
        watch.on_readable(server, self._accept)

    def close(self) -> None:
        for peer in list(self._peers):
            self._drop(peer)
        self._watch.forget(self._server)
        self._server.close()

    def note_end(self, rank: int, code: int) -> None:
        """Of this process's own script."""
        self._codes[rank] = code

    def verdict(self) -> Verdict:
        now = time.monotonic()
        for peer in [peer for peer in self._peers if peer.claim is None and peer.deadline <= now]:
            self._drop(peer)
        if any(self._codes.values()) or len(self._codes) >= self._ranks:
            return Verdict.ENDED
        if any(deadline <= now for deadline in self._lost.values()):
            return Verdict.LOST
        known = self._codes.keys() | self._present.keys() | self._lost.keys()
        if len(known) < self._ranks and self._start_deadline <= now:
            return Verdict.NEVER_CAME
        return Verdict.RUNNING

    def missing(self) -> list[int]:
        return sorted(set(range(self._ranks)) - self._codes.keys() - self._present.keys())

    def seconds_left(self) -> float:
        """Until verdict() may say something new by itself."""
        deadlines = [*self._lost.values(), self._start_deadline]
        deadlines += [peer.deadline for peer in self._peers if peer.claim is None]
        now = time.monotonic()
        return min((at - now for at in deadlines if at > now), default=60.0)

    def _accept(self) -> None:
        try:
            connection, _ = self._server.accept()
        except OSError:
            return
        if len(self._peers) >= MAX_CONNECTIONS:
            connection.close()
            return
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEPALIVE:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
        peer = _Peer(connection)
        self._peers.add(peer)
        self._watch.on_readable(connection, lambda: self._read(peer))
        self._send(peer, f"{proof.GREETING}{peer.nonce}\n".encode())

    def _send(self, peer: _Peer, line: bytes) -> None:
        try:
            peer.connection.send(line)
        except OSError:
            self._drop(peer)

    def _read(self, peer: _Peer) -> None:
        try:
            received = peer.connection.recv(proof.MAX_LINE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        if not received:
            self._drop(peer)
            return
        peer.received += received
        while b"\n" in peer.received and peer in self._peers:
            line, peer.received = peer.received.split(b"\n", 1)
            self._take(peer, line)
        if len(peer.received) > proof.MAX_LINE_BYTES:
            self._drop(peer)

    def _take(self, peer: _Peer, line: bytes) -> None:
        if peer.claim is None:
            peer.claim = proof.read_claim(line, self._token, peer.nonce)
            if peer.claim is None:
                self._tell_refusal()
                self._drop(peer)
                return
            rank = peer.claim.rank
            self._ranks = max(self._ranks, peer.claim.ranks)
            self._lost.pop(rank, None)
            self._codes.pop(rank, None)
            self._present[rank] = peer
            self._send(peer, proof.WELCOME)
            return
        words = line.split()
        if len(words) == 2 and words[0] == b"ended" and words[1].isdigit():
            self._codes[peer.claim.rank] = int(words[1])
            self._send(peer, proof.GOODBYE)
        self._drop(peer)

    def _tell_refusal(self) -> None:
        if not self._told:
            self._told = True
            say("someone without the job's token was turned away")

    def _drop(self, peer: _Peer) -> None:
        if peer not in self._peers:
            return
        self._peers.discard(peer)
        self._watch.forget(peer.connection)
        peer.connection.close()
        if peer.claim is None or self._present.get(peer.claim.rank) is not peer:
            return
        del self._present[peer.claim.rank]
        if peer.claim.rank not in self._codes:
            self._lost[peer.claim.rank] = time.monotonic() + self._patience.lost
