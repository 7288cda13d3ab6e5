# A phone whose address changes, as the topics tell it. The key is that of Core 5.4, Vol 3, Part H, D.7.
PHONE=3b2e68ad-1667-5081-a8bb-e80b626adabe
phone_topics=forgetmenot/beacons/$PHONE/0/0/phones
# phone_at ADDRESS: the phone sends from this address, and from no other.
phone_at() { silence "$a" && air phone "$a" "$1" -60 200; }

is_recognised() {
    plug a extended $A || return 1
    printf "ec0234a357c8ad05341010a60a397d9b Anna's phone\n" >$work/identity.keys
    chown 65534:65534 $work/identity.keys && chmod 600 $work/identity.keys
    configure phones $A "identity_keys_file = \"$work/identity.keys\"" '[[region]]' 'identifier = "Phones"' "uuid = \"$PHONE\""
    gateway phones && info phones 60 powered_on && phone_at 70:81:94:0D:FB:AA && expect topics 30 "^$phone_topics/event .*\"event_type\":\"enter\""
}
case_is 'a phone is recognised by its identity resolving key, though it sends no beacon' is_recognised

keeps_its_identity() {
    local address
    for address in 4A:00:01:B0:BC:9A 5B:00:02:44:C9:7D 70:81:94:0D:FB:AA; do
        phone_at $address && BEACONS=forgetmenot/beacons/$PHONE ranges phones 0 0 || return 1
    done
    ! grep -qE "^$phone_topics/event .*\"event_type\":\"exit\"" $work/topics.log || { reason='it exited'; return 1; }
    # A stranger's address is nobody's.
    phone_at 4A:00:01:B0:BC:9B && expect topics 30 "^$phone_topics/event .*\"event_type\":\"exit\"" || return 1
    phone_at 5B:00:02:44:C9:7D && BEACONS=forgetmenot/beacons/$PHONE ranges phones 0 0 && [ "$(grep -cE "^$phone_topics/event .*\"event_type\":\"enter\"" $work/topics.log)" = 2 ]
}
case_is 'a phone whose address changes stays the same beacon, leaves once, and comes back' keeps_its_identity

never_tells() { ! grep -qiE 'ec0234a3|7AI0o1fI' $work/topics.log $work/phones.log || { reason='the key is in a topic or in the log'; return 1; }; }
case_is "a phone's key is in no topic and in no log" never_tells
stop phones
