#!/usr/bin/env bash
# skipped-tests.sh JUNIT.xml: how many tests ctest skipped, and their reasons, from the file of its --output-junit.
set -euo pipefail
junit=${1:?usage: skipped-tests.sh JUNIT.xml}
[ -f "$junit" ] || { echo "skipped tests: unknown, there is no $junit"; exit 0; }
# The reason is the line after GoogleTest's "FILE:LINE: Skipped", or what unittest says in quotes, or the last line.
awk '
  /<testcase / { skipped = 0; output = 0; next_is_reason = 0; reason = ""; last = "no reason was printed" }
  /<skipped / { skipped = 1 }
  /<system-out>/ { output = 1; sub(/.*<system-out>/, "") }
  /<\/system-out>/ { sub(/<\/system-out>.*/, ""); output = output && NF }
  output && next_is_reason { reason = $0; next_is_reason = 0 }
  output && /: Skipped$/ { next_is_reason = 1 }
  output && match($0, /skipped (&apos;|&quot;|["\x27]).*$/) {
    reason = substr($0, RSTART + 8); gsub(/&apos;|&quot;|["\x27]/, "", reason)
  }
  output && NF && !/^-+$/ { last = $0 }
  /<\/testcase>/ { if (skipped) { reasons[reason != "" ? reason : last]++; total++ } }
  END {
    printf "skipped tests: %d\n", total
    for (r in reasons) printf "%5d x %s\n", reasons[r], r
  }
' "$junit"
