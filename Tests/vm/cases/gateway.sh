# Whatever happens to an adapter, as the topics of the broker tell it. The radio is the kernel's monitor.
BAGS=forgetmenot/regions/bags/kitchen

begins_without() {
    configure kitchen hci0
    gateway kitchen
    info kitchen 60 unsupported 'there is no adapter hci0' || return 1
    plug a legacy $A || return 1
    info kitchen 30 powered_on && [[ $match == *"\"source\":\"bluez:hci0\",\"interface\":\"monitor\",\"address\":\"$A\""* ]] &&
        expect kitchen 5 'The radio is powered_on: scanning through the kernel' && listens "$a" 96 96
}
case_is 'an ordinary user gateway begins without an adapter, uses the one that comes, and listens all of the time' begins_without

enters() {
    tag "$a" || return 1
    expect topics 20 "^$BEACONS/7/9/kitchen/event .*\"event_type\":\"enter\",\"id\":\"[^\"]*-1\",\"seq\":1,.*\"gateway\":\"kitchen\",\"room\":\"Kitchen\",\"uuid\":\"$UUID\",\"major\":7,\"minor\":9,\"regions\":\[\"bags\"\]" &&
        expect topics 20 "^$BAGS/state .*\"state\":\"inside\"" &&
        expect topics 20 "^$BEACONS/7/9/kitchen/proximity .*\"proximity\":\"immediate\",\"accuracy_m\":0\.3[0-9]*,\"rssi_dbm\":-51(\.0)?,.*\"sightings\":[1-9][0-9]*,\"measured_power_dbm\":-59,\"addresses\":1,"
}
case_is 'an iBeacon comes to the topics: its enter, its region, its proximity' enters

# The three that follow hold of every blindness: nothing is known, nobody left, and nobody comes again when it is over.
blind() {
    expect topics 30 "^$BEACONS/7/9/kitchen/proximity .*\"proximity\":\"unknown\"" &&
        expect topics 30 "^$BEACONS/7/9/kitchen/proximity \(null\)" && expect topics 5 "^$BAGS/state .*\"state\":\"unknown\"" &&
        info kitchen 5 "$1" "$2"
}
sees_again() {
    info kitchen 60 powered_on && expect topics 30 "^$BAGS/state .*\"state\":\"inside\"" && ranges kitchen 7 9 &&
        listens "$a" 96 96 && no_event kitchen
}
sees_on() {
    ranges kitchen 7 9 && until_true 20 listens "$a" 96 96 &&
        never_info kitchen '(unknown|resetting|powered_off|unsupported)' && no_event kitchen
}

# An adapter is switched on at most every ten seconds: cases that switch it off take turns with those that do not.
goes_down() { hciconfig hci0 down && blind powered_off 'hci0 was switched off' && sees_again; }
case_is 'an adapter that goes down: said to be off, nothing known meanwhile, no exit, and no second enter when it is up again' goes_down

# HCIDEVRESET of hci0.
is_reset() { perl -e 'socket(S, 31, 3, 1) && ioctl(S, 0x400448cb, 0) or die $!' && sees_on; }
case_is 'an adapter that another program has the kernel reset is heard through' is_reset

hardware_error() { air hardware_error "$a" 42 && blind powered_off && sees_again; }
case_is 'a hardware error is said, and healed' hardware_error

scan_off() { interfere "$a" $A 200c 00 00 && sees_on; }
case_is "another program's «scan off» is healed before the beacon counts as gone" scan_off

is_blocked() { rfkill_all 1 && blind powered_off && info kitchen 20 powered_off '.*blocked by rfkill' && rfkill_all 0 && sees_again; }
case_is 'rfkill that blocks the adapter is said, and the adapter is on when it lets go' is_blocked

reset_behind() { interfere "$a" $A 0c03 && sees_on; }
case_is "another program's HCI reset is healed before the beacon counts as gone" reset_behind

restarts() { ask kitchen radio/restart && blind resetting 'restarted on request' && sees_again; }
case_is 'a restart of the radio on request begins from nothing' restarts

refused() {
    air refuse "$a" 200b 0c && ask kitchen radio/restart && blind resetting || return 1
    info kitchen 20 resetting 'the controller refuses to scan, with 0x0c' && air refuse "$a" 200b 0 && sees_again
}
case_is 'a controller that refuses to scan is not taken for one that listens' refused

replugged() {
    air remove "$a" && blind '(powered_off|unsupported)' || return 1
    # What the kernel says first, that it is off or that it is gone, is chance.
    [[ $match == *unsupported* ]] || info kitchen 20 unsupported || return 1
    # Another one takes its number, and ours comes back with the next.
    plug b legacy $B || return 1
    [ "$(adapter $B)" = hci0 ] || { reason="$(hciconfig)"; return 1; }
    plug a legacy $A && tag "$a" && sees_again && [ "$(adapter $A)" = hci1 ] && listens_not "$b"
}
case_is 'an adapter that is unplugged and comes back under another number is followed by its address' replugged

