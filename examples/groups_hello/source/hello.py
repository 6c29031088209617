"""Prints what this host sees of its job."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path


def main() -> None:
    group = os.environ["SM_CURRENT_INSTANCE_GROUP"]
    print(f"hello from {os.environ['SM_CURRENT_HOST']} of {group}")
    print(f"host name: {socket.gethostname()}, process {os.getpid()}, user {os.getuid()}")
    print(f"folder: {os.getcwd()}, CPUs: {sorted(os.sched_getaffinity(0))}")
    for name in sorted(os.environ):
        if name.startswith("SM_"):
            print(f"{name}={os.environ[name]}")
    config = Path(os.environ["SM_INPUT_CONFIG_DIR"])
    for path in sorted(config.iterdir()):
        print(f"{path.name}: {json.dumps(json.loads(path.read_text()))}")
    for line in Path("/etc/hosts").read_text().splitlines():
        print(f"/etc/hosts: {line}")
    for host in json.loads(os.environ["SM_HOSTS"]):
        print(f"{host} is {socket.gethostbyname(host)}")


if __name__ == "__main__":
    main()
