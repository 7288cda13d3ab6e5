# The packages and their units under systemd, from the first installation to the purge, with the kernel's Bluetooth behind the sandbox:
# make units-test. The guest's root is the host's, but for what is installed here.
. ./lib.sh
UUID=00112233-4455-6677-8899-aabbccddeeff
etc=/etc/forgetmenot
rm -rf $etc /var/lib/forgetmenot* /etc/mosquitto/conf.d/forgetmenot.conf

. ./systemd.sh

# What dpkg reads before anything else, a thousand files of the host's, comes in one.
tar xf $work/dpkg.tar -C /
# Nor shall a new page let it read all manuals of the host's.
rm -f /var/lib/man-db/auto-update
installs() {
    run dpkg -i $work/*.deb && ! systemctl is-active -q forgetmenot forgetmenot-gateway &&
        ! systemctl is-enabled -q forgetmenot forgetmenot-gateway
}
unit_case 'the packages install, and start nothing that was not set up' installs

exposed() {
    local unit
    for unit in forgetmenot.service forgetmenot-gateway.service forgetmenot-gateway@hci1.service; do
        run systemd-analyze security --no-pager --threshold=20 $unit || return 1
    done
}
unit_case 'this systemd rates each unit at 2.0 or less' exposed

lock_broker() {
    run sh -c "forgetmenot broker-setup --gateway Kitchen --gateway Hall --user anna --bind 127.0.0.1 >$work/lines" || return 1
    run sh -c "$(sed -n 's/^  \(sudo ln .*\)/\1/p' $work/lines | sed 's/sudo //g')" && comes mosquitto ActiveState active || return 1
    run sh -c "$(sed -n 's/^  \(.*config\/forgetmenot.*\)/\1/p' $work/lines | sed 's/sudo //g')" || return 1
    start topics mosquitto_sub -h 127.0.0.1 -p 1883 -u anna -P "$(cat $HOME/.config/forgetmenot/forgetmenot.password)" -v -t 'forgetmenot/#' -i witness-$RANDOM
}
unit_case "broker-setup's lines lock Debian's own mosquitto.service" lock_broker

aggregates() {
    cat >>$etc/aggregator.toml <<END

[[item]]
name = "Bag"
uuid = "$UUID"
major = 7
minor = 9
END
    run systemctl enable --now forgetmenot && comes forgetmenot ActiveState active && told forgetmenot 'Connected to the broker' &&
        expect topics 30 '^forgetmenot/registry/manifest .*"items":\["bag"\]'
}
unit_case 'the aggregator starts, and its password reaches it: the locked broker lets it in' aggregates

gateway_line() { sed -n "s/^  sudo \(cat .*\)| sudo \(forgetmenot-gateway setup --id $1 .*\)$/\1| \2/p" $work/lines; }
sets_up() {
    plug a legacy $A && tag "$a" || return 1
    run sh -c "$(gateway_line kitchen) --source bluez:$A" && comes forgetmenot-gateway ActiveState active &&
        is forgetmenot-gateway UnitFileState enabled
}
unit_case "the gateway's line sets it up and starts it, now and at every boot" sets_up

hears() {
    expect topics 60 '^forgetmenot/gateways/kitchen/info .*"interface":"monitor".*"state":"powered_on"' || return 1
    # On a slow machine the tag may enter before info says so.
    mark[topics]=0
    listens "$a" 96 96 && expect topics 60 "^forgetmenot/beacons/$UUID/7/9/kitchen/event .*\"event_type\":\"enter\"" &&
        until_true 30 sh -c 'forgetmenot where Bag | grep -q Kitchen'
}
unit_case "in its cage it hears by the kernel's monitor, and the bag is in the kitchen" hears

says_so() {
    until_true 20 sh -c 'systemctl show -P StatusText forgetmenot-gateway | grep -q "^Receives 1 beacon in Kitchen; connected to"' &&
        until_true 20 sh -c 'systemctl show -P StatusText forgetmenot | grep -q "."' || { reason="$(property forgetmenot-gateway StatusText) / $(property forgetmenot StatusText)"; return 1; }
    echo "# $(property forgetmenot-gateway StatusText)"
    echo "# $(property forgetmenot StatusText)"
    echo "# memory: gateway $(($(property forgetmenot-gateway MemoryCurrent) / 1024)) kB, aggregator $(($(property forgetmenot MemoryCurrent) / 1024)) kB"
}
unit_case 'systemctl status tells in a sentence how each fares' says_so

confined() {
    local unit process
    for unit in forgetmenot forgetmenot-gateway; do
        process=$(property $unit MainPID)
        grep -q '^Seccomp:.*2' /proc/$process/status && grep -q '^NoNewPrivs:.*1' /proc/$process/status || { reason="$unit: $(cat /proc/$process/status)"; return 1; }
        [ "$(stat -c %U%a /proc/$process/root/var/lib/$unit)" = ${unit}750 ] || { reason="$(ls -ld /var/lib/$unit)"; return 1; }
        grep -q '^Max core file size  *0  *0 ' /proc/$process/limits || { reason="$unit: $(grep core /proc/$process/limits)"; return 1; }
        # The password is the service's alone, and stands in neither its environment nor its arguments.
        ! runuser -u nobody -- sh -c "cat /run/credentials/$unit.service/* $etc/*.password" 2>/dev/null | grep -q . || { reason="$unit: nobody reads the password"; return 1; }
        ! tr '\0' '\n' </proc/$process/environ | grep -qF "$(cat $etc/*gator.password)" || { reason="$unit: the password is in the environment"; return 1; }
    done
    grep -q '^CapEff:.*0000000000003000' /proc/"$(property forgetmenot-gateway MainPID)"/status &&
        grep -q '^CapEff:.*0000000000000000' /proc/"$(property forgetmenot MainPID)"/status
}
unit_case 'each is confined: filtered calls, its own folder, two capabilities or none, and a password that nobody else reads' confined

reloads() {
    local gateway aggregator
    gateway=$(property forgetmenot-gateway MainPID) aggregator=$(property forgetmenot MainPID)
    sed -i 's/^room = .*/room = "Larder"/' $etc/gateway.toml
    printf '[[item]]\nname = "Hat"\nuuid = "%s"\nmajor = 7\nminor = 10\n' $UUID >>$etc/aggregator.toml
    run systemctl reload forgetmenot-gateway && run systemctl reload forgetmenot || return 1
    expect topics 30 '^forgetmenot/registry/manifest .*"hat"' || return 1
    fresh topics
    expect topics 60 '^forgetmenot/gateways/kitchen/info .*"room":"Larder"' &&
        is forgetmenot-gateway MainPID "$gateway" && is forgetmenot MainPID "$aggregator" || return 1
    sed -i 's/^host = .*/host = "nowhere.invalid"/' $etc/gateway.toml
    run systemctl reload forgetmenot-gateway && told forgetmenot-gateway '\[mqtt\] changed.*next start' || return 1
    sed -i 's/^host = .*/host = "localhost"/; s/^room = .*/room = "Kitchen"/' $etc/gateway.toml
    run systemctl reload forgetmenot-gateway
}
unit_case 'a reload takes up a room and an item without a restart, and says what has to wait for one' reloads

