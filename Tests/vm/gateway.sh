# A gateway as people run it, a real broker, and mosquitto_sub as the witness of all that is published.
UUID=00112233-4455-6677-8899-aabbccddeeff
BEACONS=forgetmenot/beacons/$UUID

start_broker() {
    printf 'listener 1883 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n' >$work/mosquitto.conf
    start broker mosquitto -c $work/mosquitto.conf
    until_true 60 mosquitto_pub -t up -m here 2>/dev/null || return 1
    start topics mosquitto_sub -v -t 'forgetmenot/#' -t witness
    # It is a witness once it hears.
    until_true 30 witnesses
}
witnesses() { mosquitto_pub -t witness -m here && grep -q '^witness here' $work/topics.log; }

# configure NAME ADAPTER|capture:FILE [LINE...]: a gateway's configuration; the lines are keys of [radio], and tables after it.
configure() {
    local source=bluez:$2
    [[ $2 == capture:* ]] && source=$2
    # One that knows nothing: what a former one of that name had inside would not enter again.
    rm -rf $work/state/$1
    mkdir -p $work/state/$1
    chown 65534:65534 $work/state/$1
    {
        # What a busy machine swallows is learned as loss: an exit that is learned may be minutes later.
        printf 'id = "%s"\nroom = "Kitchen"\nstate_directory = "%s"\n' "$1" $work/state/$1
        printf '[mqtt]\nhost = "127.0.0.1"\n[ranging]\nheartbeat = "1s"\n[monitoring]\nexit_after = "5s"\n[radio]\nsource = "%s"\n' "$source"
        printf '%s\n' "${@:3}"
        # The tag of the cases; the last of a flood; the beacons that controllers send.
        printf '[[region]]\nidentifier = "%s"\nuuid = "%s"\nmajor = %d\n' Bags $UUID 7 Marker $UUID 60 Senders $UUID 300
    } >$work/$1.toml
}
# as_user COMMAND...: as an ordinary user with what the program needs.
as_user() { allowed +net_admin,+net_raw "$@"; }
# gateway NAME [CAPABILITIES]: runs it as an ordinary user.
gateway() {
    [ -n "${pid[broker]:-}" ] || start_broker || return 1
    start "$1" allowed "${2-+net_admin,+net_raw}" $work/forgetmenot-gateway run --config $work/$1.toml
}
# stop NAME: asks it to end by a signal, and waits; it has to end well.
stop() {
    kill "${pid[$1]}"
    until_true 30 has_ended "$1" || return 1
    wait "${pid[$1]}"
    local status=$?
    [ $status = 0 ] || reason="$1 ended with $status: $(tail -n 3 $work/"$1".log)"
    # Its number is nobody's any more, or somebody else's.
    pid[$1]=
    forget "$1"
    return $status
}
has_ended() { ! kill -0 "${pid[$1]}" 2>/dev/null; }

# info NAME SECONDS STATE [REASON]: the gateway says this of its radio.
info() { expect topics "$2" "^forgetmenot/gateways/$1/info .*\"radio\":\{[^}]*\"state\":\"$3\"${4:+,\"reason\":\"$4}"; }
# never_info NAME STATE
never_info() { never topics "^forgetmenot/gateways/$1/info .*\"radio\":\{[^}]*\"state\":\"$2\""; }
# ranges NAME MAJOR MINOR [SECONDS]: it ranges the beacon now: what it says a second time was heard since the first.
ranges() {
    local said="^$BEACONS/$2/$3/$1/proximity .*\"sightings\":[1-9]"
    fresh topics
    expect topics "${4:-30}" "$said" && expect topics 30 "$said"
}
# no_event NAME: no enter or exit was published since the case began.
no_event() { never topics "/$1/event "; }
ask() { mosquitto_pub -t "forgetmenot/gateways/$1/request/$2" -m ''; }
# total KEY: a number of the JSON that stands in $match.
total() { sed -nE "s/.*\"$1\":([0-9.]+).*/\1/p" <<<"$match"; }
