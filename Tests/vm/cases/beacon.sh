# Being a beacon: sent by one controller, heard by a gateway on another.
transmits() {
    start beacon as_user $work/forgetmenot-gateway transmit --uuid $UUID --major 300 --minor 4000 --adapter $B "$@"
    transmitting 60
}
transmitting() { expect beacon "${1:-30}" "^transmitting $UUID/300/4000, -59 dBm at 1 m, every [0-9]+ms by hci[0-9]"; }

# relay KIND
relay() {
    plug a "$1" $A && plug b "$1" $B && air distance "$a" -63 && configure garden $A && gateway garden && info garden 60 powered_on &&
        transmits || return 1
    expect topics 30 "^$BEACONS/300/4000/garden/event .*\"event_type\":\"enter\"" &&
        expect topics 20 "^$BEACONS/300/4000/garden/proximity .*\"rssi_dbm\":-63(\.0)?,.*\"measured_power_dbm\":-59" && sends "$b" 160
}
relay_legacy() { relay legacy; }
case_is 'an iBeacon sent by one legacy controller comes, by another, to the topics' relay_legacy

goes_on() { ranges garden 300 4000 && sends "$b" 160; }
sender_down() { hciconfig "$(adapter $B)" down && expect beacon 20 'the adapter is powered_off' && transmitting && goes_on; }
case_is 'the beacon follows power off and on' sender_down

sender_silenced() { interfere "$b" $B 200a 00 && until_true 20 sends "$b" 160 && goes_on; }
sends_not() { air status "$1" && [[ $match == *' advertising 0 '* ]]; }
case_is "another program's «advertise off» is undone" sender_silenced

sender_unplugged() {
    air remove "$b" && expect beacon 20 'the adapter is unsupported' && plug b legacy $B && transmitting && goes_on
}
case_is 'the beacon follows its adapter when that is plugged in again' sender_unplugged

sender_with_daemon() {
    start_bluetoothd && goes_on && kill $bluetoothd || return 1
    # At once, or ten seconds after it was last switched on.
    expect beacon 20 'the adapter is powered_off' && transmitting && goes_on
}
case_is 'bluetoothd starts, and stops, and the beacon goes on' sender_with_daemon

sender_removed() {
    # Its standard input must be open, or it waits for ever.
    timeout 10 btmgmt --index "$(adapter $B)" clr-adv <&8 >$work/btmgmt.log 2>&1
    grep -q 'Instance removed' $work/btmgmt.log || { reason="btmgmt says: $(<$work/btmgmt.log)"; return 1; }
    until_true 20 sends "$b" 160 && goes_on
}
case_is 'an advertisement that another program removes is sent again' sender_removed

sender_ends() {
    stop beacon && sends_not "$b" && stop garden || return 1
    hciconfig "$(adapter $B)" | grep -q DOWN || { reason="$(hciconfig)"; return 1; }
}
case_is 'the end of the beacon is silence, and an adapter off that was off' sender_ends

relay_strict() { unplug_all && relay strict && stop beacon; }
case_is 'an iBeacon sent by one strict extended controller comes, by another, to the topics' relay_strict

both_on_one() {
    configure porch $B '[beacon]' "uuid = \"$UUID\"" 'major = 300' 'minor = 4000' 'interval = "250ms"'
    gateway porch && tag "$b" && ranges porch 7 9 90 && ranges garden 300 4000 && sends "$b" 400 && listens "$b" 96 96 &&
        hciconfig "$(adapter $B)" down && info porch 20 powered_off && info porch 30 powered_on &&
        ranges porch 7 9 && ranges garden 300 4000 && sends "$b" 400 && stop porch && sends_not "$b" && listens_not "$b" && stop garden
}
case_is 'a gateway with [beacon] sends and hears by one controller, and another gateway hears it' both_on_one
