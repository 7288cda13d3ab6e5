# What happens in the arm64 machines of `pi`: VM_CASES is the job.
. ./lib.sh
. ./systemd.sh
# An emulator is slow.
patience=20
blocks=$work/blocks
. Tests/install/blocks.sh
# A Debian that believes the repository's certificate. What apt asks, its user agrees to.
mkdir -p /etc/ssl/certs && cp certificate /etc/ssl/certs/ca-certificates.crt
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/test
anna() { run runuser -l anna -c "set -eo pipefail; $1"; }
# By a signal of this moment.
keys_are_in() { anna "forgetmenot where Keys | grep -E ' $1 .* now *$'"; }
gateway_is() { anna "forgetmenot gateways | grep -E '^$1 .* $2 '"; }
# The radio of this machine, and a tag beside it.
hardware() { plug a legacy "$1" && tag "$a"; }

installs() { local lines; lines=$(block 'sources.list.d') && anna "$lines"; }
sets_up() {
    local line unit
    line=$(block 'forgetmenot setup$') && anna "$line --user anna --room Kitchen --yes" || return 1
    for unit in mosquitto forgetmenot forgetmenot-gateway; do comes $unit ActiveState active || return 1; done
}
nearby() { until_true 60 anna "forgetmenot nearby | grep '  7  '"; }
names() { local lines; lines=$(block 'items add Keys --nearest') && anna "$lines" && until_true 60 keys_are_in Kitchen; }

# add NAME MINOR: an item, and its power is cut in this moment.
add() { anna "forgetmenot items add $1 --uuid 00112233-4455-6677-8899-aabbccddeeff --major 7 --minor $2"; }
power() { echo ready; sleep infinity; }
# comes_back ITEM...: by itself, with these items, in the time since the kernel started.
comes_back() {
    local item
    until_true 120 gateway_is kitchen working || return 1
    echo "# the gateway is online $(cut -d ' ' -f 1 /proc/uptime) s after the kernel started, in an emulator"
    for item; do anna "forgetmenot items | grep '^$item '" || return 1; done
    hardware $A && until_true 120 keys_are_in Kitchen
}

# invites ROOM: the line for a card, while the invitation waits for it.
invites() {
    runuser -l anna -c "sudo forgetmenot gateways invite $1 --valid 2h" >$work/invite.log 2>&1 8<&- &
    until_true 60 grep -q ' join ' $work/invite.log
}
joins() { until_true 600 gateway_is "${1,,}" working && until_true 60 grep "$1 has its configuration" $work/invite.log; }
no_code() { [ ! -e /boot/firmware/forgetmenot/line ] && [ ! -e /etc/systemd/system/forgetmenot-first-boot.service ]; }
becomes_gateway() { until_true 600 test -e /etc/forgetmenot/gateway.toml && comes forgetmenot-gateway ActiveState active && until_true 60 no_code; }

case $VM_CASES in
installs)
    hardware $A
    case_is "README's lines install both packages from a signed repository" installs
    case_is "README's setup starts the broker, the aggregator and the gateway" sets_up
    case_is "the beacon of a tag arrives at the broker" nearby
    case_is "README's lines name the tag, and the keys are in the kitchen" names
    case_is 'an item is added in the moment before the power is cut' add Bag 10
    power
    ;;
back)
    case_is 'after a power cut, all is back, the keys are in the kitchen, and the bag is known' comes_back Keys Bag
    case_is 'another item is added in the moment before the power is cut' add Violin 11
    power
    ;;
invites)
    case_is 'after a second power cut, all is back again, and the violin is known as well' comes_back Keys Bag Violin
    case_is 'an invitation to the hall prints the line for a card' invites Hall
    echo "line $(grep ' join ' $work/invite.log)"
    case_is 'the machine with that card joins by itself at its first start' joins Hall
    echo joined
    case_is 'when that machine loses its power, its gateway is offline' until_true 300 gateway_is hall offline
    echo lost
    case_is '... and when the power is back, its gateway is online' until_true 600 gateway_is hall working
    echo back
    ;;
card)
    hardware $B
    case_is 'the gateway runs, and neither the code nor the service of the first start remains' becomes_gateway
    power
    ;;
esac
