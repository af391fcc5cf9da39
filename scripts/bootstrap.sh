#!/usr/bin/env bash
# Installs what a build needs and is not there yet, then makes the virtual environment:
#
#     scripts/bootstrap.sh 3.11 .venv
#
#     scripts/bootstrap.sh --find 3.12      prints the interpreter that would be used, or fails
#
# Does nothing, in a few milliseconds, where everything is present. System packages are installed
# with apt-get (Debian, Ubuntu; as root or with sudo); elsewhere a message says what is missing.
set -euo pipefail

version=$1
venv=$2
[ "$1" != --find ] || version=$2
requirements="$(dirname "$0")/requirements-dev.txt"
llvm_prefix=${LLVM_SYS_191_PREFIX:-/usr/lib/llvm-19}

say() { echo "==> $*" >&2; }
fail() { printf 'make build: %s\n' "$@" >&2; exit 1; }

# install_packages WHY PACKAGE...
install_packages() {
  local why=$1 sudo=""
  shift
  command -v apt-get >/dev/null ||
    fail "$why is missing, and this system has no apt-get." \
      "Install what Debian calls: $*" "(LLVM 19 may stand anywhere: set LLVM_SYS_191_PREFIX to its folder.)"
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || fail "$why is missing; run as root: apt-get install -y $*"
    sudo="sudo"
  fi
  say "installing $*"
  local log
  log=$(mktemp)
  if ! { $sudo apt-get update -qq &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >"$log" 2>&1; then
    tail -20 "$log" >&2
    fail "apt-get could not install $*. LLVM 19 is in Debian 12 and later and in Ubuntu 24.10 and later."
  fi
  rm -f "$log"
}

ensure_libraries() {
  local missing=()
  [ -x "$llvm_prefix/bin/llvm-config" ] || missing+=(llvm-19-dev)
  [ -e "$llvm_prefix/lib/libPolly.a" ] || missing+=(libpolly-19-dev)
  if [ "$llvm_prefix" = /usr/lib/llvm-19 ]; then
    [ -e /usr/include/zstd.h ] || missing+=(libzstd-dev)
    [ -e /usr/include/zlib.h ] || missing+=(zlib1g-dev)
  fi
  command -v cc >/dev/null || missing+=(gcc libc6-dev)
  command -v c++ >/dev/null || missing+=(g++)
  [ ${#missing[@]} = 0 ] || install_packages "what LLVM is linked with" "${missing[@]}"
}

ensure_rust() {
  command -v cargo >/dev/null ||
    fail "cargo is missing: install Rust 1.95 or later (https://rustup.rs)."
}

# Prints the real path of an interpreter that has the version, makes environments and can be linked
# with (test binaries embed Python), or fails.
usable_python() {
  "$1" - "$version" 2>/dev/null <<'PYTHON'
import ensurepip, os, sys, sysconfig, venv
if "%d.%d" % sys.version_info[:2] != sys.argv[1] or sys.prefix != sys.base_prefix:
    sys.exit(1)
name = sysconfig.get_config_var("LDLIBRARY") or ""
folders = [sysconfig.get_config_var(key) or "" for key in ("LIBDIR", "LIBPL")]
if not any(os.path.exists(os.path.join(folder, name)) for folder in folders):
    sys.exit(1)
print(sys.executable)
PYTHON
}

find_python() {
  local candidate
  if [ -n "${PYTHON:-}" ]; then
    usable_python "$PYTHON" || fail "PYTHON=$PYTHON is not a Python $version with venv, ensurepip and its library."
    return
  fi
  while read -r candidate; do
    [ -x "$candidate" ] && usable_python "$candidate" && return
  done < <(
    type -aP "python$version" || true
    ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/"python$version" 2>/dev/null | sort -rV
    ls -d "$HOME/.local/share/uv/python/cpython-$version".*/bin/"python$version" 2>/dev/null | sort -rV
    printf '%s\n' "/usr/local/bin/python$version" "/usr/bin/python$version" "/opt/python$version/bin/python$version"
  )
  return 1
}

ensure_venv() {
  local python
  if ! "$venv/bin/python" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" 2>/dev/null; then
    if ! python=$(find_python); then
      [ -z "${PYTHON:-}" ] || exit 1
      install_packages "Python $version" "python$version-dev" "python$version-venv"
      python=$(find_python) || fail "no usable Python $version was found; name one with PYTHON=/path/to/python$version."
    fi
    say "creating $venv with $python"
    rm -rf "$venv"
    "$python" -m venv "$venv"
  fi
  if ! cmp -s "$requirements" "$venv/.requirements"; then
    say "installing $(grep -v '^#' "$requirements" | tr '\n' ' ')into $venv"
    "$venv/bin/python" -m pip install -q -r "$requirements"
    cp "$requirements" "$venv/.requirements"
  fi
}

if [ "$1" = --find ]; then
  find_python
  exit
fi
ensure_libraries
ensure_rust
ensure_venv
