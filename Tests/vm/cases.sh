# Every case of the radio and the transmitter, in one boot.
. ./lib.sh
A=00:AA:01:00:00:01 B=00:AA:01:00:00:02
TAG=C0:11:22:33:44:51
# A beacon that controller N hears ten times a second.
tag() { air beacon "$1" $TAG -51 100 7 9; }
silence() { air beacon "$1" $TAG 0 0 0 0; }
# More is heard than was so far.
hears_more() { fresh radio; expect radio "${1:-20}" '^heard' && expect radio "${1:-20}" '^heard'; }
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

is_reset() { hciconfig hci0 reset && hears_more && scans 96 96; }
case_is 'an adapter that another program has the kernel reset is heard through' is_reset

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

# Three silences of twelve seconds at once, on three controllers.
C=00:AA:01:00:00:03
silences_begin() {
    plug legacy $C || return 1
    c=$match
    tag "$b" && tag "$c" || return 1
    probe radio_b radio $B
    probe radio_c radio $C
    expect radio_b 20 '^heard' && expect radio_c 20 '^heard' && fresh radio && fresh radio_b && fresh radio_c || return 1
    silence "$a" || return 1
    hcitool -i "$(adapter $B)" cmd 0x08 0x000c 00 00 >/dev/null
    hcitool -i "$(adapter $C)" cmd 0x03 0x0003 >/dev/null
    a=$b until_true 5 doesnt_scan && a=$c until_true 5 doesnt_scan
}
case_is 'a radio is muted by «scan off», another by a reset, a third by a quiet room' silences_begin

scan_off() { expect radio_b 20 '^proven' && fresh radio_b && expect radio_b 10 '^heard' && a=$b scans 96 96 && quit radio_b; }
case_is "another program's «scan off» is healed after twelve seconds of silence" scan_off

reset_behind() { expect radio_c 20 '^proven' && fresh radio_c && expect radio_c 10 '^heard' && a=$c scans 96 96 && quit radio_c; }
case_is "another program's HCI reset is healed after twelve seconds of silence" reset_behind

quiet() {
    expect radio 20 '^proven' && expect radio 20 '^proven' && never radio "^state" &&
        tag "$a" && hears_more && air remove "$c"
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
    expect radio 30 '^heard 50000 distinct 50000 lost 0 '
}
case_is '5,000 advertisements a second for ten seconds, none lost' flood

overflow() {
    say radio reset_counts && expect radio 10 '^obeyed reset_counts' || return 1
    say radio deaf 6000
    air flood "$a" 20000 20000 || return 1
    local end=$((SECONDS + 30))
    while [ $SECONDS -lt $end ]; do
        expect radio 30 '^heard [0-9]+ distinct [0-9]+ lost [1-9]' || return 1
        set -- $match
        # heard TOTAL distinct DISTINCT lost LOST
        [ $(($2 + $6)) = 20000 ] && [ "$2" = "$4" ] && break
    done
    echo "# ${match% last*}"
    [ $(($2 + $6)) = 20000 ] && [ "$2" = "$4" ]
}
case_is 'an overflow is counted exactly: heard and lost together are what was sent' overflow

ends() {
    quit radio || return 1
    until_true 5 doesnt_scan || return 1
    hciconfig "$(adapter $A)" | grep -q DOWN || { reason="$(hciconfig)"; return 1; }
}
case_is 'the end leaves no scan, and an adapter off that was off' ends

half_duty() {
    tag "$a" || return 1
    probe radio radio $A window_ms=30 interval_ms=100
    expect radio 20 '^state powered_on' && scans 160 48 && hears_more && quit radio
}
case_is 'it listens as often and as long as configured' half_duty

killed() {
    for round in 1 2 3; do
        probe radio radio $A
        expect radio 20 '^state powered_on' && hears_more || return 1
        forget radio
    done
    probe radio radio $A
    expect radio 20 '^state powered_on' && hears_more && quit radio
}
case_is 'what killed predecessors left behind hinders nobody' killed

# ---- the raw socket and the user channel ----
listens_raw() {
    probe radio radio "$A" interface=raw
    expect radio 30 "^state powered_on: listening through the raw socket, $1 scan" && expect radio 5 '^using raw' && hears_more && scans 96 96
}
raw_legacy() { listens_raw legacy; }
case_is 'the raw socket hears through a legacy controller' raw_legacy

raw_scan_off() {
    hcitool -i "$(adapter $A)" cmd 0x08 0x000c 00 00 >/dev/null
    until_true 5 doesnt_scan || return 1
    expect radio 20 '^proven' && hears_more
}
case_is "through the raw socket another program's «scan off» is healed" raw_scan_off

