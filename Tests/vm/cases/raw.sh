# The raw socket, where there is no monitor; and the user channel, for a dongle that nobody else uses.
listens_raw() {
    probe radio radio "$A" interface=raw
    expect radio 30 "^state powered_on: scanning through the raw socket, $1 scan" && expect radio 5 '^using raw' && hears_more && listens "$a" 96 96
}
raw_legacy() { plug a legacy $A && tag "$a" && listens_raw legacy; }
case_is 'the raw socket hears through a legacy controller' raw_legacy

raw_scan_off() {
    interfere "$a" $A 200c 00 00 || return 1
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
    expect radio 20 '^state resetting: .*no response' || return 1
    air mute "$a" 0 || return 1
    expect radio 60 '^state powered_on' && hears_more
}
case_is 'through the raw socket a controller that falls mute is noticed, and hears again' raw_muted

raw_unplugged() {
    air remove "$a" || return 1
    expect radio 10 '^state unsupported' || return 1
    plug a strict $A || return 1
    tag "$a" && expect radio 30 '^state powered_on: scanning through the raw socket, extended scan' && hears_more && listens "$a" 96 96
}
case_is 'through the raw socket it is followed, and a strict extended controller is heard' raw_unplugged

raw_discovery() {
    start_bluetoothd || return 1
    discover 6 && hears_more && discovery_ends && hears_more && hears_more && never radio '^state (unknown|resetting)'
    local status=$?
    # Whatever the outcome: with a daemon left behind, the cases after this one would fail, too.
    kill -9 $bluetoothd; wait $bluetoothd 2>/dev/null
    return $status
}
case_is "through the raw socket bluetoothd's discovery comes and goes, and hearing goes on" raw_discovery

raw_ends() { quit radio && until_true 5 listens_not "$a"; }
case_is 'the end of the raw scan is off' raw_ends

user_channel() {
    probe radio radio $A interface=user
    expect radio 30 '^state powered_on: scanning through the user channel' && hears_more && listens "$a" 96 96 || return 1
    hciconfig "$(adapter $A)" down 2>/dev/null && { reason='somebody else could switch it off'; return 1; }
    air hardware_error "$a" 42
    expect radio 20 '^state resetting: hardware error 0x42' && expect radio 20 '^state powered_on' && hears_more || return 1
    air mute "$a" 1 || return 1
    expect radio 20 '^state resetting: .*no response' && air mute "$a" 0 && expect radio 60 '^state powered_on' && hears_more && quit radio
}
case_is 'the user channel hears alone, and heals a hardware error and a mute controller' user_channel

