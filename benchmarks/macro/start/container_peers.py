"""Container engines as peers of a start: podman, and docker-compose on an engine of its own.

They run in a laboratory: a network namespace without an uplink and a mount namespace with a /run
of its own, so that the machine's interfaces, firewall, forwarding and mounts stay as they are.
What else they write lies in folders of the benchmark and goes with close().
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RUN_TIMEOUT_SECONDS = 60
ENGINE_TIMEOUT_SECONDS = 20
CONTAINERS_CONF = """[containers]
default_ulimits = ["nofile=1024:1024", "nproc=32768:32768"]
[network]
network_backend = "netavark"
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "file"
"""
COMPOSE_FILE = """version: '2'
services:
  one:
    image: evener-first:bench
    command: [/first]
  two:
    image: evener-first:bench
    command: [/first]
"""


def run(command: list[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False,
                          stdin=subprocess.DEVNULL, timeout=RUN_TIMEOUT_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stdout[-600:]} "
                           f"{done.stderr[-600:]}")
    return done.stdout


def need(*names: str) -> None:
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        raise LookupError(f"{' and '.join(missing)} not installed")
    if os.geteuid() != 0:
        raise LookupError("measured as root only")


@dataclass(frozen=True)
class PeerCommand:
    """What one sample runs; `undo` puts everything back and is not timed."""
    command: list[str]
    environment: dict[str, str]
    undo: list[str] | None = None


@contextlib.contextmanager
def laboratory() -> Iterator[list[str]]:
    """What stands before a command that runs in it; entering takes about 1 ms."""
    need("unshare", "nsenter", "ip")
    script = "ip link set lo up && mount -t tmpfs run /run && echo && exec sleep infinity"
    with subprocess.Popen(["unshare", "--net", "--mount", "sh", "-c", script],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as holder:
        try:
            if holder.stdout is None or holder.stdout.read(1) != b"\n":
                raise LookupError("no network and mount namespaces could be made")
            yield ["nsenter", f"--target={holder.pid}", "--net", "--mount"]
        finally:
            holder.kill()
            remove_empty_groups()


def remove_empty_groups() -> None:
    """The control groups that the engines put theirs into; one in use is not empty."""
    for parent in ("docker", "libpod_parent"):
        for group in Path("/sys/fs/cgroup").glob(f"*/{parent}"):
            for folder, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)


def image_archive(program: Path, folder: Path) -> Path:
    """A root that holds the program alone."""
    context = folder / "image"
    archive = folder / "image.tar"
    if not archive.exists():
        context.mkdir()
        shutil.copy(program, context / "first")
        run(["tar", "-C", str(context), "-cf", str(archive), "first"])
    return archive


class Podman:
    """podman with runc and an image of its own."""

    def __init__(self, program: Path, folder: Path, lab: list[str]) -> None:
        need("podman", "runc")
        # podman wants the second path to be under 50 characters.
        self.base = [*lab, "podman", "--root", str(folder / "podman"), "--runroot", "/run/first"]
        configuration = folder / "containers.conf"
        configuration.write_text(CONTAINERS_CONF)
        self.environment = dict(os.environ, CONTAINERS_CONF=str(configuration))
        run([*self.base, "import", str(image_archive(program, folder)), "first:bench"],
            self.environment)
        self.version = run([*self.base, "--version"]).strip()

    def commands(self) -> dict[str, PeerCommand]:
        start = [*self.base, "run", "--rm"]
        return {"podman_none": PeerCommand([*start, "--network", "none", "first:bench", "/first"],
                                           self.environment),
                "podman_bridge": PeerCommand([*start, "first:bench", "/first"], self.environment)}

    def close(self) -> None:
        """The storage holds files that only podman takes away."""
        subprocess.run([*self.base, "system", "reset", "--force"], capture_output=True,
                       check=False, env=self.environment)


class Compose:
    """docker-compose and a docker engine that is started for it and ends with it."""

    def __init__(self, program: Path, folder: Path, lab: list[str]) -> None:
        need("docker-compose", "docker", "dockerd", "containerd", "runc")
        self.state = Path("/tmp") / f"{folder.name}-docker"
        self.state.mkdir()
        self.settings = Path("/etc/docker")   # the engine puts a key there
        self.had_settings = self.settings.exists()
        self.log = (folder / "dockerd.log").open("w", encoding="utf-8")
        socket = f"unix://{self.state}/socket"
        self.environment = dict(os.environ, DOCKER_HOST=socket)
        self.engine = subprocess.Popen(
            [*lab, "dockerd", "--data-root", str(folder / "docker"), "--exec-root",
             "/run/exec", "--pidfile", "/run/pid", "-H", socket, "--bip", "10.79.0.1/24"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        try:
            self.wait_for_engine()
            run(["docker", "import", str(image_archive(program, folder)), "evener-first:bench"],
                self.environment)
        except BaseException:
            self.close()
            raise
        self.file = folder / "docker-compose.yml"
        self.file.write_text(COMPOSE_FILE)
        self.version = run(["docker-compose", "--version"]).strip() + ", engine " + run(
            ["docker", "version", "--format", "{{.Server.Version}}"], self.environment).strip()

    def wait_for_engine(self) -> None:
        deadline = time.monotonic() + ENGINE_TIMEOUT_SECONDS
        while subprocess.run(["docker", "info"], capture_output=True, check=False,
                             env=self.environment).returncode != 0:
            if self.engine.poll() is not None or time.monotonic() > deadline:
                raise LookupError("no docker engine could be started: "
                                  + Path(self.log.name).read_text(encoding="utf-8")[-400:])
            time.sleep(0.1)

    def commands(self) -> dict[str, PeerCommand]:
        base = ["docker-compose", "-f", str(self.file)]
        return {"compose_2": PeerCommand([*base, "up", "--no-color"], self.environment,
                                         [*base, "down"])}

    def close(self) -> None:
        self.engine.terminate()
        try:
            self.engine.wait(ENGINE_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.engine.kill()
            self.engine.wait()
        self.log.close()
        shutil.rmtree(self.state, ignore_errors=True)
        if not self.had_settings:
            shutil.rmtree(self.settings, ignore_errors=True)
