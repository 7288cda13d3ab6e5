# What jobs under systemd ask of it.
property() { systemctl show -P "$2" "$1"; }
# is UNIT PROPERTY VALUE
is() { [ "$(property "$1" "$2")" = "$3" ]; }
# comes UNIT PROPERTY VALUE [SECONDS]: it has that value, now or soon.
comes() {
    until_true "${4:-30}" is "$1" "$2" "$3" && return
    reason="$1 $2 is $(property "$1" "$2"), not $3:
$(journalctl -q --no-pager -u "$1" -n 8 -o cat | cut -c1-300 | sed 's/^/#   /')"
    return 1
}
# told UNIT WORDS [SECONDS]: its journal has them, since the case began.
told() {
    until_true "${3:-30}" logged "$1" "$2" && return
    reason="$1 did not say «$2»:
$(journalctl -q --no-pager -u "$1" -n 8 -o cat | cut -c1-300 | sed 's/^/#   /')"
    return 1
}
logged() { journalctl -q --no-pager -u "$1" --since "@$since" -o cat | grep -qE -- "$2"; }
# run COMMAND...: what it says is the reason, if it fails.
run() { local output; output=$("$@" 2>&1) || { reason="«$*» ended with $?: $(tail -n 12 <<<"$output" | sed 's/^/#   /')"; return 1; }; }
# unit_case SENTENCE FUNCTION: as case_is, and the journal is read from here on.
unit_case() { since=$(date +%s); case_is "$@"; }
