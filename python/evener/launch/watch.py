"""Child processes, signals and sockets of one thread, on one selector."""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, TextIO

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
# What is still running this long after it was asked to end is killed.
STOP_SECONDS = 10.0

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True)
class Ended:
    """A child has ended; the code is 128 + n after signal n, as shells say it."""

    name: str
    code: int


@dataclass(frozen=True)
class Signalled:
    """This process was sent one of FORWARDED."""

    number: int


@dataclass(frozen=True)
class _Child:
    name: str
    process: subprocess.Popen[bytes]
    pidfd: int


def _stay(_number: int, _frame: FrameType | None) -> None:
    """Signals are heard through the wake-up socket."""


class Watch:
    """A resource of the main thread, where Python takes signals. Leaving kills what still runs."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._children: dict[str, _Child] = {}
        self._wake, self._waker = socket.socketpair()
        self._wake.setblocking(False)
        self._waker.setblocking(False)
        self._old_wakeup = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        self._old_actions = {number: signal.signal(number, _stay) for number in FORWARDED}
        self._selector.register(self._wake, selectors.EVENT_READ, None)
        self._events: list[Ended | Signalled] = []

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in self._children.values():
            child.process.kill()
        for child in self._children.values():
            child.process.wait()
            os.close(child.pidfd)
        for number, action in self._old_actions.items():
            signal.signal(number, action)
        signal.set_wakeup_fd(self._old_wakeup)
        self._selector.close()
        self._wake.close()
        self._waker.close()

    def start(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        output: TextIO | None = None,
    ) -> None:
        """Raises OSError. The child ends when this process is killed."""
        process = subprocess.Popen(list(command), env=dict(environment), stdout=output,
                                   preexec_fn=_end_with_parent)
        pidfd = os.pidfd_open(process.pid)
        self._children[name] = _Child(name, process, pidfd)
        self._selector.register(pidfd, selectors.EVENT_READ, lambda: self._reap(name))

    def runs(self, name: str) -> bool:
        return name in self._children

    def send(self, name: str, number: int) -> None:
        if name in self._children:
            self._children[name].process.send_signal(number)

    def on_readable(self, file: Any, call: Callable[[], None]) -> None:
        self._selector.register(file, selectors.EVENT_READ, call)

    def forget(self, file: Any) -> None:
        self._selector.unregister(file)

    def next(self, timeout: float | None = None) -> Ended | Signalled | None:
        """The next event; None when `timeout` seconds are over or a socket was served."""
        if not self._events:
            for key, _ in self._selector.select(timeout):
                if key.data is None:
                    self._take_signals()
                else:
                    key.data()
        return self._events.pop(0) if self._events else None

    def stop_all(self, number: int = signal.SIGTERM) -> list[Ended]:
        """Ends the children, the last that was started first: what serves others ends behind them.

        Each gets the signal; what still runs after STOP_SECONDS in all is killed.
        """
        ended: list[Ended] = []
        deadline = time.monotonic() + STOP_SECONDS
        for name in reversed(list(self._children)):
            self.send(name, number)
            while name in self._children:
                event = self.next(max(0.0, deadline - time.monotonic()))
                if isinstance(event, Ended):
                    ended.append(event)
                elif event is None and name in self._children and time.monotonic() >= deadline:
                    say(f"the {name} was asked to end, did not, and was killed")
                    self.send(name, signal.SIGKILL)
                    self._children[name].process.wait()
        return ended + [event for event in self._events if isinstance(event, Ended)]

    def _reap(self, name: str) -> None:
        child = self._children.pop(name)
        self._selector.unregister(child.pidfd)
        os.close(child.pidfd)
        code = child.process.wait()
        self._events.append(Ended(name, code if code >= 0 else 128 - code))

    def _take_signals(self) -> None:
        for number in self._wake.recv(256):
            if number in FORWARDED:
                self._events.append(Signalled(number))


def _end_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def in_foreground() -> bool:
    """Whether a Ctrl-C reaches the children too, since the terminal sends it to the whole group."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def say(text: str) -> None:
    print(f"evener.launch: {text}", file=sys.stderr, flush=True)
