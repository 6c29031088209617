# Functions that tools/setup.sh and benchmarks/peers/setup.sh share; both define say and fail first
# and stand in the root of the repository. What a function has changed it says with changed=yes.

missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p' || true)
  local name
  for name in "$@"; do
    grep -qxF "$name" <<<"$installed" || echo "$name"
  done
}

may_be_root() { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# The first Python of at least 3.10 that can make environments; the system's own before others.
find_python() {
  local candidate
  for candidate in /usr/bin/python3 python3 python3.13 python3.12 python3.11 python3.10; do
    if "$candidate" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' \
      >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  fail "no Python of at least 3.10 with the modules venv and ensurepip was found."
}

# make_environment FOLDER REQUIREMENTS: made anew when the requirements have changed.
make_environment() {
  local stamp
  stamp=$(sha256sum "$2")
  if [ "$(cat "$1/requirements.sha256" 2>/dev/null)" = "$stamp" ] &&
    [ -x "$1/bin/python" ]; then
    return
  fi
  say "making the Python environment in $1"
  rm -rf "$1"
  "$(find_python)" -m venv "$1" || return 1
  install_python_packages "$1" "$2" || return 1
  echo "$stamp" >"$1/requirements.sha256"
  changed=yes
}

# With uv, once .venv has it: a tenth of pip's time. uv does not read pip's settings, which may
# name another index, so pip tries what uv could not get. The files name all that is needed.
install_python_packages() {
  if [ -x .venv/bin/uv ] && [ "$1" != .venv ]; then
    .venv/bin/uv pip install -q --no-config --native-tls --no-deps --python "$1/bin/python" -r "$2" \
      2>build/uv.log && return
    say "uv could not install (build/uv.log); trying pip"
  fi
  "$1/bin/python" -m pip install -q --disable-pip-version-check --no-input --no-deps -r "$2"
}

# Unpacks a package of photographs to build/photo-packages/NAME; installs nothing.
fetch_photos() {
  local folder=build/photo-packages/$1
  [ ! -d "$folder" ] || return 0
  say "fetching photographs: $1"
  rm -rf build/download "$folder.part"
  mkdir -p build/download "$folder.part"
  (cd build/download && { apt-get download -q "$1" || {
    may_be_root && as_root apt-get update -q && apt-get download -q "$1"; }; }) >build/photos.log 2>&1 ||
    { cat build/photos.log >&2; return 1; }
  dpkg -x build/download/"$1"_*.deb "$folder.part" || return 1
  mv "$folder.part" "$folder"
  rm -rf build/download
  changed=yes
}
