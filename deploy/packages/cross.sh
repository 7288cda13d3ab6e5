#!/usr/bin/env bash
# Builds both programs for arm64 on amd64: ARCH=arm64 make deb.
#   deploy/packages/cross.sh FOLDER     the folder gets `bookworm`, `toolchain` and `release`; the first two are fetched once (2.6 GB; 3.4 while they
#                                       are unpacked)
#
# The compiler is sid's, as later releases' are older than what this is written in; what is linked is Debian 12's, so that one package runs there, on
# later releases, and on Raspberry Pi OS, which draws on them. Swift's own library is in the programs; glibc.c has what it takes of a later glibc. Both
# folders are unpacked from Debian's packages, and nothing of them is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
mkdir -p "$1"; folder=$(realpath "$1")
sysroot=$folder/bookworm toolchain=$folder/toolchain
. deploy/packages/foreign.sh
gnu=aarch64-linux-gnu
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "cross.sh: cross-building is from amd64 alone; on arm64 itself make deb builds for arm64" >&2; exit 69; }

# A root of Debian 12's for arm64, with dpkg's notes of who brings which library: what the packages depend on is computed from them.
make_sysroot() {
    local root=$sysroot.new package name debs=$folder/debs
    rm -rf "$root" "$debs"; mkdir -p "$root/usr/lib" "$root/var/lib/dpkg/info"; ln -s usr/lib "$root/lib"
    download bookworm arm64 "$debs" libc6-dev libgcc-12-dev libstdc++-12-dev libmosquitto-dev libbluetooth-dev libutf8proc-dev libssl-dev libsqlite3-dev zlib1g-dev \
        mosquitto-clients
    for package in "$debs"/*.deb; do
        unpack "$package" "$root" --keep-directory-symlink --exclude './usr/share/*'
        name=$(dpkg-deb -f "$package" Package)
        [ "$(dpkg-deb -f "$package" Multi-Arch)" != same ] || name=$name:arm64
        dpkg-deb --ctrl-tarfile "$package" | tar x -C "$root/var/lib/dpkg/info" --transform "s,^\./,$name.," --wildcards './s[hy]*' 2>/dev/null || true
        # The libraries are found in this folder, so that their packages have to have them there. `lib` is `usr/lib`.
        dpkg-deb --fsys-tarfile "$package" | tar t | sed "s,^\./lib/,./usr/lib/,; s,^\.,$sysroot,; s,/\$,," >"$root/var/lib/dpkg/info/$name.list"
        { dpkg-deb -f "$package"; echo "Status: install ok installed"; echo; } >>"$root/var/lib/dpkg/status"
    done
    echo 1 >"$root/var/lib/dpkg/info/format"
    # Links from the root's top would lead out of the root.
    find "$root/usr/lib/$gnu" -lname '/*' | while read -r name; do ln -sf "$(basename "$(readlink "$name")")" "$name"; done
    # Swift's library for arm64: of the compiler's package for arm64 that folder alone.
    (mkdir -p "$debs/swift" && cd "$debs/swift" && apt_of sid arm64 apt-get download -qq swiftlang)
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
gcc="\"--gcc-install-dir=/sysroot/usr/lib/gcc/$gnu/12\""
cat >"$sysroot/destination.json" <<END
{
  "version": 1, "sdk": "/sysroot", "toolchain-bin-dir": "/usr/libexec/swift/bin", "target": "aarch64-unknown-linux-gnu",
  "dynamic-library-extension": "so", "extra-cpp-flags": [], "extra-cc-flags": [$gcc, "-fPIC"],
  "extra-swiftc-flags": ["-use-ld=lld", "-sdk", "/sysroot", "-resource-dir", "/sysroot/usr/libexec/swift/lib/swift_static", "-static-stdlib",
    "-Xcc", $gcc, "-Xclang-linker", $gcc, "-Xlinker", "/build/glibc.o"]
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

inside clang --target=$gnu --sysroot=/sysroot -O2 -Wall -Werror -fvisibility=hidden -fPIC -c -o /build/glibc.o /source/deploy/packages/glibc.c
for product in forgetmenot-gateway forgetmenot; do
    inside swift build --package-path /source --scratch-path /build/scratch --destination /sysroot/destination.json --disable-automatic-resolution \
        --explicit-target-dependency-import-check error -c release --static-swift-stdlib --product $product
done
ln -sfn scratch/aarch64-unknown-linux-gnu/release "$folder/release"
