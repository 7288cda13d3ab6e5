#!/usr/bin/env bash
# Runs all tests, and ends with one line that counts passed, failed and skipped tests. Arguments go to swift build.
#
#   1. Swift's tests, in four processes at once, and joining by avahi
#   2. the web page in Chromium         FORGETMENOT_PAGE=skip skips it
#   3. the fleet simulator              beside 2; FORGETMENOT_FLEETS=skip skips it; FORGETMENOT_FLEETS=1...20 runs other seeds than 1...200
#   4. the virtual machine's tests      beside 2 and 3; FORGETMENOT_VM=skip skips them
#   5. two modes of the chaos test      FORGETMENOT_CHAOS=skip skips them
#   6. a pair of aggregators            FORGETMENOT_STANDBY=skip skips it
#
# With FORGETMENOT_PACKAGES, the folder of `make packages`, the packages and their units are tested as well. The optimised programs exist then, so
# the virtual machine and the packages are tested beside 1 to 3.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
packages=${FORGETMENOT_PACKAGES:-}

# The counts are read from this log. The failures are printed again at the end.
log=$(mktemp)
failures=$(mktemp)
beside="" fleets=""
trap '[ -z "$beside" ] || kill_tree "$beside"; [ -z "$fleets" ] || kill_tree "$fleets"; rm -f "$log" "$log"-* "$failures"' EXIT

# The seconds that each part took are printed before the last line.
times="" since=0
took() { times+="${times:+, }$1 $((SECONDS - since)) s"; since=$SECONDS; }

status=0 passed=0 failed=0 skipped=0

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

# The virtual machine and the packages wait more than they compute, so they are tested beside other tests. What these tests print is shown and
# counted at the end.
begin_beside() {
    local hindrance in_machine=yes
    if [ "${FORGETMENOT_VM:-}" = skip ]; then
        hindrance="skipped: the tests in the virtual machine, because FORGETMENOT_VM=skip"
    else
        hindrance=$(Tests/vm/run --check)
    fi
    # The machine's root file system is this one: nothing is installed while it runs.
    deploy/dependencies.sh page-test page-tools units-test chaos || true
    if [ -n "$hindrance" ]; then
        leave_out "$hindrance"
        in_machine=
    elif ! make --no-print-directory vm-programs; then
        failed=$((failed + 1)) status=1 in_machine=
        echo "the virtual machine's programs cannot be built" >>"$failures"
    fi
    {
        if [ -n "$in_machine" ]; then
            record machine Tests/vm/run
            [ -z "$packages" ] || VM_PACKAGES=$packages record units Tests/vm/run units.sh
        fi
        if [ -n "$packages" ]; then
            record packages Tests/install/run "$packages" "$packages-newer"
            # Packages of Debian 12 are tested on Debian 13, too.
            ! grep -qx VERSION_CODENAME=bookworm /etc/os-release ||
                INSTALL_SUITE=trixie record packages-trixie Tests/install/run "$packages" "$packages-newer"
        fi
    } &
    beside=$!
}
# record NAME COMMAND...: runs a command now whose cases are shown and counted later.
record() {
    local name=$1 begin=$SECONDS
    shift
    "$@" >"$log-$name" 2>&1
    echo $? >"$log-$name-status"
    echo $((SECONDS - begin)) >"$log-$name-seconds"
}
end_beside() {
    local name
    wait "$beside"
    beside=
    for name in machine units packages packages-trixie; do
        [ -e "$log-$name-status" ] || continue
        cases recorded $name
        times+=", beside others: $name $(cat "$log-$name-seconds") s"
    done
}
# shellcheck disable=SC2317 # called through cases
recorded() { cat "$log-$1"; return "$(cat "$log-$1-status")"; }
kill_tree() {
    local child
    for child in $(pgrep -P "$1"); do kill_tree "$child"; done
    kill "$1"
}

