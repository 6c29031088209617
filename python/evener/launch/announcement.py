"""The training process's side of how a job ends: tells a data host that its script has ended."""

from __future__ import annotations

import selectors
import socket
import threading
import time

from evener.launch import proof
from evener.launch.watch import say

_CONNECT_SECONDS = 5.0
_RETRY_SECONDS = 0.2


class Announcement:
    """A thread that keeps a connection to one data host until the script has ended."""

    def __init__(self, address: tuple[str, int], token: str, rank: int, ranks: int) -> None:
        self._address = address
        self._token = token
        self._rank = rank
        self._ranks = ranks
        self._ended = threading.Event()
        self._code = 0
        self._deadline = float("inf")
        self._told = False
        self._own, self._other = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name=f"announcement to {address[0]}",
                                        daemon=True)
        self._thread.start()

    def end(self, code: int, seconds: float) -> None:
        """Says it, trying for at most `seconds`; then the thread ends. Call finish() next."""
        self._code = code
        self._deadline = time.monotonic() + seconds
        self._ended.set()
        self._own.send(b".")

    def finish(self) -> None:
        self._thread.join()
        self._own.close()
        self._other.close()

    def _run(self) -> None:
        while time.monotonic() < self._deadline:
            try:
                with socket.create_connection(self._address, timeout=_CONNECT_SECONDS) as peer:
                    if self._converse(peer):
                        return
            except OSError:
                pass
            self._pause()

    def _pause(self) -> None:
        if self._ended.is_set():
            time.sleep(_RETRY_SECONDS)
        else:
            self._ended.wait(_RETRY_SECONDS)

    def _converse(self, peer: socket.socket) -> bool:
        """True once the other side has heard the end."""
        lines = peer.makefile("rb")
        greeting = lines.readline(proof.MAX_LINE_BYTES).decode("ascii", "replace")
        if not greeting.startswith(proof.GREETING):
            return False
        nonce = greeting.removeprefix(proof.GREETING).strip()
        peer.sendall(proof.claim_line(self._token, nonce, self._rank, self._ranks))
        if lines.readline(proof.MAX_LINE_BYTES) != proof.WELCOME:
            self._tell_refusal()
            return False
        if not self._wait_for_end(peer):
            return False
        peer.settimeout(_CONNECT_SECONDS)
        peer.sendall(f"ended {self._code}\n".encode())
        return lines.readline(proof.MAX_LINE_BYTES) == proof.GOODBYE

    def _tell_refusal(self) -> None:
        if not self._told:
            self._told = True
            say(f"{self._address[0]} does not know this host's token; the hosts of a job need the "
                "same EVENER_DATA_TOKEN")

    def _wait_for_end(self, peer: socket.socket) -> bool:
        """False where the data host hangs up first."""
        if self._ended.is_set():
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(peer, selectors.EVENT_READ)
            selector.register(self._other, selectors.EVENT_READ)
            selector.select()
        return self._ended.is_set()
