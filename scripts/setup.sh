# What ./quickstart, ./run-tests and .ci/run share: progress lines, packages, configure and build. Sourced by them, from
# the project's root.
# shellcheck shell=bash

source scripts/packages.sh

started=$SECONDS

# One line of progress, with the seconds since the start, on standard error: standard output is the result.
say() { printf '[%4d s] %s\n' $((SECONDS - started)) "$*" >&2; }

give_up() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 3
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^.i' || printf '%s\n' "$package"
  done
}

# Runs a command as root; sudo asks for the password where one is needed.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -- "$@"
  else
    give_up "needs root to install packages and finds no sudo; as root: apt-get install --no-install-recommends ${missing[*]}"
  fi
}

# Installs what is missing of "$@": one update and one installation, and nothing at all when nothing is missing.
install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    what_is_needed >&2
    exit 3
  fi
  mapfile -t missing < <(missing_packages "$@")
  if [ "${#missing[@]}" = 0 ]; then
    say "packages: all ${#} are there"
    return
  fi
  say "packages: ${#missing[@]} of ${#} are missing: ${missing[*]}"
  [ "$(id -u)" = 0 ] || say "packages: root is needed for 'apt-get update' and 'apt-get install' of these, and for nothing else"
  mkdir -p build
  local log=build/packages.log
  if ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
    tail -20 "$log" >&2
    give_up "apt-get failed; the whole output is in $log"
  fi
  say "packages: installed"
}

configure_options=()  # more options of cmake, for build_preset
# build_preset PRESET [TARGET...]: configures and builds a preset, or only the targets, into build/PRESET.
build_preset() {
  local preset=$1 log=build/$1.configure.log targets=()
  shift
  [ $# = 0 ] || targets=(--target "$@")
  mkdir -p build
  say "$preset: configuring"
  if ! cmake --preset "$preset" "${configure_options[@]}" >"$log" 2>&1 </dev/null; then
    tail -20 "$log" >&2
    give_up "cmake --preset $preset failed; the whole output is in $log"
  fi
  say "$preset: building on $(nproc) processors"
  NINJA_STATUS="[%f/%t, %e s] " cmake --build --preset "$preset" "${targets[@]}" -j "$(nproc)" >&2 </dev/null ||
    give_up "the build of preset $preset failed"
  say "$preset: built"
}

# Where ctest leaves the names of tests that failed.
failed_tests() { echo "build/$1/Testing/Temporary/LastTestsFailed.log"; }

# Runs the tests of a preset and says what was skipped and why. Status: ctest's.
test_preset() {
  local preset=$1 status=0
  shift
  say "$preset: testing"
  local junit=$PWD/build/$preset/tests.xml
  rm -f "$(failed_tests "$preset")"
  ctest --preset "$preset" -j 2 --output-junit "$junit" "$@" </dev/null || status=$?
  scripts/skipped-tests.sh "$junit"
  say "$preset: tested, $([ "$status" = 0 ] && echo 'all passed' || echo 'FAILED')"
  return "$status"
}
