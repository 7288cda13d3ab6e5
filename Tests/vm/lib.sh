# What the jobs are made of. Nothing sleeps for a time that should be long enough: everything waits for a line, up to a deadline.
work=/run/vm
# Deadlines are so many times what is written at each: only a failure waits for them, and a machine may be busy.
patience=4
mkdir -p $work
cp "$VM_BUILD"/programs/* $work/
chmod 755 $work $work/*
mkfifo $work/pause
exec 8<>$work/pause
pause() { read -rt "${1:-0.1}" -u 8 || true; }

passed=0 failed=0 skipped=0 number=0
declare -A mark base pid input

# case_is SENTENCE COMMAND...: runs it, and prints what came of it.
case_is() {
    number=$((number + 1)) reason=
    for name in "${!mark[@]}"; do base[$name]=$(lines "$name"); done
    local began=${EPOCHREALTIME/./}
    if "${@:2}"; then
        passed=$((passed + 1)); printf 'ok %d - %s' $number "$1"
    else
        failed=$((failed + 1)); printf 'not ok %d - %s' $number "$1"
        [ -n "$reason" ] && printf '\n# %s' "$reason"
    fi
    printf ' (%d ms)\n' $(((${EPOCHREALTIME/./} - began) / 1000))
}
skip() { number=$((number + 1)) skipped=$((skipped + 1)); echo "ok $number - $1 # skipped: $2"; }
summary() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed = 0 ]; }

# expect NAME SECONDS PATTERN: the next line of that program's output that has the extended regular expression; it stands in $match.
expect() {
    local log=$work/$1.log end=$((SECONDS + $2 * patience)) found
    while :; do
        if found=$(tail -n +$((${mark[$1]:-0} + 1)) "$log" | grep -nEm1 -- "$3"); then
            mark[$1]=$((${mark[$1]:-0} + ${found%%:*}))
            match=${found#*:}
            return 0
        fi
        [ $SECONDS -lt $end ] || break
        pause
    done
    reason="$1 did not say «$3» within $2 s; its last lines were:
$(tail -n 6 "$log" | cut -c1-400 | sed 's/^/#   /')"
    return 1
}
# never NAME PATTERN: no line has it that came since the case began.
never() {
    local found
    if found=$(tail -n +$((${base[$1]:-0} + 1)) "$work/$1.log" | grep -Em1 -- "$2"); then
        reason="$1 said «$found»"
        return 1
    fi
}
lines() { wc -l <"$work/$1.log"; }
# fresh NAME: what it said up to now is no answer to what comes.
fresh() { mark[$1]=$(lines "$1"); }
# until_true SECONDS COMMAND...
until_true() {
    local end=$((SECONDS + $1 * patience)); shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { reason="never true: $*"; return 1; }
        pause
    done
}

# start NAME COMMAND...: a program that reads commands from its standard input and says things on its standard output.
start() {
    local name=$1; shift
    [ -n "${mark[$name]:-}" ] && forget "$name"
    mkfifo $work/$name.in
    exec {descriptor}<>$work/$name.in
    input[$name]=$descriptor mark[$name]=0 base[$name]=0
    "$@" <$work/$name.in >$work/$name.log 2>&1 8<&- &
    pid[$name]=$!
}
say() { echo "${*:2}" >&"${input[$1]}"; }
# quit NAME: asks it to, and waits.
quit() {
    say "$1" quit
    expect "$1" 20 '^stopped' && forget "$1"
}
forget() {
    [ -n "${pid[$1]}" ] && { kill -9 "${pid[$1]}"; wait "${pid[$1]}"; } 2>/dev/null
    exec {input[$1]}>&-
    rm -f "$work/$1.in"
    mv "$work/$1.log" "$work/$1.$number.log"
    unset "mark[$1]" "base[$1]"
}
probe() { start "$1" $work/BlueZProbe "${@:2}"; }
# allowed CAPABILITIES COMMAND...: as an ordinary user with nothing but these: `+net_admin,+net_raw`, or `` for none.
allowed() {
    local sets=-all${1:+,$1} replace=; shift
    # In the background the shell's copy makes way, so that signals come to the program.
    [ $BASHPID = $$ ] || replace=exec
    $replace setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$sets" --ambient-caps="$sets" --bounding-set="$sets" "$@"
}

# air COMMAND...: a command to the virtual controllers; its answer stands in $match, without number and ok.
requests=0
air() {
    requests=$((requests + 1))
    say air "$@"
    expect air 60 "^#$requests " || return 1
    match=${match#* }
    [[ $match == ok* ]] || { reason="the air said «$match» to «$*»"; return 1; }
    match=${match#ok}; match=${match# }
}
# plug NAME KIND ADDRESS: a controller; waits until the kernel has it. Its number, which is not the kernel's, stands in $NAME.
plug() {
    air add "$2" "$3" || return 1
    printf -v "$1" %s "$match"
    plugged=$((match + 1))
    until_true 20 address_known "$3"
}
# unplug_all: as it was at first.
plugged=0
unplug_all() {
    while [ $plugged -gt 0 ]; do plugged=$((plugged - 1)); air remove $plugged; done
    until_true 20 no_adapter
}
no_adapter() { [ -z "$(hciconfig)" ]; }
adapter() { hciconfig | grep -B1 "$1" | sed -n 's/^\(hci[0-9]*\):.*/\1/p'; }
address_known() { hciconfig -a 2>/dev/null | grep -q "$1"; }

