#!/usr/bin/env bash
# tidy.sh [REVISION]: clang-tidy (.clang-tidy) on the .cpp files that changed since REVISION (default HEAD: what is not
# committed). Needs clang-tidy 16 or newer: older ones cannot read the standard library that g++ 12 brings.
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=$(compgen -c clang-tidy- | grep -E '^clang-tidy-[0-9]+$' | sort -t- -k3 -n | tail -1 || true)
version=${tidy##*-}
[ "${version:-0}" -ge 16 ] || { echo "tidy.sh: needs clang-tidy 16 or newer; on Debian 12: apt-get install clang-tidy-16" >&2; exit 3; }
mapfile -t files < <({ git diff --name-only --diff-filter=d "${1:-HEAD}"; git ls-files --others --exclude-standard; } | grep '\.cpp$' | sort -u)
[ "${#files[@]}" -gt 0 ] || { echo "no .cpp file has changed since ${1:-HEAD}"; exit 0; }
# One command a file, and no precompiled headers, which clang cannot read.
cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
"$tidy" -p build/tidy --quiet --extra-arg=-Wno-unused-command-line-argument "${files[@]}"
