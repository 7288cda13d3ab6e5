# enroll with a real bluetoothd: the machine is visible meanwhile, and not afterwards. No controller of these can be paired with, so that
# EnrollTests have the key's event.
controller() { bluetoothctl show $A 2>/dev/null; }
shows() { controller | grep -q "$1: $2"; }
# enroll [OPTION...]: of Anna's phone.
# Other cases may have left keys there.
keys_before=$(cat $work/identity.keys 2>/dev/null)
enroll() { start enroll $work/forgetmenot-gateway enroll "Anna's phone" --config $work/enroll.toml "$@"; }
is_invisible() { shows Discoverable no && shows Pairable no && ! shows Alias Forgetmenot; }
# ends STATUS WORDS
ends() {
    local status=0
    until_true 30 has_ended enroll || return 1
    wait "${pid[enroll]}" || status=$?
    [ $status = "$1" ] && expect enroll 1 "$2" || { reason="it ended with $status: $(tail -n 3 $work/enroll.log)"; return 1; }
    pid[enroll]= && forget enroll
    until_true 10 is_invisible && [ "$(cat $work/identity.keys 2>/dev/null)" = "$keys_before" ] && ! grep -q identity $work/enroll.toml
}

is_visible_for_a_while() {
    plug a extended $A && start_bluetoothd && configure enroll $A || return 1
    until_true 20 shows Alias BlueZ || return 1
    local option
    # Once no phone comes, once Ctrl-C is pressed, and all of that again.
    for option in 3s 10m 3s 10m; do
        enroll --for $option && expect enroll 30 'choose Forgetmenot' || return 1
        if [ $option = 3s ]; then
            ends 69 'no phone gave its key' || return 1
        else
            until_true 20 shows Discoverable yes && shows Alias Forgetmenot || return 1
            kill -INT "${pid[enroll]}" && ends 69 'interrupted: nothing was written' || return 1
        fi
    done
}
case_is 'enroll makes the machine visible to phones, and invisible when no phone comes and when it is interrupted' is_visible_for_a_while

without_bluetoothd() {
    kill $bluetoothd; wait $bluetoothd 2>/dev/null
    enroll && ends_without
}
ends_without() {
    until_true 30 has_ended enroll && expect enroll 1 'bluetoothd does not run' && pid[enroll]= && forget enroll
}
case_is 'enroll names a bluetoothd that does not run' without_bluetoothd
