# A Debian of its own, without systemd and with a network of its own, in which the tests of this folder run what people do: a file to source, after
# `packages` and `newer`. INSTALL_SUITE is the Debian: that of this machine unless given, or a later one.
# Needs root (a change of root folder), debootstrap and Debian's archive. The bare Debian is kept in .build/install.
suite=${INSTALL_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
[ "$(id -u)" = 0 ] || { echo "skipped: the install test changes its root folder, which root alone may: sudo make install-test"; exit 0; }
command -v debootstrap >/dev/null || { echo "skipped: there is no debootstrap here"; exit 0; }
unshare --net --mount true 2>/dev/null || { echo "skipped: the install test needs mounts and a network of its own, which may not be made here"; exit 0; }

# What the packages need from Debian is in it, so that installing them asks nobody; and what README's reader has.
include=adduser,curl,mosquitto,libbluetooth3,libmosquitto1,libsqlite3-0,openssl,procps,sudo
bare=.build/install/$suite-$(cksum <<<"$include" | cut -d " " -f 1).tar
if [ ! -e "$bare" ]; then
    echo "# fetching a bare $suite"
    mkdir -p .build/install; rm -rf ".build/install/$suite"
    debootstrap --variant=minbase --include="$include" "$suite" ".build/install/$suite" >.build/install/log 2>&1 ||
        { echo "not ok 0 - a bare $suite can be fetched: see .build/install/log"; tail -n 5 .build/install/log; exit 1; }
    tar -C ".build/install/$suite" -cf "$bare.new" . && mv "$bare.new" "$bare" && rm -rf ".build/install/$suite"
fi
# A network and mounts of its own: its ports are nobody else's, and what it mounts is gone with it. The address is that of README's broker.
if [ -z "${INSTALL_ALONE:-}" ]; then INSTALL_ALONE=yes exec unshare --net --mount "$0" "$@"; fi
ip link set lo up && ip address add 192.168.1.5/32 dev lo || exit 1
root=$(mktemp -d)
finish() {
    local file
    for file in "$root"/run/*.running; do
        [ ! -e "$file" ] || { kill "$(cat "$file")" 2>/dev/null; tail -f /dev/null --pid="$(cat "$file")" -s 0.1; }
    done
    umount "$root/proc" "$root/dev" 2>/dev/null; rm -rf --one-file-system "$root"
}
trap finish EXIT
tar -C "$root" -xf "$bare"
mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" || { echo "skipped: nothing may be mounted here"; exit 0; }
echo "127.0.0.1 localhost $(hostname)" > "$root/etc/hosts"
mkdir -p "$root"/{old,home/.build/deb,newer,run/systemd/system,run/mosquitto,var/log/mosquitto,etc/systemd/system/multi-user.target.wants}
cp deploy/demo/items.json "$root/"; cp "$packages"/*.deb "$root/home/.build/deb/"; cp "$newer"/*.deb "$root/newer/"; cp Tests/install/systemctl "$root/usr/bin/"
# Nobody sits at a terminal.
in_folder() { chroot "$@" </dev/null; }
clean=(/usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive)
inside() { in_folder "$root" "${clean[@]}" HOME=/root "$@"; }
# A person with sudo, in the clone of the repository.
inside sh -c 'chown mosquitto /run/mosquitto /var/lib/mosquitto /var/log/mosquitto; useradd -m anna; echo "anna ALL=(ALL) NOPASSWD: ALL" > /etc/sudoers.d/anna'
as_anna() { [ -n "$1" ] && in_folder --userspec=anna:anna "$root" "${clean[@]}" HOME=/home/anna bash -e -o pipefail -c "cd /home; $1"; }
# at_terminal LINES COMMAND : anna sits at a terminal, and types these lines. sudo needs its terminals only there: with them apt writes CRLF.
at_terminal() {
    local status
    mount --bind /dev/pts "$root/dev/pts"
    script -qec "$(printf '%q ' chroot --userspec=anna:anna "$root" "${clean[@]}" HOME=/home/anna bash -e -o pipefail -c "cd /home; $2")" /dev/null <<<"$1"
    status=$?; umount "$root/dev/pts"; return $status
}

number=0 failed=0
# check SENTENCE COMMAND... : it has to end well.
check() {
    local sentence=$1 output; shift; number=$((number + 1))
    if output=$("$@" 2>&1); then echo "ok $number - $sentence"; else echo "not ok $number - $sentence"; failed=$((failed + 1)); sed 's/^/# /' <<<"$output" | tail -20; fi
}
mode_is() { [ "$(stat -c %a "$root$1")" = "$2" ]; }
says() { grep -q -- "$2" "$root$1"; }
soon() { local _; for _ in $(seq 100); do "$@" && return; sleep 0.2; done; return 1; }
# installs FOLDER : as apt does for a machine that nobody watches. No option tells dpkg what to do about configurations.
installs() { inside sh -c "apt-get install -y $1/*.deb"; }

blocks=$root/blocks
. Tests/install/blocks.sh
# left_out WORD REASON : the block that has this word is not run.
left_out() { if block "$1" >/dev/null; then echo "skipped: the block with $1, because $2"; else check "there is one block with $1" false; fi; }
# elsewhere WORD TEST : another test runs the block that has this word.
elsewhere() { check "$2 runs the block with $1" sh -c "block=\$1 && grep -q -- \"\$block\" $2" sh "$1" && block "$1" >/dev/null; }
