#!/usr/bin/env bash
# Records tests/fixtures/runs.tar.xz anew: real runs on this machine, about 5 minutes on a quiet one. Tests and pictures of
# the desktop program are of them; 'lockstep import' makes the store.
#   scripts/record-fixture.sh [FIRST]    campaigns from FIRST (1 to 4) on; those before it stay as they are in the archive.
# The times of campaign 4 are shown nowhere: it has a few recorded steps of what sends to whom, and may be recorded on a
# busy machine.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$PWD
first=${1:-1}
lockstep=$home/build/release/bin/lockstep
archive=$home/tests/fixtures/runs.tar.xz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
if ((first > 1)); then
  tar xJf "$archive"
  for campaign in lockstep-runs/*; do
    ((${campaign##*/} < first)) || rm -r "$campaign"
  done
  "$lockstep" import lockstep-runs/*
fi
# record NUMBER ARGUMENT...: a campaign, where it is to be recorded.
record() {
  local number=$1
  shift
  ((number < first)) || "$lockstep" run "$@"
}
record 1 "$home/tests/fixtures/fixture.json"
record 2 -w mlp-digits:desk -n 3 --converge --no-verify
record 3 -w gpt-austen:tiny -s serial -n 6 --no-verify --no-profile
record 4 "$home/tests/fixtures/messages.json" --no-verify
# Places of this machine are nobody's business.
grep -rlF -e "$home" -e "$folder" lockstep-runs | xargs sed -i "s#$home#/lockstep#g; s#$folder#/fixture#g"
# Initial weights (shared/) are made again from their seeds; logs of processes that said nothing are empty; locks and the
# imported forms of traces are of this machine.
find lockstep-runs -type f \( -empty -o -name '*.columns' \) -delete
tar cJf "$archive" --exclude=shared --owner=0 --group=0 lockstep-runs
ls -l "$archive"
