# Being a beacon: sent by one controller, heard by a gateway on another.
transmits() { start beacon allowed +net_admin,+net_raw $work/BlueZProbe transmit "$1" 300 4000 "${@:2}"; }

# relay KIND
relay() {
    plug a "$1" $A && plug b "$1" $B && air distance "$a" -63 && configure garden $A && gateway garden && info garden 60 powered_on &&
        transmits $B && expect beacon 30 '^state powered_on: advertising' || return 1
    expect topics 30 "^$BEACONS/300/4000/garden/event .*\"event_type\":\"enter\"" &&
        expect topics 20 "^$BEACONS/300/4000/garden/proximity .*\"rssi_dbm\":-63(\.0)?,.*\"measured_power_dbm\":-59" && sends "$b" 160
}
relay_legacy() { relay legacy; }
case_is 'a beacon sent by one legacy controller comes, by another, to the topics' relay_legacy

goes_on() { ranges garden 300 4000 && sends "$b" 160; }
sender_down() { hciconfig "$(adapter $B)" down && expect beacon 20 '^state powered_off' && expect beacon 30 '^state powered_on' && goes_on; }
case_is 'the beacon follows power off and on' sender_down

sender_unplugged() {
    air remove "$b" && expect beacon 20 '^state unsupported' && plug b legacy $B && expect beacon 30 '^state powered_on' && goes_on
}
case_is 'the beacon follows its adapter when that is plugged in again' sender_unplugged

sender_with_daemon() {
    start_bluetoothd && goes_on && kill $bluetoothd || return 1
    # At once, or ten seconds after it was last switched on.
    expect beacon 20 '^state powered_off' && expect beacon 30 '^state powered_on' && goes_on
}
case_is 'bluetoothd starts, and stops, and the beacon goes on' sender_with_daemon

sender_removed() {
    # Its standard input must be open, or it waits for ever.
    timeout 10 btmgmt --index "$(adapter $B)" clr-adv <&8 >$work/btmgmt.log 2>&1
    grep -q 'Instance removed' $work/btmgmt.log || { reason="btmgmt says: $(<$work/btmgmt.log)"; return 1; }
    expect beacon 20 '^state powered_on: another program removed the advertisement; it is back' && goes_on
}
case_is 'an advertisement that another program removes is sent again' sender_removed

sender_ends() {
    quit beacon && stop garden && air status "$b" && [[ $match == *' advertising 0 '* ]] || { reason+="$match"; return 1; }
}
case_is 'the end of the beacon is silence' sender_ends

relay_strict() { unplug_all && relay strict && quit beacon && stop garden; }
case_is 'a beacon sent by one strict extended controller comes, by another, to the topics' relay_strict

both_on_one() {
    probe radio radio $B
    expect radio 20 '^state powered_on' && transmits $B interval_ms=250 && expect beacon 20 '^state powered_on' &&
        sends "$b" 400 && tag "$b" && hears_more && listens "$b" 96 96 && quit beacon &&
        hears_more && never radio '^state (unknown|resetting)' && quit radio
}
case_is 'one controller sends and hears at the same time' both_on_one
