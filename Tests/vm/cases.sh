# Every case, in one boot. Each file of cases/ stands by itself: VM_CASES, a regular expression, chooses among their names.
. ./lib.sh
. ./gateway.sh
for file in gateway phone enroll monitor raw allowed beacon record doctor app; do
    [[ -n ${VM_CASES:-} && ! $file =~ $VM_CASES ]] && continue
    unplug_all
    . ./cases/$file.sh
done
summary
