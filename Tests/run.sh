#!/usr/bin/env bash
# Runs every test there is and closes with one line that counts them: Swift's, then the chaos, then those in the virtual machine, which takes
# both processors and runs alone. Arguments are handed to swift test. FORGETMENOT_VM=skip, FORGETMENOT_CHAOS=skip and FORGETMENOT_FLEETS=skip
# leave those out; FORGETMENOT_FLEETS=1...20 names other seeds than the first 200.
# FORGETMENOT_PACKAGES is the folder of the packages that make packages built: they are installed, upgraded and purged, and run under systemd, too.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
packages=${FORGETMENOT_PACKAGES:-}

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
# A part of a test that cannot be done here counts as well.
skipped=$((skipped + $(grep -cE '^skipped: ' "$log")))
grep -E '^✘ Test .+ recorded an issue' -A 2 "$log" | grep -vE '^([◇✔]|--$)' | cut -c 1-600 >"$failures"
[ "$status" = 0 ] || grep -E '^error: |: error: |Fatal error' "$log" | tail -5 >>"$failures"

if [ "$summary" = 0 ] && [ "$status" = 0 ]; then status=1; fi
[ "$passed" -gt 0 ] || status=1

# Leaves something out, and says why.
leave_out() { echo "$1"; skipped=$((skipped + 1)); }

# cases COMMAND... : runs what prints `ok N - sentence` or `not ok N - sentence` per case, or why there are none; one that died, or hung, has failed
# beside those that it got to.
cases() {
    local ended left_out
    "$@" 2>&1 | tee "$log"
    ended=${PIPESTATUS[0]}
    left_out=$(grep -cE '^ok [0-9]+ - .* # skipped: ' "$log")
    passed=$((passed + $(grep -cE '^ok [0-9]+ - ' "$log") - left_out))
    failed=$((failed + $(grep -cE '^not ok ' "$log")))
    grep -E '^not ok ' -A 8 "$log" >>"$failures"
    skipped=$((skipped + left_out + $(grep -cE '^skipped: ' "$log")))
    grep -qE '^((not )?ok |skipped: )' "$log" || ended=1
    [ "$ended" != 0 ] || return
    grep -qE '^not ok ' "$log" || { failed=$((failed + 1)); tail -5 "$log" >>"$failures"; }
    [ "$status" != 0 ] || status=$ended
}

# The packages in this machine's Debian; what is built on 12 is for 13, too.
installs() {
    [ -n "$packages" ] || return
    cases Tests/install/run "$packages" "$packages-newer"
    ! grep -qx VERSION_CODENAME=bookworm /etc/os-release || INSTALL_SUITE=trixie cases Tests/install/run "$packages" "$packages-newer"
}

# shellcheck disable=SC2317 # cases runs it
in_machine() { make --no-print-directory vm-programs && Tests/vm/run; }
machine() {
    [ "${FORGETMENOT_VM:-}" != skip ] || { leave_out "skipped: the virtual machine, as FORGETMENOT_VM says so"; return; }
    local hindrance
    hindrance=$(Tests/vm/run --check)
    [ -z "$hindrance" ] || { leave_out "$hindrance"; return; }
    cases in_machine
    [ -z "$packages" ] || VM_PACKAGES=$packages cases Tests/vm/run units.sh
}

# A minute in which everything is killed, stopped and cut off: one test that wants the machine for itself. `make chaos` does it for longer.
chaos() {
    [ "${FORGETMENOT_CHAOS:-}" != skip ] || { leave_out "skipped: the chaos, as FORGETMENOT_CHAOS says so"; return; }
    if "$(swift build --show-bin-path)/Chaos" 60 11 2>&1 | tee "$log"; then
        if grep -q '^skipped: ' "$log"; then skipped=$((skipped + 1)); else passed=$((passed + 1)); fi
        return
    fi
    failed=$((failed + 1)) status=1
    { echo "the chaos:"; tail -12 "$log"; } >>"$failures"
}

# Whole fleets in virtual time, as many as a few minutes allow; `make trials` runs thousands.
fleets() {
    local seeds=${FORGETMENOT_FLEETS:-1...200}
    [ "$seeds" != skip ] || { leave_out "skipped: the fleets, as FORGETMENOT_FLEETS says so"; return; }
    if make --no-print-directory trials SEEDS="$seeds" 2>&1 | tee "$log"; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1)) status=1
    { echo "the fleets:"; tail -12 "$log"; } >>"$failures"
}

chaos
fleets
installs
machine
echo
cat "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