# listens N INTERVAL WINDOW: that controller does, in 0.625 ms.
listens() {
    air status "$1" || return 1
    [[ $match == *" scanning "[12]" interval $2 window $3 "* ]] || { reason="controller $1 says: $match"; return 1; }
}
listens_not() { air status "$1" && [[ $match == *' scanning 0 '* ]]; }
# sends N INTERVAL: it advertises, that often, in 0.625 ms.
sends() {
    air status "$1" || return 1
    [[ $match == *" advertising 1 every $2" ]] || { reason="controller $1 says: $match"; return 1; }
}
# sent N: how many reports it made stands in $match.
sent() { air status "$1" && match=${match#*reports } && match=${match%% *}; }

# rfkill_all 0|1: blocks every adapter, or lets go.
rfkill_all() { for switch in /sys/class/bluetooth/hci*/rfkill*/soft; do echo "$1" >"$switch"; done; }
# interfere N ADDRESS OPCODE [OCTET...]: another program's command to that controller, which takes it. hcitool waits for any event.
interfere() {
    air took "$1" "$3" || return 1
    local before=$match
    hcitool -i "$(adapter "$2")" cmd 0x$(printf %02x $((0x$3 >> 10))) 0x$(printf %04x $((0x$3 & 0x3ff))) "${@:4}" >/dev/null
    until_true 10 took_another "$1" "$3" $before
}
took_another() { air took "$1" "$2" && [ "$match" -gt "$3" ]; }

A=00:AA:01:00:00:01 B=00:AA:01:00:00:02 C=00:AA:01:00:00:03
TAG=C0:11:22:33:44:51
# tag N: a beacon that controller N hears ten times a second.
tag() { air beacon "$1" $TAG -51 100 7 9; }
silence() { air beacon "$1" $TAG 0 0 0 0; }
# hears_more: the probe called radio heard more than it did so far.
hears_more() { fresh radio; expect radio "${1:-20}" '^heard' && expect radio "${1:-20}" '^heard'; }

start air $work/virtual-controller
has_owner() {
    dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:"$1" 2>/dev/null |
        grep -q 'boolean true'
}
start_bluetoothd() {
    if [ ! -S /run/dbus/system_bus_socket ]; then
        mkdir -p /run/dbus
        dbus-daemon --system --fork --nopidfile --nosyslog
    fi
    local program
    for program in /usr/libexec/bluetooth/bluetoothd /usr/lib/bluetooth/bluetoothd; do [ -x $program ] && break; done
    $program -n >$work/bluetoothd.log 2>&1 8<&- &
    bluetoothd=$!
    until_true 30 has_owner org.bluez
}
# discover SECONDS: bluetoothd discovers from now on, for as long. bluetoothctl sometimes ends with a segmentation fault before it asked: the next one asks.
discover() {
    local attempt
    for attempt in 1 2 3; do
        bluetoothctl --timeout "$1" scan on >$work/discovery.log 2>&1 8<&- &
        discovery=$!
        until_true 20 discovers_or_ended || return 1
        grep -q 'Discovery started' $work/discovery.log && return 0
        echo "# bluetoothctl ended before it discovered, attempt $attempt of 3"
    done
    reason="bluetoothctl said: $(<$work/discovery.log)"
    return 1
}
discovers_or_ended() { grep -q 'Discovery started' $work/discovery.log || ! kill -0 $discovery 2>/dev/null; }
# discovery_ends: its client is gone, and so is the discovery, however the client ended.
discovery_ends() { wait $discovery || true; }
