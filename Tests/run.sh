#!/usr/bin/env bash
# Runs every test there is and closes with one line that counts them: Swift's, then the chaos, then those in the virtual machine, which takes
# both processors and runs alone. Arguments are handed to swift test. FORGETMENOT_VM=skip and FORGETMENOT_CHAOS=skip leave those out.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

# A log beside the terminal, because the counts are read from it; what failed is said once more at the end, where people look.
log=$(mktemp)
failures=$(mktemp)
trap 'rm -f "$log" "$failures"' EXIT

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
grep -E '^✘ Test .+ recorded an issue' -A 2 "$log" | grep -vE '^([◇✔]|--$)' | cut -c 1-600 >"$failures"
[ "$status" = 0 ] || grep -E '^error: |: error: |Fatal error' "$log" | tail -5 >>"$failures"

if [ "$summary" = 0 ] && [ "$status" = 0 ]; then status=1; fi
[ "$passed" -gt 0 ] || status=1

# Leaves the virtual machine out, and says why.
leave_out() { echo "$1"; skipped=$((skipped + 1)); }

# What its cases came to; one that died, or hung, has failed beside those that it got to.
machine() {
    [ "${FORGETMENOT_VM:-}" != skip ] || { leave_out "skipped: the virtual machine, as FORGETMENOT_VM says so"; return; }
    local hindrance ended left_out
    hindrance=$(Tests/vm/run --check)
    [ -z "$hindrance" ] || { leave_out "$hindrance"; return; }
    { make --no-print-directory vm-programs && Tests/vm/run; } 2>&1 | tee "$log"
    ended=${PIPESTATUS[0]}
    left_out=$(grep -cE '^ok [0-9]+ - .* # skipped: ' "$log")
    passed=$((passed + $(grep -cE '^ok [0-9]+ - ' "$log") - left_out))
    failed=$((failed + $(grep -cE '^not ok ' "$log")))
    grep -E '^not ok ' -A 8 "$log" >>"$failures"
    skipped=$((skipped + left_out))
    grep -qE '^(not )?ok ' "$log" || ended=1
    [ "$ended" != 0 ] || return
    grep -qE '^not ok ' "$log" || failed=$((failed + 1))
    [ "$status" != 0 ] || status=$ended
}

# A minute in which everything is killed, stopped and cut off: one test that wants the machine for itself. `make chaos` does it for longer.
chaos() {
    [ "${FORGETMENOT_CHAOS:-}" != skip ] || { leave_out "skipped: the chaos, as FORGETMENOT_CHAOS says so"; return; }
    if "$(swift build --show-bin-path)/Chaos" 60 11 2>&1 | tee "$log"; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1)) status=1
    { echo "the chaos:"; tail -12 "$log"; } >>"$failures"
}

chaos
machine
echo
cat "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
