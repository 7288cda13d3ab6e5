# Every case of the radio and the transmitter, in one boot.
. ./lib.sh
A=00:AA:01:00:00:01

appears() {
    probe radio radio hci0
    expect radio 10 '^state unsupported: there is no adapter hci0' || return 1
    plug legacy $A || return 1
    a=$match
    expect radio 20 '^state powered_on: listening through the kernel' && expect radio 5 "^using monitor hci0 $A"
}
case_is 'an adapter that is missing at the start is used when it comes' appears

hears() { air beacon $a C0:11:22:33:44:51 -51 100 7 9 && expect radio 10 'C0:11:22:33:44:51 -51 .*/7/9 -59'; }
case_is 'an advertisement is heard with address, RSSI and measured power' hears

summary
