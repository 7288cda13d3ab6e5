# What doctor says, of an adapter where all is right, and of one where much is wrong.
# doctor NAME [CAPABILITIES]: its lines stand in doctor.log, its exit status in $status.
doctor() {
    status=0
    allowed "${2-+net_admin,+net_raw}" $work/forgetmenot-gateway doctor --config $work/"$1".toml >$work/doctor.log 2>&1 8<&- || status=$?
    reason="it ended with $status and said:
$(sed 's/^/#   /' $work/doctor.log)"
}
# says passed|FAILED|- CHECK [WORDS]
says() { grep -qE -- "^$1 +$2\b.*${3:-}" $work/doctor.log || { reason="«$1 $2 ${3:-}» is missing; $reason"; return 1; }; }
# The kernel's clock counts as synchronised from now on: adjtimex with the largest error, the estimated one, and a status without STA_UNSYNC.
synchronise() { perl -e 'my $t = pack("L x4 q q q q l x4", 0x1C, 0, 0, 0, 0, 1) . "\0" x 256; syscall(159, $t) >= 0 or die $!'; }

all_right() {
    plug a extended $A && synchronise && configure cellar $A || return 1
    [ -n "${pid[broker]:-}" ] || start_broker || return 1
    doctor cellar
    local check
    for check in configuration gateway adapter driver capabilities interface broker 'state folder' clock; do says '(passed|-)' "$check" || return 1; done
    ! grep -q '^FAILED' $work/doctor.log && [ $status = 0 ]
}
case_is 'doctor finds everything right, and ends with 0' all_right

much_wrong() {
    configure nowhere hci7 && sed -i 's/^host = .*/host = "127.0.0.1"\nport = 1/; s/^state_directory = .*/state_directory = "\/proc\/nowhere"/' $work/nowhere.toml
    doctor nowhere
    [ $status = 69 ] && says FAILED adapter hci7 && says FAILED broker && says FAILED 'state folder'
}
case_is 'doctor names the adapter that is missing, the broker that does not answer, the folder that cannot be written' much_wrong

forbidden() {
    rfkill_all 1
    doctor cellar ''
    rfkill_all 0
    [ $status = 69 ] && says FAILED rfkill && says FAILED capabilities 'setcap cap_net_admin,cap_net_raw\+ep'
}
case_is 'doctor names rfkill that blocks, and the capability that is missing, with the command that grants it' forbidden