raw_down() {
    hciconfig "$(adapter $A)" down
    expect radio 20 '^state powered_off' && expect radio 30 '^state powered_on' && hears_more
}
case_is 'through the raw socket an adapter that goes down is up again' raw_down

raw_hardware_error() {
    air hardware_error "$a" 42
    expect radio 20 '^state powered_off' && expect radio 30 '^state powered_on' && hears_more
}
case_is 'through the raw socket a hardware error is survived' raw_hardware_error

raw_muted() {
    air mute "$a" 1 || return 1
    expect radio 20 '^state resetting: .*no answer' || return 1
    air mute "$a" 0 || return 1
    expect radio 60 '^state powered_on' && hears_more
}
case_is 'through the raw socket a controller that falls mute is noticed, and hears again' raw_muted

raw_unplugged() {
    air remove "$a" || return 1
    expect radio 10 '^state unsupported: .* was unplugged' || return 1
    plug strict $A || return 1
    a=$match
    tag "$a" && expect radio 30 '^state powered_on: listening through the raw socket, extended scan' && hears_more && scans 96 96
}
case_is 'through the raw socket it is followed, and a strict extended controller is heard' raw_unplugged

raw_discovery() {
    start_bluetoothd || return 1
    bluetoothctl --timeout 6 scan on >$work/discovery.log 2>&1 8<&- &
    local discovery=$!
    until_true 20 grep -q 'Discovery started' $work/discovery.log && hears_more && wait $discovery && hears_more &&
        hears_more && never radio '^state (unknown|resetting)' && kill -9 $bluetoothd
}
case_is "through the raw socket bluetoothd's discovery comes and goes, and hearing goes on" raw_discovery

raw_ends() { quit radio && until_true 5 doesnt_scan; }
case_is 'the end of the raw scan is off' raw_ends

user_channel() {
    probe radio radio $A interface=user
    expect radio 30 '^state powered_on: listening through the user channel' && hears_more && scans 96 96 || return 1
    hciconfig "$(adapter $A)" down 2>/dev/null && { reason='somebody else could switch it off'; return 1; }
    air hardware_error "$a" 42
    expect radio 20 '^state resetting: hardware error 0x42' && expect radio 20 '^state powered_on' && hears_more || return 1
    air mute "$a" 1 || return 1
    expect radio 20 '^state resetting: .*no answer' && air mute "$a" 0 && expect radio 60 '^state powered_on' && hears_more && quit radio
}
case_is 'the user channel hears alone, and heals a hardware error and a mute controller' user_channel

# ---- what it may ----
hciconfig "$(adapter $A)" up
nothing_allowed() {
    start radio allowed '' $work/BlueZProbe radio $A
    expect radio 20 '^state unauthorized: .*CAP_NET_ADMIN is missing: .*setcap cap_net_admin,cap_net_raw\+ep /run/vm/BlueZProbe' && quit radio
}
case_is 'without capabilities it says which one is missing, and how to grant it' nothing_allowed

administration_allowed() {
    start radio allowed +net_admin $work/BlueZProbe radio $A
    expect radio 20 '^state powered_on: listening through the kernel' && hears_more && scans 96 96 && quit radio
}
case_is 'an ordinary user with CAP_NET_ADMIN hears through the monitor' administration_allowed

raw_allowed() {
    hciconfig "$(adapter $A)" up
    start radio allowed +net_raw $work/BlueZProbe radio $A
    expect radio 20 '^state powered_on: listening through the raw socket, extended scan \(.*CAP_NET_ADMIN is missing' &&
        hears_more && scans 96 96 && quit radio
}
case_is 'an ordinary user with CAP_NET_RAW alone hears through the raw socket, and says why' raw_allowed

raw_allowed_off() {
    hciconfig "$(adapter $A)" down
    start radio allowed +net_raw $work/BlueZProbe radio $A interface=raw
    expect radio 20 '^state powered_off: hci[0-9]* is off: .*CAP_NET_ADMIN is missing' || return 1
    hciconfig "$(adapter $A)" up
    expect radio 20 '^state powered_on' && hears_more && quit radio
}
case_is 'one that may not switch the adapter on says so, and waits for somebody who may' raw_allowed_off

raw_forbidden() {
    start radio allowed +net_admin $work/BlueZProbe radio $A interface=raw
    expect radio 20 '^state unauthorized: .*CAP_NET_RAW is missing' && quit radio
}
case_is 'the raw socket without CAP_NET_RAW says so' raw_forbidden

