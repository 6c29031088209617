#!/usr/bin/env bash
# Brings the programs that benchmarks run beside this one: Debian packages, where it is root; Python
# environments of their own, .venv-peers-*, from the files in requirements/; photographs. `make
# peers` calls it and nothing else does. What is there already is not touched. A peer that cannot be
# had is named and left out: its benchmarks then print that they skipped it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# benchmarks/README.md says which benchmark needs which.
packages=(rclone nginx-light wrk podman runc netavark docker.io containerd docker-compose iptables
  ffmpeg)
# Beside those that tools/setup.sh brings; unpacked below build, never installed.
photo_packages=(lomiri-wallpapers-20.04 plasma-workspace-wallpapers)

say() { printf 'peers: %s\n' "$*"; }
fail() { printf 'peers: %s\n' "$@" >&2; exit 1; }
. tools/installing.sh

install_packages() {
  local missing=()
  mapfile -t missing < <(missing_packages "${packages[@]}")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    say "without ${missing[*]}; as root: apt-get install --no-install-recommends ${missing[*]}"
    return 0
  fi
  say "installing ${missing[*]}"
  as_root apt-get install -y -q --no-install-recommends "${missing[@]}" \
    >build/apt-peers.log 2>&1 || say "without some of ${missing[*]} (build/apt-peers.log)"
}

mkdir -p build
install_packages
for name in tools torch tf; do
  make_environment ".venv-peers-$name" "benchmarks/peers/requirements/$name.txt" || {
    say "without .venv-peers-$name"
    rm -rf ".venv-peers-$name"
  }
done
for name in "${photo_packages[@]}"; do
  fetch_photos "$name" || say "without the photographs of $name"
done
exit 0
