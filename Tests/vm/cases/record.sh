# What was recorded, replayed: the same events in the same order, and as many sightings.
records=$work/records
mkdir -p $records/small
mount -t tmpfs -o size=64k small $records/small
chown -R 65534:65534 $records
record() { start record as_user $work/forgetmenot-gateway record "$1" --adapter $A; until_true 60 test -e "$1"; }
# events NAME: what its events said, in their order: beacon and transition.
events() { sed -nE "s/^.*\/([0-9]+\/[0-9]+)\/$1\/event .*\"event_type\":\"([a-z]+)\".*/\1 \2/p" $work/topics.log; }
# here MINOR...: these beacons are in the air, and no others.
here() {
    silence "$a" || return 1
    local minor
    for minor; do air beacon "$a" C0:11:22:33:44:0"$minor" -5"$minor" 100 7 "$minor" || return 1; done
}
turns() { expect topics 60 "^$BEACONS/7/$1/${3:-live}/event .*\"event_type\":\"$2\""; }
# counted NAME KEY...: ends it, and its last telemetry stands in $match.
counted() { stop "$1" && expect topics 10 "^forgetmenot/gateways/$1/telemetry .*\"adverts\":"; }
# reports FILE: how many btmon finds in it.
reports() { btmon -r "$1" 2>/dev/null | grep -cE 'LE (Extended )?Advertising Report'; }

is_recorded() {
    plug a extended $A && configure live $A && gateway live && info live 60 powered_on && record $records/house.btsnoop || return 1
    here 1 && turns 1 enter && here 1 2 && turns 2 enter && here 1 2 3 && turns 3 enter && here 2 3 && turns 1 exit &&
        here 3 && turns 2 exit && here && turns 3 exit && stop record && counted live || return 1
    sightings=$(total sightings)
    echo "# $sightings sightings; $(events live | tr '\n' ',')"
    [ "$(reports $records/house.btsnoop)" = "$sightings" ] || { reason="btmon finds $(reports $records/house.btsnoop) reports, $sightings were heard"; return 1; }
}
case_is 'a recording has every advertisement that a gateway heard beside it, and btmon opens it' is_recorded

is_replayed() {
    configure replayed capture:$records/house.btsnoop 'speed = "fast"' 'at_end = "silence"'
    gateway replayed && turns 3 exit replayed && counted replayed || return 1
    [ "$(total sightings)" = "$sightings" ] && [ "$(events replayed)" = "$(events live)" ] ||
        { reason="$(total sightings) sightings; $(events replayed | tr '\n' ',')"; return 1; }
}
case_is 'replayed, it gives the same events in the same order, and as many sightings' is_replayed

disk_full() {
    here 1 && record $records/small/full.btsnoop && air flood "$a" 2000 1000 && until_true 30 has_ended record || return 1
    wait "${pid[record]}"
    local status=$?
    [ $status = 74 ] && expect record 5 'full.btsnoop.*[Nn]o space left' || { reason+="it ended with $status"; return 1; }
    pid[record]=
    forget record
    local found
    found=$(reports $records/small/full.btsnoop)
    configure full capture:$records/small/full.btsnoop 'speed = "fast"'
    gateway full && until_true 30 has_ended full && expect topics 30 '^forgetmenot/gateways/full/telemetry .*"adverts":' || return 1
    echo "# $found advertisements were kept"
    [ "$found" -gt 100 ] && [ "$(total sightings)" = "$found" ] || { reason="btmon finds $found, replayed were $(total sightings)"; return 1; }
}
case_is 'a disk that is full is said, and the recording up to then can be read' disk_full
