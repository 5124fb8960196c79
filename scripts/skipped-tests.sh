#!/usr/bin/env bash
# skipped-tests.sh BUILD: how many tests the last ctest in BUILD skipped, and their reasons, from its log.
set -euo pipefail
log=${1:?usage: skipped-tests.sh BUILD}/Testing/Temporary/LastTest.log
[ -f "$log" ] || { echo "skipped tests: no $log"; exit 0; }
awk '
  / Testing: / { said = ""; marked = 0; wanted = 0 }
  wanted && NF { said = $0; wanted = 0; marked = 1 }                        # the line after GoogleTest'"'"'s "FILE:LINE: Skipped"
  /: Skipped$/ { wanted = 1 }
  match($0, /skipped [\x27"].*[\x27"]$/) { said = substr($0, RSTART + 9, RLENGTH - 10); marked = 1 }  # unittest
  /^Test time = / { at_end = 1 }
  !marked && !at_end && NF && !/^-+$/ && !/^<end of output>/ { said = $0 }   # otherwise the last line
  /^Test Skipped\./ { count[said == "" ? "no reason was printed" : said]++; total++ }
  /^Test (Passed|Failed|Skipped|Pass Reason|Fail Reason)/ { at_end = 0 }
  END {
    printf "skipped tests: %d\n", total
    for (reason in count) printf "%5d x %s\n", count[reason], reason
  }
' "$log"
