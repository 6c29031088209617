#!/usr/bin/env bash
# Brings what building, testing and the examples need: Debian packages, a Python environment in
# .venv, the clients of the conformance tests in .venv-clients and .venv-sdk-*, and photographs for
# the example.
# What is there already is not touched; with everything there a call takes a fraction of a second.
# Writes build/versions.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The reason stands beside what is not plain from the name.
packages=(
  g++ cmake ninja-build ccache mold pkg-config
  libexpected-dev        # Result<T>
  nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libcsv-dev
  libarchive-dev libisal-dev zlib1g-dev
  libsqlite3-dev libgtest-dev libgmock-dev
  libboost-dev           # the HTTP server: headers of Asio and Beast only
  libssl-dev             # SHA-256 of signatures, TLS of the server
  libcurl4-openssl-dev libpugixml-dev
  libre2-dev             # patterns of metrics
  libjpeg62-turbo-dev libpng-dev libwebp-dev  # photographs of the data service
  python3-venv
  python3-dev            # the C module of the training toolkit, for its conformance test
  slirp4netns            # a job's way to the outside
  uidmap                 # user namespaces of a normal user
  btrfs-progs            # a file system that shares blocks, for a test of staging
  pigz                   # the benchmark's peer for packing
)
# Only for tests, which are skipped where the system has no such package or nobody may install it.
test_packages=(
  awscli                 # the AWS CLI v2; v1 is in .venv-clients
)
# Photographs for examples/heterogeneous; unpacked below build, never installed.
photo_packages=(lomiri-wallpapers-16.04 mate-backgrounds)

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }
. tools/installing.sh

check_system() {
  local id="" id_like="" version=""
  if [ -r /etc/os-release ]; then
    id=$(. /etc/os-release && echo "${ID:-}")
    id_like=$(. /etc/os-release && echo "${ID_LIKE:-}")
    version=$(. /etc/os-release && echo "${VERSION_ID:-}")
  fi
  case " $id $id_like " in
    *" debian "* | *" ubuntu "*) ;;
    *)
      fail "this is ${id:-an unknown system}; setup knows Debian 12 and Ubuntu 24.04 or later." \
        "Install what these Debian packages hold, then run cmake --preset release:" \
        "${packages[*]}"
      ;;
  esac
  case "$id:$version" in
    debian:9* | debian:10* | debian:11* | ubuntu:1* | ubuntu:20* | ubuntu:22*)
      fail "$id $version is too old: Debian 12 or Ubuntu 24.04 has the compiler that is needed."
      ;;
  esac
}

# Reads the package lists afresh only when the first try fails.
install_packages() {
  local missing=()
  mapfile -t missing < <(missing_packages "${packages[@]}")
  [ ${#missing[@]} -gt 0 ] || return 0
  may_be_root || fail "packages are missing, and this user is neither root nor has sudo. As root:" \
    "  apt-get install --no-install-recommends ${missing[*]}"
  say "installing ${missing[*]}"
  local install=(apt-get install -y -q --no-install-recommends "${missing[@]}")
  if ! as_root "${install[@]}" >build/apt.log 2>&1; then
    as_root apt-get update -q >>build/apt.log 2>&1 || true
    as_root "${install[@]}" >>build/apt.log 2>&1 ||
      { tail -n 20 build/apt.log >&2; fail "apt-get install failed (build/apt.log)."; }
  fi
  changed=yes
}

install_test_packages() {
  local name
  for name in $(missing_packages "${test_packages[@]}"); do
    may_be_root && apt-cache show "$name" >/dev/null 2>&1 || continue
    say "installing $name"
    as_root apt-get install -y -q --no-install-recommends "$name" >build/apt-tests.log 2>&1 ||
      say "without $name (build/apt-tests.log)"
    changed=yes
  done
}

# The SDKs' packages want a younger Python than the rest.
make_sdk_environments() {
  if ! "$(find_python)" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "without the SageMaker SDKs, whose packages need Python 3.11: their tests are left out"
    return
  fi
  make_environment .venv-sdk-v2 tests/requirements-sdk-v2.txt
  make_environment .venv-sdk-v3 tests/requirements-sdk-v3.txt
}

write_versions() {
  [ -n "$changed" ] || [ build/versions.txt -ot tools/setup.sh ] || return 0
  {
    . /etc/os-release && echo "system ${PRETTY_NAME:-unknown}"
    echo "kernel $(uname -sr)"
    .venv/bin/python --version
    dpkg-query -W -f '${Package} ${Version}\n' "${packages[@]}"
    .venv/bin/python -m pip freeze --disable-pip-version-check
  } >build/versions.txt
}

changed=""
check_system
mkdir -p build
install_packages
install_test_packages
make_environment .venv tools/requirements.txt
make_environment .venv-clients tests/requirements-clients.txt
make_sdk_environments
for name in "${photo_packages[@]}"; do
  fetch_photos "$name" || fail "the package $name could not be fetched (build/photos.log)."
done
write_versions
