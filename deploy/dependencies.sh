#!/bin/sh
# Installs what is missing of the Debian packages named for a purpose: build, test, run, demo, chaos, cluster, rabbitmq, load, instructions, package, cross,
# install-test, repo, apps-test, compose-test, units-test, pi-test, page-test, page-tools or lint. Says nothing when nothing is missing.
#   deploy/dependencies.sh build test
set -eu

packages_for() {
    case $1 in
    build) echo "make gcc g++ libc6-dev pkg-config libmosquitto-dev libbluetooth-dev libutf8proc-dev libssl-dev libsqlite3-dev zlib1g-dev" ;;
    run) echo "mosquitto mosquitto-clients" ;;
    demo) echo "faketime python3" ;;
    test) echo "age apprise avahi-daemon avahi-utils curl dbus iproute2 jq mosquitto mosquitto-clients openssl bluez systemd postgresql libpq5" ;;
    cluster) echo "nats-server python3" ;;
    load) echo "mosquitto mosquitto-clients python3 systemd util-linux" ;;
    rabbitmq) echo "rabbitmq-server python3" ;;
    instructions) echo "valgrind binutils" ;;
    chaos) echo "mosquitto curl e2fsprogs mount util-linux xfsprogs" ;;
    package) echo "dpkg-dev binutils jq xz-utils gzip" ;;
    cross) echo "qemu-user-static binutils-aarch64-linux-gnu util-linux debian-archive-keyring" ;;
    units-test) echo "systemd dbus adduser procps mosquitto mosquitto-clients openssl" ;;
    pi-test) echo "qemu-system-arm qemu-user-static debootstrap e2fsprogs dosfstools mtools kmod cpio zstd busybox-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross iproute2 util-linux debian-archive-keyring" ;;
    install-test) echo "debootstrap iproute2 util-linux" ;;
    repo) echo "reprepro gnupg git openssl python3" ;;
    apps-test) echo "buildah debootstrap apparmor iproute2 util-linux mosquitto curl jq python3-yaml chromium" ;;
    compose-test) echo "buildah podman runc debootstrap iproute2 util-linux curl jq openssl" ;;
    page-test) echo "chromium faketime fonts-inter python3-venv openssl" ;;
    page-tools) echo "prometheus nginx caddy" ;;
    lint) echo "python3-venv" ;;
    *) echo "dependencies.sh: '$1' is no purpose: write build, run, test, demo, chaos, cluster, rabbitmq, load, instructions, package, cross, install-test, repo, apps-test, compose-test, units-test, pi-test, page-test, page-tools or lint" >&2; exit 64 ;;
    esac
}

wanted=
for purpose in "$@"; do wanted="$wanted $(packages_for "$purpose")"; done

missing=
for package in $wanted; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "dependencies.sh: install these as root:$missing" >&2; exit 69; }
    as_root=sudo
fi
echo "Installing$missing" >&2
# A service of the distribution would take the standard port; what we start, we start ourselves.
policy=/usr/sbin/policy-rc.d
made_policy=
if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
    $as_root chmod 755 $policy
    made_policy=yes
fi
trap '[ -z "$made_policy" ] || $as_root rm -f $policy' EXIT
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words on purpose
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