both_allowed() {
    start radio allowed +net_admin,+net_raw $work/BlueZProbe radio $A interface=raw
    expect radio 20 '^state powered_on' && hears_more && quit radio
}
case_is 'an ordinary user with both hears through the raw socket' both_allowed

report() {
    allowed '' $work/BlueZProbe report "$A" >$work/report.log && grep -q "^adapter hci[0-9]* $A" $work/report.log &&
        grep -q '^low_energy true powered true' $work/report.log && grep -q '^rfkill soft false hard false' $work/report.log &&
        grep -q '^monitor unknown' $work/report.log && $work/BlueZProbe report "$A" >$work/report.log &&
        grep -q '^monitor true filter false' $work/report.log && grep -q 'CAP_NET_ADMIN CAP_NET_RAW' $work/report.log ||
        { reason=$(sed 's/^/# /' $work/report.log); return 1; }
}
case_is 'what doctor needs to know is there, with and without capabilities' report

# ---- being a beacon ----
# relay KIND: a radio on one controller hears a transmitter on another.
relay() {
    air remove "$a" && air remove "$b" && plug "$1" $A || return 1
    a=$match
    plug "$1" $B || return 1
    b=$match
    air distance "$a" -63 || return 1
    probe radio radio $A
    probe beacon transmit $B 300 4000
    expect beacon 30 '^state powered_on: advertising' && expect radio 30 '^state powered_on' &&
        expect radio 20 '[0-9A-F:]{17} -63 00112233-4455-6677-8899-aabbccddeeff/300/4000 -59' && sends_every 160
}
sends_every() {
    air status "$b" || return 1
    [[ $match == *" advertising 1 every $1" ]] || { reason="the controller says: $match"; return 1; }
}
relay_legacy() { relay legacy; }
case_is 'a beacon sent by one legacy controller is heard by another' relay_legacy

goes_on() { fresh radio; expect radio "${1:-20}" '/300/4000' && expect radio 20 '/300/4000'; }
sender_down() {
    hciconfig "$(adapter $B)" down
    expect beacon 20 '^state powered_off' && expect beacon 30 '^state powered_on' && goes_on && sends_every 160
}
case_is 'the beacon follows power off and on' sender_down

sender_unplugged() {
    air remove "$b" && expect beacon 20 '^state unsupported' && plug legacy $B || return 1
    b=$match
    expect beacon 30 '^state powered_on' && goes_on
}
case_is 'the beacon follows its adapter when that is plugged in again' sender_unplugged

sender_with_daemon() {
    start_bluetoothd || return 1
    goes_on && sends_every 160 || return 1
    kill $bluetoothd; wait $bluetoothd
    # At once, or ten seconds after it was last switched on.
    expect beacon 20 '^state powered_off' && expect beacon 30 '^state powered_on' && goes_on && sends_every 160
}
case_is 'bluetoothd starts, and stops, and the beacon goes on' sender_with_daemon

sender_removed() {
    # Its standard input must be open, or it waits for ever.
    timeout 10 btmgmt --index "$(adapter $B)" clr-adv <&8 >$work/btmgmt.log 2>&1
    grep -q 'Instance removed' $work/btmgmt.log || { reason="btmgmt says: $(<$work/btmgmt.log)"; return 1; }
    expect beacon 20 '^state powered_on: another program removed the advertisement; it is back' && goes_on && sends_every 160
}
case_is 'an advertisement that another program removes is sent again' sender_removed

sender_ends() {
    quit beacon && quit radio || return 1
    air status "$b" && [[ $match == *' advertising 0 '* ]] || { reason=$match; return 1; }
}
case_is 'the end of the beacon is silence' sender_ends

relay_strict() { relay strict; }
case_is 'a beacon sent by one strict extended controller is heard by another' relay_strict

both_on_one() {
    quit beacon && quit radio || return 1
    probe radio radio $B
    expect radio 20 '^state powered_on' || return 1
    probe beacon transmit $B 300 4000 interval_ms=250
    expect beacon 20 '^state powered_on' && sends_every 400 && tag "$b" && hears_more && a=$b scans 96 96 && quit beacon &&
        hears_more && never radio '^state (unknown|resetting)' && quit radio
}
case_is 'one controller sends and hears at the same time' both_on_one

# The way through the gateway and a broker belongs here: `relay` with `start gateway $work/forgetmenot-gateway run --config ...` in the place of
# the radio, and what mosquitto_sub prints held against contract.md by `expect`; then record, replay, and equal events. `run` builds and
# copies the program as it does the probe.

summary
