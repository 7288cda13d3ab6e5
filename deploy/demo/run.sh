#!/usr/bin/env bash
# Runs a simulated house on this machine: a private broker, five gateways with simulated radios (or one that plays a recording), the
# aggregator with its web page, and a live table. Ctrl-C ends everything and removes all files.
#   deploy/demo/run.sh [RECORDING.btsnoop]
# If record.sh has set DEMO_RECORDING (a folder) and DEMO_CLOCK (the library that makes time faster), it records a day there and ends.
set -euo pipefail
# The recording's path is relative to the caller's folder; all other paths are relative to the repository.
capture=${1:+$(realpath -m -- "$1")}
cd "$(dirname "$0")/../.."

if [ -n "$capture" ] && [ ! -r "$capture" ]; then
    echo "run: cannot read $1: give a btsnoop recording, as btmon -w writes it" >&2
    exit 66
fi

deploy/dependencies.sh build run
programs=${FORGETMENOT_PROGRAMS:-.build/debug}
# The house's time at the start: everybody is at home. Half a minute later Anna goes out without her violin, which stays in the bedroom.
scene=2026-11-28T16:13:08Z
# A build of what is built takes ten seconds for each program.
for program in forgetmenot-gateway forgetmenot; do
    [ -z "${FORGETMENOT_PROGRAMS-}" ] || break
    if [ -x "$programs/$program" ] && [ -z "$(find Package.swift Sources -newer "$programs/$program" -print -quit)" ]; then continue; fi
    echo "Building $program (the first time takes a few minutes) ..." >&2
    swift build --product "$program"
    touch "$programs/$program"
done

