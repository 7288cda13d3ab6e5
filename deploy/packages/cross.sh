#!/usr/bin/env bash
# Builds both programs for arm64 on amd64: ARCH=arm64 make deb.
#   deploy/packages/cross.sh FOLDER     the folder gets `sysroot`, `toolchain` and `release`; the first two are fetched once (2.6 GB; 3.4 while they are
#                                       unpacked)
#
# The compiler is sid's, as trixie's is older than what this is written in; what is linked and run is trixie's, which Raspberry Pi OS draws on: the
# result wants glibc 2.38. Swift's own library is in the programs. Both folders are unpacked from Debian's packages, and nothing of them is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
mkdir -p "$1"; folder=$(realpath "$1")
sysroot=$folder/sysroot toolchain=$folder/toolchain
# The archive that this machine's own packages come from.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Component: main' | sed -n '\,/debian/*$,{p;q}')}
[ -n "$mirror" ] || { echo "cross.sh: apt names no Debian archive here: set DEBIAN_MIRROR to one" >&2; exit 69; }
gnu=aarch64-linux-gnu
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "cross.sh: cross-building is from amd64 alone; on arm64 itself make deb builds for arm64" >&2; exit 69; }

# apt_of SUITE ARCHITECTURE WORDS...: an apt that knows that Debian alone, and has nothing installed. A mirror may lag: an index that has run out will do.
apt_of() {
    local suite=$1 arch=$2 home=$folder/apt-$1-$2; shift 2
    if [ ! -e "$home/etc/apt/sources.list" ]; then
        mkdir -p "$home"/etc/apt/{apt.conf.d,preferences.d,sources.list.d,trusted.gpg.d} "$home"/var/lib/{dpkg,apt/lists/partial} \
            "$home"/var/cache/apt/archives/partial
        : >"$home/var/lib/dpkg/status"
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$home/etc/apt/sources.list"
        apt_of "$suite" "$arch" update -qq
    fi
    apt-get -o Dir="$home" -o Dir::State::status="$home/var/lib/dpkg/status" -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Check-Valid-Until=false -o APT::Install-Recommends=false "$@"
}

# download SUITE ARCHITECTURE FOLDER PACKAGES...: them, and all that they depend on.
download() {
    local suite=$1 arch=$2 into=$3; shift 3
    mkdir -p "$into/partial"
    echo "Fetching Debian $suite's $* for $arch" >&2
    apt_of "$suite" "$arch" install -y -qq --download-only -o Dir::Cache::archives="$into" "$@" >/dev/null
}

# unpack PACKAGE ROOT [TAR'S WORDS...]
unpack() {
    local package=$1 root=$2; shift 2
    dpkg-deb --fsys-tarfile "$package" | tar x --no-same-owner -C "$root" "$@"
}

