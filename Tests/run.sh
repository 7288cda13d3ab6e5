#!/usr/bin/env bash
# Runs every test there is and closes with one line that counts them. Arguments are handed to swift test.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

# A log beside the terminal, because the counts are read from it.
log=$(mktemp)
trap 'rm -f "$log"' EXIT

swift test --disable-xctest "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}

# The lines that Swift Testing ends its tests with; a parameterised test counts once.
count() { grep -cE "^$1 Test .+$2" "$log"; }
passed=$(count '✔' '(passed after|with [0-9]+ test cases? passed)')
failed=$(count '✘' '(failed after|with [0-9]+ test cases? failed)')
skipped=$(count '➜' 'skipped')
summary=$(grep -cE '^[✔✘] Test run with' "$log")
passed=$((passed - $(grep -cE '^✔ Test run with .+passed after' "$log")))
failed=$((failed - $(grep -cE '^✘ Test run with .+failed after' "$log")))

if [ "$summary" = 0 ] && [ "$status" = 0 ]; then status=1; fi
[ "$passed" -gt 0 ] || status=1
echo
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