stops() {
    fresh topics
    local before=${EPOCHREALTIME/./}
    run systemctl stop forgetmenot-gateway && echo "# stopped within $(((${EPOCHREALTIME/./} - before) / 1000)) ms, of an emulated machine" &&
        expect topics 10 '^forgetmenot/gateways/kitchen/availability offline' && is forgetmenot-gateway Result success || return 1
    listens_not "$a" || { reason="controller a says: $match"; return 1; }
    run systemctl start forgetmenot-gateway && until_true 60 listens "$a" 96 96
}
# Before the kills: the kernel goes on with the monitor of a gateway that was killed.
unit_case 'a stop is clean: offline is said, and nothing scans' stops

stuck() {
    local process
    process=$(property "$1" MainPID)
    kill -STOP "$process"
    told "$1" 'Watchdog timeout' 60 && comes "$1" NRestarts 1 && comes "$1" ActiveState active && ! is "$1" MainPID "$process" &&
        told "$1" 'Connected to the broker'
}
gateway_stuck() { stuck forgetmenot-gateway && until_true 60 listens "$a" 96 96; }
unit_case 'a gateway that is stuck is killed by the watchdog, comes back, and hears' gateway_stuck
aggregator_stuck() { stuck forgetmenot && until_true 30 sh -c 'forgetmenot where Bag | grep -q Kitchen'; }
unit_case 'so is an aggregator, and it knows where the bag is' aggregator_stuck

