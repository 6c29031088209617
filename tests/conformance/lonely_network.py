"""A network with nothing in it but this process, what it starts, and the loopback interface.

Whatever a client, a server or the S3 server tries to reach elsewhere is refused by the kernel at once
and counted by it. Names cannot be resolved: the question itself is such an attempt.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
from typing import Iterator

# A user's own namespace can be entered by a process of one thread only: numpy, which the SDKs
# import, is to start none.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def enter() -> str:
    """Moves this process, of one thread yet, into such a network; else the reason why not."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    flags = CLONE_NEWNET if user == 0 else CLONE_NEWNET | CLONE_NEWUSER
    if libc.unshare(flags) != 0:
        return f"no network namespace can be made here: {os.strerror(ctypes.get_errno())}"
    if user != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
                           ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    return ""


class Attempts:
    count = 0


_expected = Attempts()


def refused() -> int:
    """How many attempts to reach anything but loopback the kernel has refused in this network."""
    count = -_expected.count
    with open("/proc/self/net/snmp", encoding="ascii") as file:
        lines = [line.split() for line in file if line.startswith("Ip:")]
    count += int(dict(zip(*lines))["OutNoRoutes"])
    with open("/proc/self/net/snmp6", encoding="ascii") as file:
        count += sum(int(line.split()[1]) for line in file if line.startswith("Ip6OutNoRoutes"))
    return count


@contextlib.contextmanager
def expected_to_be_refused() -> Iterator[Attempts]:
    """Attempts in here are told and not counted by refused()."""
    attempts, before = Attempts(), refused()
    try:
        yield attempts
    finally:
        attempts.count = refused() - before
        _expected.count += attempts.count
