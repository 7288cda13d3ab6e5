# Every case of the radio and the transmitter, in one boot.
. ./lib.sh
A=00:AA:01:00:00:01 B=00:AA:01:00:00:02
TAG=C0:11:22:33:44:51
# A beacon that controller N hears ten times a second.
tag() { air beacon "$1" $TAG -51 100 7 9; }
silence() { air beacon "$1" $TAG 0 0 0 0; }
# More is heard than was so far.
hears_more() {
    expect radio 20 '^heard' || return 1
    local before=${match#heard }; before=${before%% *}
    local end=$((SECONDS + ${1:-20}))
    while [ $SECONDS -lt $end ]; do
        expect radio "${1:-20}" '^heard' || return 1
        local now=${match#heard }
        [ "${now%% *}" -gt "$before" ] && return 0
    done
    reason="no more than $before were heard"
    return 1
}
# scans INTERVAL WINDOW: controller $a does, in 0.625 ms.
scans() {
    air status "$a" || return 1
    [[ $match == *" scanning "[12]" interval $1 window $2 "* ]] || { reason="the controller says: $match"; return 1; }
}
doesnt_scan() { air status "$a" && [[ $match == *' scanning 0 '* ]]; }
adapter() { hciconfig | grep -B1 "$1" | sed -n 's/^\(hci[0-9]*\):.*/\1/p'; }

# ---- the monitor ----
always_appears() {
    probe radio radio hci0
    expect radio 10 '^state unsupported: there is no adapter hci0' || return 1
    plug legacy $A || return 1
    a=$match
    expect radio 20 '^state powered_on: listening through the kernel' && expect radio 5 "^using monitor hci0 $A"
}
case_is 'an adapter that is missing at the start is used when it comes' always_appears

always_hears() { tag "$a" && expect radio 10 "$TAG -51 00112233-4455-6677-8899-aabbccddeeff/7/9 -59"; }
case_is 'an advertisement is heard with its address, RSSI, identity and measured power' always_hears

full_duty() { scans 96 96; }
case_is 'it listens all of the time' full_duty

goes_down() {
    hciconfig hci0 down
    expect radio 20 '^state powered_off: hci0 was switched off' && expect radio 30 '^state powered_on' && hears_more && scans 96 96
}
case_is 'an adapter that goes down is said to be off, and is up again' goes_down

is_reset() {
    hciconfig hci0 reset
    expect radio 20 '^proven' && hears_more && scans 96 96
}
case_is 'a reset by another program is healed after twelve seconds of silence' is_reset

scan_off() {
    hcitool -i hci0 cmd 0x08 0x000c 00 00 >/dev/null
    until_true 5 doesnt_scan || return 1
    expect radio 20 '^proven' && hears_more && scans 96 96
}
case_is "another program's «scan off» is healed after twelve seconds of silence" scan_off

hardware_error() {
    air hardware_error "$a" 42
    expect radio 20 '^state powered_off' && expect radio 30 '^state powered_on' && hears_more
}
case_is 'a hardware error is survived' hardware_error

rfkill_all() { for switch in /sys/class/bluetooth/hci*/rfkill*/soft; do echo "$1" >"$switch"; done; }
is_blocked() {
    rfkill_all 1
    expect radio 20 '^state powered_off: .*blocked by rfkill' || return 1
    rfkill_all 0
    expect radio 30 '^state powered_on' && hears_more
}
case_is 'an adapter that rfkill blocks says so, and is on when it lets go' is_blocked

proof() { say radio prove; expect radio 10 '^proven'; }
case_is 'who asks for proof gets it' proof

restarts() {
    say radio restart
    expect radio 10 '^state resetting: restarted' && expect radio 20 '^state powered_on' && hears_more
}
case_is 'a restart on request begins from nothing' restarts

replugged() {
    air remove "$a" || return 1
    expect radio 10 '^state unsupported: hci0 was unplugged' || return 1
    # Another one takes its number, and ours comes back with the next.
    plug legacy $B || return 1
    b=$match
    [ "$(adapter $B)" = hci0 ] || { reason="$(hciconfig)"; return 1; }
    plug legacy $A || return 1
    a=$match
    expect radio 20 '^state powered_on' && expect radio 5 "^using monitor hci1 $A" && tag "$a" && hears_more
}
case_is 'an adapter that is unplugged and comes back under another number is followed' replugged

muted() {
    air mute "$a" 1 || return 1
    expect radio 20 '^state resetting: the controller does not answer' || return 1
    air mute "$a" 0 || return 1
    expect radio 60 '^state powered_on' && hears_more
}
case_is 'a controller that falls mute is noticed, and hears again when it answers' muted

refused() {
    air refuse "$a" 200b 0c || return 1
    say radio prove
    expect radio 20 '^state resetting: the controller refuses to scan, with 0x0c' || return 1
    air refuse "$a" 200b 0 || return 1
    expect radio 60 '^state powered_on' && hears_more
}
case_is 'a controller that refuses to scan is not taken for one that listens' refused

quiet() {
    silence "$a" || return 1
    expect radio 20 '^proven' && expect radio 20 '^proven' && never radio '^state' && tag "$a" && hears_more
}
case_is 'a quiet room is asked about, and is not taken for a dead radio' quiet

# ---- bluetoothd ----
daemon_starts() {
    start_bluetoothd || return 1
    hears_more && never radio '^state (unknown|resetting)' && scans 96 96
}
case_is 'bluetoothd starts, and hearing goes on' daemon_starts

daemon_discovers() {
    bluetoothctl --timeout 8 scan on >$work/discovery.log 2>&1 8<&- &
    local discovery=$!
    until_true 20 grep -q 'Discovery started' $work/discovery.log || return 1
    hears_more && hears_more && wait $discovery
    hears_more 30
}
case_is 'bluetoothd discovers and ends, and hearing goes on' daemon_discovers

daemon_stops() {
    kill $bluetoothd; wait $bluetoothd
    expect radio 20 '^state powered_off' && expect radio 30 '^state powered_on' && hears_more
}
case_is 'bluetoothd stops and switches the adapter off, and it is on again' daemon_stops

daemon_killed() {
    start_bluetoothd || return 1
    hears_more || return 1
    kill -9 $bluetoothd; wait $bluetoothd 2>/dev/null
    hears_more && hears_more && never radio '^state (unknown|resetting|powered_off)'
}
case_is 'bluetoothd is killed, and hearing goes on' daemon_killed

# ---- how much, and how it ends ----
flood() {
    silence "$a" && say radio reset_counts && expect radio 10 '^obeyed reset_counts' || return 1
    air flood "$a" 50000 5000 || return 1
    echo "# the air: $match"
    expect radio 20 '^heard 50000 distinct 50000 lost 0 '
}
case_is '5,000 advertisements a second for ten seconds, none lost' flood

overflow() {
    say radio reset_counts && expect radio 10 '^obeyed reset_counts' || return 1
    say radio deaf 6000
    air flood "$a" 20000 20000 || return 1
    expect radio 20 '^heard [1-9][0-9]* distinct [0-9]+ lost [1-9]' || return 1
    echo "# $match"
    set -- $match
    [ $(($2 + $6)) = 20000 ] && [ "$2" = "$4" ] || { reason="$match"; return 1; }
}
case_is 'an overflow is counted exactly: heard and lost make 20,000' overflow

ends() {
    quit radio || return 1
    until_true 5 doesnt_scan || return 1
    hciconfig "$(adapter $A)" | grep -q DOWN || { reason="$(hciconfig)"; return 1; }
}
case_is 'the end leaves no scan, and an adapter off that was off' ends

summary
