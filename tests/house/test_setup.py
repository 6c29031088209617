"""tools/setup.sh with stand-ins for the system's own commands: nothing is installed here."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Every package is installed but those named in the file `missing`.
DPKG_QUERY = """#!/bin/bash
shift 3
for name in "$@"; do
  grep -qx "$name" {0}/missing || echo "installed $name"
done
"""
# Writes down what it was asked; an install fails until the lists have been read.
APT_GET = """#!/bin/bash
echo "$*" >>{0}/calls
case "$1" in
  update) touch {0}/updated ;;
  install) [ -e {0}/updated ] && : >{0}/missing ;;
esac
"""


class Machine:
    """A folder with the script, stand-ins first in PATH, and everything already set up."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree with spaces"
        self.state = folder / "state"
        self.state.mkdir()
        (self.tree / "tools").mkdir(parents=True)
        for name in ("setup.sh", "installing.sh"):
            shutil.copy(ROOT / "tools" / name, self.tree / "tools" / name)
        self.add_environment(".venv", "tools/requirements.txt")
        self.add_environment(".venv-clients", "tests/requirements-clients.txt")
        self.add_environment(".venv-sdk-v2", "tests/requirements-sdk-v2.txt")
        self.add_environment(".venv-sdk-v3", "tests/requirements-sdk-v3.txt")
        for package in ("lomiri-wallpapers-16.04", "mate-backgrounds"):
            (self.tree / "build/photo-packages" / package).mkdir(parents=True)
        (self.state / "missing").write_text("")
        self.add_command("dpkg-query", DPKG_QUERY)
        self.add_command("apt-get", APT_GET)
        self.add_command("sudo", '#!/bin/sh\nexec "$@"\n')

    def add_environment(self, name: str, requirements: str) -> None:
        copy = self.tree / requirements
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / requirements, copy)
        python = self.tree / name / "bin/python"
        python.parent.mkdir(parents=True)
        python.write_text("#!/bin/sh\necho python\n")
        python.chmod(0o755)
        digest = hashlib.sha256(copy.read_bytes()).hexdigest()
        (self.tree / name / "requirements.sha256").write_text(f"{digest}  {requirements}\n")

    def add_command(self, name: str, text: str) -> None:
        path = self.state / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("{0}", str(self.state)))
        path.chmod(0o755)

    def setup(self) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ, PATH=f"{self.state / 'bin'}:{os.environ['PATH']}")
        return subprocess.run([str(self.tree / "tools/setup.sh")], env=environment, text=True,
                              capture_output=True, check=False)

    def calls(self) -> list[str]:
        path = self.state / "calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_nothing_is_done_twice(machine: Machine) -> None:
    first = machine.setup()
    assert first.returncode == 0 and first.stdout == "", first.stdout + first.stderr
    versions = machine.tree / "build/versions.txt"
    before = versions.stat().st_mtime_ns
    assert machine.setup().returncode == 0
    assert versions.stat().st_mtime_ns == before
    assert machine.calls() == []


def test_only_missing_packages_are_installed_and_lists_are_read_when_needed(
    machine: Machine,
) -> None:
    (machine.state / "missing").write_text("ccache\nmold\n")
    done = machine.setup()
    assert done.returncode == 0, done.stdout + done.stderr
    install = "install -y -q --no-install-recommends ccache mold"
    assert machine.calls() == [install, "update -q", install]
    assert "installing ccache mold" in done.stdout


def test_an_install_that_fails_is_told_with_its_log(machine: Machine) -> None:
    (machine.state / "missing").write_text("ccache\n")
    machine.add_command("apt-get", "#!/bin/sh\necho no network\nexit 100\n")
    done = machine.setup()
    assert done.returncode == 1
    assert "no network" in done.stderr and "apt-get install failed" in done.stderr


def test_changed_requirements_make_a_new_environment(machine: Machine) -> None:
    (machine.tree / ".venv/old").write_text("")
    (machine.tree / "tools/requirements.txt").write_text("# nothing\n")
    fake = '#!/bin/sh\n[ "$2" != venv ] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }\n'
    machine.add_command("python3", fake)
    script = machine.tree / "tools/installing.sh"
    script.write_text(script.read_text().replace("in /usr/bin/python3 python3", "in python3"))
    done = machine.setup()
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (machine.tree / ".venv/old").exists()
    assert (machine.tree / ".venv/requirements.sha256").exists()


def test_a_user_who_may_not_install_is_told_what_is_missing(machine: Machine) -> None:
    (machine.state / "missing").write_text("ccache\n")
    machine.add_command("id", "#!/bin/sh\necho 1000\n")
    script = machine.tree / "tools/installing.sh"
    script.write_text(script.read_text().replace("command -v sudo", "false"))
    done = machine.setup()
    assert done.returncode == 1
    assert "apt-get install --no-install-recommends ccache" in done.stderr