muted() { air mute "$a" 1 && blind resetting 'the controller does not respond' && air mute "$a" 0 && sees_again; }
case_is 'a controller that falls mute is noticed, and heard again when it answers' muted

# Three silences at once, on three controllers.
silences_begin() {
    plug c legacy $C && tag "$b" && tag "$c" || return 1
    probe radio_b radio $B
    probe radio_c radio $C
    expect radio_b 30 '^heard' && expect radio_c 30 '^heard' && fresh topics && fresh radio_b && fresh radio_c || return 1
    silence "$a" || return 1
    interfere "$b" $B 200c 00 00 && interfere "$c" $C 0c03
}
case_is 'a room falls quiet, a radio is muted by «scan off», another by a reset' silences_begin

watchdog() { expect "$1" 30 '^proven' && fresh "$1" && expect "$1" 20 '^heard' && listens "$2" 96 96 && quit "$1"; }
scan_off_unknown() { watchdog radio_b "$b"; }
case_is "where no beacon was known, another program's «scan off» is healed after twelve seconds" scan_off_unknown
reset_unknown() { watchdog radio_c "$c" && air remove "$c"; }
case_is "where no beacon was known, another program's HCI reset is healed after twelve seconds" reset_unknown

quiet() {
    expect topics 60 "^$BEACONS/7/9/kitchen/event .*\"event_type\":\"exit\"" && expect topics 10 "^$BEACONS/7/9/kitchen/proximity \(null\)" &&
        never_info kitchen '(unknown|resetting|powered_off|unsupported)' && listens "$a" 96 96 && tag "$a" &&
        expect topics 20 "^$BEACONS/7/9/kitchen/event .*\"event_type\":\"enter\"" && ranges kitchen 7 9
}
case_is 'a quiet room is asked about, and not taken for a dead radio: what was there has left, and comes again' quiet

daemon_starts() { start_bluetoothd && sees_on; }
case_is 'bluetoothd starts, and hearing goes on' daemon_starts

daemon_discovers() {
    discover 8 && ranges kitchen 7 9 && discovery_ends && sees_on
}
case_is 'bluetoothd discovers and ends, and hearing goes on' daemon_discovers

daemon_stops() { kill $bluetoothd && blind powered_off && sees_again; }
case_is 'bluetoothd stops and switches the adapter off, and it is on again' daemon_stops

daemon_killed() {
    start_bluetoothd && ranges kitchen 7 9 || return 1
    kill -9 $bluetoothd; wait $bluetoothd 2>/dev/null
    sees_on
}
case_is 'bluetoothd is killed, and hearing goes on' daemon_killed

ends() {
    fresh topics
    stop kitchen && expect topics 10 "^$BEACONS/7/9/kitchen/proximity .*\"proximity\":\"unknown\"" &&
        expect topics 5 "^$BEACONS/7/9/kitchen/proximity \(null\)" && expect topics 5 '^forgetmenot/gateways/kitchen/availability offline' &&
        listens_not "$a" && no_event kitchen || return 1
    hciconfig "$(adapter $A)" | grep -q DOWN || { reason="$(hciconfig)"; return 1; }
}
case_is 'a stop: nothing is known any more, it is offline, nothing scans, and an adapter is off that was off' ends

# ---- how much ----
# counts NAME: what it counted is what the controller sent since $before. The marker that ends it has come through behind all else.
counts() {
    air flood "$a" 1 1000 3932160 && expect topics 90 "^$BEACONS/60/0/$1/event .*\"event_type\":\"enter\"" || return 1
    sent "$a" || return 1
    local expected=$((match - before))
    stop "$1" && expect topics 10 "^forgetmenot/gateways/$1/telemetry .*\"adverts\":" || return 1
    adverts=$(total adverts) lost=$(total lost_in_kernel)
    echo "# $adverts heard and $lost lost of $expected; processor $(total cpu_percent) %"
    [ $((adverts + lost)) = $expected ] || { reason="$expected were sent, telemetry says: $match"; return 1; }
}
# hears_nothing NAME: it runs, and nothing is in the air.
hears_nothing() {
    silence "$a" && configure "$1" $A && gateway "$1" && info "$1" 60 powered_on && sent "$a" && before=$match
}
flood() {
    hears_nothing flooded && air flood "$a" 50000 5000 || return 1
    echo "# the air: $match"
    counts flooded && [ "$lost" = 0 ]
}
case_is '5,000 advertisements a second for ten seconds: every one is in telemetry, none was lost' flood

overflow() {
    hears_nothing overflown && kill -STOP "${pid[overflown]}" && air flood "$a" 20000 20000 && kill -CONT "${pid[overflown]}" || return 1
    # It reads 2048 at once, and answers in between: after five answers its buffer, which holds 5,400, has room for the marker.
    for answer in 1 2 3 4 5; do
        ask overflown regions/state && expect topics 30 '^forgetmenot/gateways/overflown/response/regions/state' || return 1
    done
    counts overflown && [ "$lost" -gt 0 ]
}
case_is 'an overflow is counted exactly: heard and lost together are what was sent' overflow
