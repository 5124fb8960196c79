#!/usr/bin/env bash
# Renews the pictures of docs/desktop.md and the README from the fixture runs. Needs no display.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar xJf tests/fixtures/runs.tar.xz -C "$folder"
cd "$folder"
"$home/build/release/bin/lockstep" import lockstep-runs/1 lockstep-runs/2 lockstep-runs/3 lockstep-runs/4
# picture PAGE VIEW [OPTION...]: docs/pictures/PAGE.png of a view, in JSON without its format.
picture() {
  local page=$1 view=$2
  shift 2
  printf '{"format": "lockstep.view", "version": 1, %s}' "$view" >view.json
  "$home/build/release/bin/lockstep-gui" --render "$page" --view view.json --out "$home/docs/pictures/$page.png" "$@" lockstep.db
}
first='"campaign": "@1"'
picture overview "$first" --window --size 1280x900
picture launches "$first, \"options\": {\"launches.group\": \"cell\"}" --size 1280x560
picture compare "$first" --size 1280x860
picture scaling "$first, \"options\": {\"scaling.workload\": \"gpt-austen:tiny\"}" --size 1280x760
picture convergence '"campaign": "@2"' --size 1280x700
# A step of this recording, in ns since its begin.
step='"zooms": {"timeline.time": [270e6, 293e6]}'
picture timeline "\"campaign\": \"@4\", \"launch\": \"@4.7\", $step, \"options\": {\"timeline.of\": \"@4.7\", \"timeline.tab\": \"matrix\"}" \
  --size 1280x960 --theme dark
picture strategies "$first, \"options\": {\"strategies.term\": \"/1f1b\"}"
ls -l "$home/docs/pictures"