second() {
    plug b legacy $B || return 1
    # From the file that is shipped, as a person would.
    dpkg-deb --fsys-tarfile $work/forgetmenot-gateway_*.deb | tar xO ./usr/share/forgetmenot-gateway/gateway.toml |
        sed 's/^#*state_directory = .*/state_directory = "\/var\/lib\/forgetmenot-gateway-hci1"/' >$etc/gateway@hci1.toml
    run sh -c "$(gateway_line hall | sed "s,setup,setup --config $etc/gateway@hci1.toml,") --source bluez:$B" &&
        comes forgetmenot-gateway@hci1 ActiveState active && expect topics 60 '^forgetmenot/gateways/hall/info .*"state":"powered_on"' &&
        listens "$b" 96 96 && listens "$a" 96 96
}
unit_case 'a second adapter has a gateway of its own beside the first' second

wrong() {
    sed -i 's/^room = .*/room = 5/' $etc/gateway@hci1.toml
    systemctl restart forgetmenot-gateway@hci1 2>/dev/null
    comes forgetmenot-gateway@hci1 ActiveState failed && is forgetmenot-gateway@hci1 ExecMainStatus 78 && is forgetmenot-gateway@hci1 NRestarts 0
}
unit_case 'a wrong configuration is not started again and again' wrong

crashes() {
    run systemctl kill -s KILL forgetmenot-gateway && comes forgetmenot-gateway NRestarts 2 && comes forgetmenot-gateway ActiveState active
}
unit_case 'a gateway that is killed comes back' crashes

innocent() {
    # What it says of the broker, of the clock and of what it was killed by is no fault of the cage's.
    local faults
    faults=$(journalctl -q --no-pager -u 'forgetmenot*' -o cat | grep -iE 'thread priority|not permitted|permission denied|read-only file|bad system call|cannot write|status=31' | sort | uniq -c)
    [ -z "$faults" ] || { reason="$faults"; return 1; }
}
unit_case 'through all this nobody complained of the bars of its cage' innocent

barred() {
    # The kernel notes each call that a filter refuses. Those that are done without: setpriority, adjtimex, clock_adjtime (x86_64's numbers),
    # and clone3, which RestrictNamespaces cannot look into, so that glibc takes the older clone.
    local calls others
    calls=$({ journalctl -q --no-pager -o cat _TRANSPORT=audit; dmesg; } | grep -E '(SECCOMP|type=1326) .*comm="forgetmenot' | grep -oE 'syscall=[0-9]+' | sort | uniq -c)
    others=$(grep -vE 'syscall=(141|159|305|435)$' <<<"$calls")
    # One that is refused is always seen: or else nothing is noted here.
    [ -z "$others" ] && grep -q 'syscall=305' <<<"$calls" || { reason="refused calls: $calls"; return 1; }
}
unit_case 'nothing was refused by the filter of calls but what is done without' barred

broken_broker() {
    echo 'nonsense yes' >/etc/mosquitto/conf.d/broken.conf
    systemctl restart mosquitto 2>/dev/null
    until_true 60 sh -c 'forgetmenot doctor | grep -q "FAILED  broker .*mosquitto: .*nonsense"'
    local ended=$?
    rm /etc/mosquitto/conf.d/broken.conf
    systemctl reset-failed mosquitto
    run systemctl restart mosquitto && comes forgetmenot ActiveState active && return $ended
}
unit_case 'where mosquitto cannot start, doctor reports the reason that mosquitto gave' broken_broker

installs_again() {
    sed -i 's/^room = .*/room = "Hall"/' $etc/gateway@hci1.toml
    run dpkg -r forgetmenot-gateway forgetmenot && ! systemctl is-active -q forgetmenot || return 1
    run dpkg -i $work/*.deb || return 1
    local unit
    for unit in forgetmenot forgetmenot-gateway forgetmenot-gateway@hci1; do
        comes $unit ActiveState active && is $unit UnitFileState enabled || return 1
    done
}
unit_case 'removed and installed again, what was enabled is enabled, and runs' installs_again

leaves() {
    # The broker's lock is left to it: it stores names and locations.
    run dpkg -P forgetmenot-gateway forgetmenot && run systemctl restart mosquitto && [ -e $etc/broker/users.acl ] &&
        ! mosquitto_pub -h 127.0.0.1 -t any -m any 2>/dev/null && ! systemctl is-active -q forgetmenot && ! systemctl is-enabled -q forgetmenot 2>/dev/null &&
        [ ! -e /var/lib/forgetmenot ] && [ ! -e $etc/gateway.toml ] && [ ! -e $etc/aggregator.password ] &&
        [ ! -e $etc/gateway@hci1.password ] && ! pgrep -x forgetmenot &&
        ! systemctl is-active -q forgetmenot-gateway@hci1 && ! find /etc/systemd/system -name 'forgetmenot*' | grep .
}
unit_case 'removed and purged, they stop what runs, and leave neither state nor secrets but the lock of a broker in use' leaves
summary
