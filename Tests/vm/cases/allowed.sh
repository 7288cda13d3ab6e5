# What a gateway may, it uses; what it may not, it names, and says how it is granted.
hall() { gateway hall "$1" && info hall 60 "$2" "${3:-}"; }

nothing_allowed() {
    plug a strict $A && tag "$a" && configure hall $A && until_true 10 hciconfig "$(adapter $A)" up || return 1
    hall '' unauthorized '.*CAP_NET_ADMIN is missing: .*setcap cap_net_admin,cap_net_raw\+ep /run/vm/forgetmenot-gateway' &&
        stop hall && [ "$(grep -c CAP_NET_ADMIN $work/hall."$number".log)" = 1 ]
}
case_is 'without capabilities one line says which is missing, and how to grant it' nothing_allowed

# heard INTERFACE SCAN: through that interface, to the topics.
heard() {
    [[ $match == *"\"interface\":\"$1\""* ]] && ranges hall 7 9 && listens "$a" 96 96 && stop hall && listens_not "$a"
}
administration_allowed() { hall +net_admin powered_on && heard monitor; }
case_is 'CAP_NET_ADMIN alone: through the monitor' administration_allowed

raw_allowed() {
    hciconfig "$(adapter $A)" up
    hall +net_raw powered_on && heard raw &&
        grep -q 'scanning through the raw socket, extended scan (.*CAP_NET_ADMIN is missing' $work/hall."$number".log
}
case_is 'CAP_NET_RAW alone: through the raw socket, and the log says why' raw_allowed

raw_allowed_off() {
    hciconfig "$(adapter $A)" down
    hall +net_raw powered_off 'hci[0-9]* is off: .*CAP_NET_ADMIN is missing' && hciconfig "$(adapter $A)" up &&
        info hall 30 powered_on && heard raw
}
case_is 'CAP_NET_RAW alone, and the adapter is off: it says so, and waits for somebody who may switch it on' raw_allowed_off

raw_forbidden() {
    configure hall $A 'interface = "raw"' && hall +net_admin unauthorized '.*CAP_NET_RAW is missing' && stop hall
}
case_is 'CAP_NET_ADMIN alone, and the raw socket is configured: it says so' raw_forbidden

both_allowed() { hall +net_admin,+net_raw powered_on && heard raw; }
case_is 'both, and the raw socket is configured' both_allowed