folder=$(mktemp -d)
started=() clock=()
finish() {
    trap - EXIT INT TERM
    # Stop gateways and aggregator before the broker, so that they can publish their last messages.
    for ((index = ${#started[@]} - 1; index >= 0; index--)); do
        kill "${started[index]}" 2>/dev/null || continue
        wait "${started[index]}" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 0' INT TERM

start() { # LOG COMMAND...: starts a command in the background. Only this script handles Ctrl-C.
    local log=$folder/$1.log
    shift
    setsid ${clock[@]+"${clock[@]}"} "$@" >"$log" 2>&1 </dev/null &
    started+=($!)
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

start_broker() {
    local attempt
    for attempt in {1..20}; do
        port=$((20000 + RANDOM % 20000))
        answers "$port" && continue
        printf 'listener %s 127.0.0.1\nallow_anonymous true\npersistence false\n' "$port" >"$folder/mosquitto.conf"
        start mosquitto "$(command -v mosquitto || echo /usr/sbin/mosquitto)" -c "$folder/mosquitto.conf"
        local broker=${started[-1]}
        while kill -0 "$broker" 2>/dev/null; do
            answers "$port" && return
            sleep 0.05
        done
        unset 'started[-1]'
    done
    echo "run: mosquitto does not start after $attempt attempts: $(tail -n 1 "$folder/mosquitto.log")" >&2
    exit 69
}

free_port() { # FIRST: prints FIRST, or another port if a program uses it
    local candidate=$1
    while answers "$candidate"; do candidate=$((20000 + RANDOM % 20000)); done
    echo "$candidate"
}

gateway() { # ID ROOM RADIO...: starts one gateway
    local id=$1 room=$2
    shift 2
    {
        printf 'id = "%s"\nroom = "%s"\nstate_directory = "%s/%s"\n' "$id" "$room" "$folder" "$id"
        printf '[mqtt]\nport = %s\n[radio]\n' "$port"
        printf '%s\n' "$@"
        # Short, so that you can watch an item leave.
        printf '[monitoring]\nexit_after = "20s"\n'
    } >"$folder/$id.toml"
    start "$id" "$programs/forgetmenot-gateway" run --config "$folder/$id.toml"
}

# Waits for the aggregator, so that the page and the table begin with it.
wait_for_aggregator() {
    local aggregator=${started[-1]} attempt
    for attempt in {1..50}; do
        "$programs/forgetmenot" where --config "$folder/aggregator.toml" >/dev/null 2>&1 && return
        kill -0 "$aggregator" 2>/dev/null || break
        sleep 0.1
    done
    echo "run: the aggregator does not respond: $(tail -n 1 "$folder/aggregator.log")" >&2
    exit 69
}

# Waits until the gateways have located everything, so that the page and the table begin with places; some seconds at most.
wait_for_rooms() {
    local attempt located
    for attempt in {1..100}; do
        if located=$("$programs/forgetmenot" where --json --config "$folder/aggregator.toml" 2>/dev/null); then
            located=${located//'"presence":"home","room"'/}
            [[ $located == *'"presence":"home"'* || $located == *'"presence":"unknown"'* ]] || return 0
        fi
        sleep 0.1
    done
}

items_of_capture() { # prints the strongest hundred beacons of the recording as [[item]] tables
    printf '[radio]\nsource = "capture:%s"\nspeed = "fast"\n' "$capture" >"$folder/scan.toml"
    "$programs/forgetmenot-gateway" scan --json --config "$folder/scan.toml" |
        sed -n 's/.*"uuid":"\([^"]*\)","major":\([0-9]*\),"minor":\([0-9]*\).*/\1 \2 \3/p' | head -n 100 |
        awk '{ name = "beacon-" $2 "-" $3; if (count[name]++) name = name "-" count[name]
               printf "[[item]]\nname = \"%s\"\nuuid = \"%s\"\nmajor = %s\nminor = %s\n", name, $1, $2, $3 }'
}

start_broker
# The broker's own time is the real one: what it waits for would be over in a moment.
[ -z "${DEMO_CLOCK-}" ] || clock=(env "LD_PRELOAD=$DEMO_CLOCK")
page=$(free_port 8124)
{
    printf 'state_directory = "%s/aggregator"\n[mqtt]\nport = %s\n' "$folder" "$port"
    printf '[page]\naddress = "127.0.0.1:%s"\n' "$page"
    if [ -n "$capture" ]; then items_of_capture; else cat deploy/demo/site.toml; fi
} >"$folder/aggregator.toml"
start aggregator "$programs/forgetmenot" run --config "$folder/aggregator.toml"
wait_for_aggregator

if [ -n "$capture" ]; then
    gateway recording Recording "source = \"capture:$capture\"" 'at_end = "silence"'
else
    for name in "kitchen Kitchen" "hall Hall" "living-room Living room" "bedroom Bedroom" "office Office"; do
        gateway "${name%% *}" "${name#* }" 'source = "simulation"' "${DEMO_RECORDING:+# }start_at = \"$scene\""
    done
    # At run time, so that names and rules can be changed on the page.
    "$programs/forgetmenot" items import deploy/demo/items.json --config "$folder/aggregator.toml" >/dev/null
    for person in Anna Ben Cleo; do
        "$programs/forgetmenot" people add "$person" --carries "${person,,}-phone,${person,,}-keys" --config "$folder/aggregator.toml" >/dev/null
    done
fi

if [ -n "${DEMO_RECORDING-}" ]; then
    "${clock[@]}" python3 deploy/demo/record.py "http://127.0.0.1:$page/" "$DEMO_RECORDING" "$DEMO_HOURS" &
    started+=($!)
    wait $!
    exit
fi
[ -n "$capture" ] || wait_for_rooms
echo "Open http://127.0.0.1:$page/ in a browser: the items move on the floor plan." >&2
if [ -z "$capture" ]; then
    echo "Anna goes out in half a minute without her violin. Within two minutes the message appears here and on the page." >&2
fi
echo "In another terminal, run commands:      $programs/forgetmenot where --config $folder/aggregator.toml" >&2
echo "or read all messages of the broker:     mosquitto_sub -p $port -v -t 'forgetmenot/#'" >&2
# In the background, so that this script handles signals at once.
"$programs/forgetmenot" watch --config "$folder/aggregator.toml" &
started+=($!)
wait $!