# A root of trixie's for arm64, with dpkg's notes of who brings which library: what the packages depend on is computed from them.
make_sysroot() {
    local root=$sysroot.new package name debs=$folder/debs
    rm -rf "$root" "$debs"; mkdir -p "$root/usr/lib" "$root/var/lib/dpkg/info"; ln -s usr/lib "$root/lib"
    download trixie arm64 "$debs" libc6-dev libgcc-14-dev libstdc++-14-dev libmosquitto-dev libbluetooth-dev libutf8proc-dev libssl-dev libsqlite3-dev zlib1g-dev \
        mosquitto-clients
    for package in "$debs"/*.deb; do
        unpack "$package" "$root" --keep-directory-symlink --exclude './usr/share/*'
        name=$(dpkg-deb -f "$package" Package)
        [ "$(dpkg-deb -f "$package" Multi-Arch)" != same ] || name=$name:arm64
        dpkg-deb --ctrl-tarfile "$package" | tar x -C "$root/var/lib/dpkg/info" --transform "s,^\./,$name.," --wildcards './s[hy]*' 2>/dev/null || true
        # The libraries are found in this folder, so that their packages have to have them there.
        dpkg-deb --fsys-tarfile "$package" | tar t | sed "s,^\.,$sysroot,; s,/\$,," >"$root/var/lib/dpkg/info/$name.list"
        { dpkg-deb -f "$package"; echo "Status: install ok installed"; echo; } >>"$root/var/lib/dpkg/status"
    done
    echo 1 >"$root/var/lib/dpkg/info/format"
    # Swift's library for arm64: of the compiler's package for arm64 that folder alone.
    (mkdir -p "$debs/swift" && cd "$debs/swift" && apt_of sid arm64 download -qq swiftlang)
    unpack "$debs"/swift/swiftlang_*.deb "$root" --wildcards './usr/libexec/swift/lib/swift_static/*' './usr/libexec/swift/lib/clang/*'
    # The driver looks for it where other Swifts have it.
    ln -s ../libexec/swift/lib/swift_static "$root/usr/lib/swift_static"
    rm -rf "$debs"
    mv "$root" "$sysroot"
}

# A root of sid's for this machine, with Swift in it.
make_toolchain() {
    local root=$toolchain.new package debs=$folder/debs link
    rm -rf "$root" "$debs"; mkdir -p "$root"/{usr/bin,usr/lib,usr/lib64,proc,dev,tmp,etc,root,sysroot}
    for link in bin lib lib64; do ln -s usr/$link "$root/$link"; done
    download sid amd64 "$debs" swiftlang g++ libc6-dev git pkgconf bash coreutils
    for package in "$debs"/*.deb; do
        unpack "$package" "$root" --keep-directory-symlink --exclude './usr/share/doc/*' --exclude './usr/share/man/*' --exclude '*/lib/swift/embedded/*' \
            --exclude './usr/libexec/swift/lib/liblldb*' --exclude './usr/libexec/swift/lib/libsourcekitd*' --exclude './usr/libexec/swift/bin/*lldb*'
    done
    echo 'root:x:0:0::/root:/bin/sh' >"$root/etc/passwd"
    rm -rf "$debs"
    mv "$root" "$toolchain"
}

[ -e "$sysroot" ] || make_sysroot
[ -e "$toolchain" ] || make_toolchain

# How SwiftPM builds for another machine. It looks nowhere but in there, for clang's gcc as for Swift's library.
gcc="\"--gcc-install-dir=/sysroot/usr/lib/gcc/$gnu/14\""
cat >"$sysroot/destination.json" <<END
{
  "version": 1, "sdk": "/sysroot", "toolchain-bin-dir": "/usr/libexec/swift/bin", "target": "aarch64-unknown-linux-gnu",
  "dynamic-library-extension": "so", "extra-cpp-flags": [], "extra-cc-flags": [$gcc, "-fPIC"],
  "extra-swiftc-flags": ["-use-ld=lld", "-sdk", "/sysroot", "-resource-dir", "/sysroot/usr/libexec/swift/lib/swift_static", "-static-stdlib",
    "-Xcc", $gcc, "-Xclang-linker", $gcc]
}
END

# What is built on is fetched by this machine's Swift: the other has no network.
swift package --scratch-path "$folder/scratch" resolve

# inside COMMAND...: in the toolchain's root, with mounts that end with it. Who is not root needs user namespaces for it.
inside() {
    local alone=(unshare --mount)
    [ "$(id -u)" = 0 ] || alone+=(--map-root-user)
    # shellcheck disable=SC2016 # the inner shell's own words
    "${alone[@]}" bash -euc '
        toolchain=$1 sysroot=$2 repository=$3 folder=$4; shift 4
        mount --rbind /proc "$toolchain/proc"; mount --rbind /dev "$toolchain/dev"; mount --bind "$sysroot" "$toolchain/sysroot"
        mkdir -p "$toolchain/source" "$toolchain/build"
        mount --bind "$repository" "$toolchain/source"; mount --bind "$folder" "$toolchain/build"
        exec chroot "$toolchain" /usr/bin/env -i HOME=/root PATH=/usr/libexec/swift/bin:/usr/bin LC_ALL=C.UTF-8 \
            PKG_CONFIG_PATH=/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=/sysroot "$@"
    ' bash "$toolchain" "$sysroot" "$repository" "$folder" "$@"
}

for product in forgetmenot-gateway forgetmenot; do
    inside swift build --package-path /source --scratch-path /build/scratch --destination /sysroot/destination.json --disable-automatic-resolution \
        --explicit-target-dependency-import-check error -c release --static-swift-stdlib --product $product
done
ln -sfn scratch/aarch64-unknown-linux-gnu/release "$folder/release"
