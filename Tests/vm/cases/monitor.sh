# The kernel's monitor, as the adapter's own module uses it: what is not seen from outside.
begins() { plug a legacy $A && tag "$a" && probe radio radio hci0 && expect radio 30 '^state powered_on' && hears_more; }
case_is 'the module hears without a gateway' begins

proof() { say radio prove; expect radio 10 '^proven' && quit radio; }
case_is 'who asks for proof gets it' proof

half_duty() {
    probe radio radio $A window_ms=30 interval_ms=100
    expect radio 20 '^state powered_on' && listens "$a" 160 48 && hears_more && quit radio
}
case_is 'it listens as often and as long as configured' half_duty

killed() {
    for round in 1 2 3; do
        probe radio radio $A
        expect radio 20 '^state powered_on' && hears_more || return 1
        forget radio
    done
    probe radio radio $A
    expect radio 20 '^state powered_on' && hears_more && quit radio
}
case_is 'what killed predecessors left behind hinders nobody' killed