# Swift's tests. One process runs as many tests at once as the machine has processors, and most tests of whole programs wait for the programs. So
# four processes take less than half of the time. Each test runs in exactly one of them.
swift_tests() {
    local tests number ended=0 processes=()
    local shares=('--filter ^ProgramTests\.[A-G]' '--filter ^ProgramTests\.[H-O]' '--filter ^ProgramTests\.[^A-O]' '--skip ^ProgramTests\.')
    tests="$(swift build --show-bin-path)/forgetmenotPackageTests.xctest"
    for number in "${!shares[@]}"; do
        # shellcheck disable=SC2086 # an option and its value
        NO_COLOR=1 "$tests" --testing-library swift-testing ${shares[number]} 2>&1 | tee "$log-$number" &
        processes+=($!)
    done
    for number in "${!shares[@]}"; do
        wait "${processes[number]}" || ended=$?
        cat "$log-$number" >>"$log"
        grep -qE '^[✔✘] Test run with' "$log-$number" ||
            { ended=1; echo "error: the tests of ${shares[number]} ended without a summary" | tee -a "$log"; }
    done
    # The line that ends each test. A parameterised test counts once; the line that ends a whole run does not count.
    ended_with() { grep -E "^$1 Test .+$2" "$log" | grep -cvE "^$1 Test run with"; }
    passed=$((passed + $(ended_with '✔' '(passed after|with [0-9]+ test cases? passed)')))
    failed=$((failed + $(ended_with '✘' '(failed after|with [0-9]+ test cases? failed)')))
    # A part of a test that cannot run on this machine counts as well.
    skipped=$((skipped + $(ended_with '➜' 'skipped') + $(grep -cE '^skipped: ' "$log")))
    grep -E '^✘ Test .+ recorded an issue' -A 2 "$log" | grep -vE '^([◇✔]|--$)' | cut -c 1-600 >>"$failures"
    [ "$passed" -gt 0 ] || ended=1
    [ "$ended" != 0 ] || return
    grep -E '^error: |: error: |Fatal error' "$log" | tail -5 >>"$failures"
    status=$ended
}

# One minute of the chaos test, which needs the machine for itself, and its mode `messages`. `make chaos` runs both for longer.
chaos() {
    [ "${FORGETMENOT_CHAOS:-}" != skip ] || { leave_out "skipped: the chaos test, because FORGETMENOT_CHAOS=skip"; return; }
    for run in "60 11" "messages 1 11"; do
        # shellcheck disable=SC2086 # two words
        if "$(swift build --show-bin-path)/Chaos" $run 2>&1 | tee "$log"; then
            if grep -q '^skipped: ' "$log"; then skipped=$((skipped + 1)); else passed=$((passed + 1)); fi
            continue
        fi
        failed=$((failed + 1)) status=1
        { echo "the chaos test $run:"; tail -12 "$log"; } >>"$failures"
    done
}

# Each of two aggregators is restarted, killed and stopped once. `make standby-test` does that for longer.
standby() {
    [ "${FORGETMENOT_STANDBY:-}" != skip ] || { leave_out "skipped: two aggregators, because FORGETMENOT_STANDBY=skip"; return; }
    cases Tests/standby/run "$(swift build --show-bin-path)" 3 11
}

# The fleet simulator, with as many seeds as take a few minutes. `make fleets` runs thousands. Its time is virtual, so it gives way to the page,
# which waits a lot.
begin_fleets() {
    local seeds=${FORGETMENOT_FLEETS:-1...200}
    [ "$seeds" != skip ] || { leave_out "skipped: the fleet simulator, because FORGETMENOT_FLEETS=skip"; return; }
    record fleets nice make --no-print-directory fleets SEEDS="$seeds" &
    fleets=$!
}
end_fleets() {
    [ -n "$fleets" ] || return
    wait "$fleets"
    fleets=
    cat "$log-fleets"
    times+=", beside others: fleets $(cat "$log-fleets-seconds") s"
    if [ "$(cat "$log-fleets-status")" = 0 ]; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1)) status=1
    { echo "the fleet simulator:"; tail -12 "$log-fleets"; } >>"$failures"
}

# The parts of the page that touch no browser, in Node, and the page in Chromium, with the programs that the tests built.
page() {
    cases Tests/page/unit/run
    [ "${FORGETMENOT_PAGE:-}" != skip ] || { leave_out "skipped: the web page, because FORGETMENOT_PAGE=skip"; return; }
    FORGETMENOT_PROGRAMS=$(swift build --show-bin-path) cases Tests/page/run
}

# With packages the virtual machine's programs are built already, so it begins before the build of the tests.
[ -z "$packages" ] || { begin_beside; took "programs of the virtual machine"; }
# The build gives way to the tests that run beside it, of which some have limits of time.
nice swift build --build-tests "$@" || exit
took build
swift_tests; took "Swift's tests"
[ -n "$packages" ] || { begin_beside; took "programs of the virtual machine"; }
cases Tests/discovery/run "$(swift build --show-bin-path)"; took discovery
begin_fleets
page; took page
end_fleets; took "rest of the fleets"
end_beside; took "rest of the virtual machine"
chaos; took chaos
standby; took "pair of aggregators"
echo
echo "$times"
cat "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
