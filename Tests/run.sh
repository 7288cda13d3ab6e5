#!/usr/bin/env bash
# Runs all tests, one kind after the other, and ends with one line that counts passed, failed and skipped tests. Arguments go to swift build.
#
#   1. Swift's tests, in three processes at once
#   2. the chaos test                   FORGETMENOT_CHAOS=skip skips it
#   3. the fleet simulator              FORGETMENOT_FLEETS=skip skips it; FORGETMENOT_FLEETS=1...20 runs other seeds than 1...200
#   4. the web page in Chromium         FORGETMENOT_PAGE=skip skips it
#   5. the packages                     only with FORGETMENOT_PACKAGES, the folder of `make packages`
#   6. the virtual machine's tests      beside 3 to 5; FORGETMENOT_VM=skip skips them; with FORGETMENOT_PACKAGES, the units' tests as well
set -uo pipefail
cd "$(dirname "$0")/.." || exit
packages=${FORGETMENOT_PACKAGES:-}

# The counts are read from this log. The failures are printed again at the end.
log=$(mktemp)
failures=$(mktemp)
trap '[ -z "${machine:-}" ] || kill_tree "$machine"; rm -f "$log" "$log"-* "$failures"' EXIT

# The seconds that each part took are printed before the last line.
times= since=0
took() { times+="${times:+, }$1 $((SECONDS - since)) s"; since=$SECONDS; }

swift build --build-tests "$@" || exit
took build
# One process runs as many tests at once as the machine has processors, and most tests of whole programs wait for the programs. So three processes
# take less than half of the time. Each test runs in exactly one of them.
tests="$(swift build --show-bin-path)/forgetmenotPackageTests.xctest"
shares=('--filter ^ProgramTests\.[A-K]' '--filter ^ProgramTests\.[^A-K]' '--skip ^ProgramTests\.')
processes=()
for number in "${!shares[@]}"; do
    # shellcheck disable=SC2086 # an option and its value
    NO_COLOR=1 "$tests" --testing-library swift-testing ${shares[number]} 2>&1 | tee "$log-$number" &
    processes+=($!)
done
status=0
for number in "${!shares[@]}"; do
    wait "${processes[number]}" || status=$?
    cat "$log-$number" >>"$log"
    grep -qE '^[✔✘] Test run with' "$log-$number" ||
        { status=1; echo "error: the tests of ${shares[number]} ended without a summary" | tee -a "$log"; }
done

took "Swift's tests"

# Counts the lines with which Swift Testing ends each test. A parameterised test counts once.
count() { grep -cE "^$1 Test .+$2" "$log"; }
passed=$(count '✔' '(passed after|with [0-9]+ test cases? passed)')
failed=$(count '✘' '(failed after|with [0-9]+ test cases? failed)')
skipped=$(count '➜' 'skipped')
passed=$((passed - $(grep -cE '^✔ Test run with .+passed after' "$log")))
failed=$((failed - $(grep -cE '^✘ Test run with .+failed after' "$log")))
# A part of a test that cannot run on this machine counts as well.
skipped=$((skipped + $(grep -cE '^skipped: ' "$log")))
grep -E '^✘ Test .+ recorded an issue' -A 2 "$log" | grep -vE '^([◇✔]|--$)' | cut -c 1-600 >"$failures"
[ "$status" = 0 ] || grep -E '^error: |: error: |Fatal error' "$log" | tail -5 >>"$failures"

[ "$passed" -gt 0 ] || status=1

# Counts a skipped test, and prints the reason.
leave_out() { echo "$1"; skipped=$((skipped + 1)); }

# cases COMMAND...: runs a command that prints `ok N - sentence` or `not ok N - sentence` for each case, or `skipped: reason`. If the command
# dies or hangs, that counts as one more failure.
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

# Tests the packages on this machine's Debian release. Packages of Debian 12 are tested on Debian 13, too.
installs() {
    [ -n "$packages" ] || return
    cases Tests/install/run "$packages" "$packages-newer"
    ! grep -qx VERSION_CODENAME=bookworm /etc/os-release || INSTALL_SUITE=trixie cases Tests/install/run "$packages" "$packages-newer"
}

# The virtual machine waits more than it computes, so its tests run beside the fleet simulator, the page and the packages. What they print is
# shown and counted when those have ended.
machine=
begin_machine() {
    [ "${FORGETMENOT_VM:-}" != skip ] || { leave_out "skipped: the tests in the virtual machine, because FORGETMENOT_VM=skip"; return; }
    local hindrance
    hindrance=$(Tests/vm/run --check)
    [ -z "$hindrance" ] || { leave_out "$hindrance"; return; }
    # The machine's root file system is this one: nothing is installed while it runs.
    deploy/dependencies.sh page-test page-tools units-test || true
    if ! make --no-print-directory vm-programs; then
        failed=$((failed + 1)) status=1
        echo "the virtual machine's programs cannot be built" >>"$failures"
        return
    fi
    in_machine &
    machine=$!
}
in_machine() {
    Tests/vm/run >"$log-machine" 2>&1
    echo $? >"$log-machine-status"
    [ -n "$packages" ] || return
    VM_PACKAGES=$packages Tests/vm/run units.sh >"$log-units" 2>&1
    echo $? >"$log-units-status"
}
end_machine() {
    [ -n "$machine" ] || return
    wait "$machine"
    machine=
    cases recorded machine
    [ -z "$packages" ] || cases recorded units
}
# shellcheck disable=SC2317 # called through cases
recorded() { cat "$log-$1"; return "$(cat "$log-$1-status")"; }
kill_tree() {
    local child
    for child in $(pgrep -P "$1"); do kill_tree "$child"; done
    kill "$1"
}

# One minute of the chaos test, which needs the machine for itself. `make chaos` runs it for longer.
chaos() {
    [ "${FORGETMENOT_CHAOS:-}" != skip ] || { leave_out "skipped: the chaos test, because FORGETMENOT_CHAOS=skip"; return; }
    if "$(swift build --show-bin-path)/Chaos" 60 11 2>&1 | tee "$log"; then
        if grep -q '^skipped: ' "$log"; then skipped=$((skipped + 1)); else passed=$((passed + 1)); fi
        return
    fi
    failed=$((failed + 1)) status=1
    { echo "the chaos test:"; tail -12 "$log"; } >>"$failures"
}

# The fleet simulator, with as many seeds as take a few minutes. `make fleets` runs thousands.
fleets() {
    local seeds=${FORGETMENOT_FLEETS:-1...200}
    [ "$seeds" != skip ] || { leave_out "skipped: the fleet simulator, because FORGETMENOT_FLEETS=skip"; return; }
    if make --no-print-directory fleets SEEDS="$seeds" 2>&1 | tee "$log"; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1)) status=1
    { echo "the fleet simulator:"; tail -12 "$log"; } >>"$failures"
}

# The page in Chromium, with the programs that the tests built.
page() {
    [ "${FORGETMENOT_PAGE:-}" != skip ] || { leave_out "skipped: the web page, because FORGETMENOT_PAGE=skip"; return; }
    FORGETMENOT_PROGRAMS=$(swift build --show-bin-path) cases Tests/page/run
}

chaos; took chaos
begin_machine; took "programs of the virtual machine"
fleets; took fleets
page; took page
installs; took installs
end_machine; took "rest of the virtual machine"
echo
echo "$times"
cat "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
