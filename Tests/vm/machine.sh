# A kernel of Debian's, and the first file system that changes over from it to a root: a file to source, by `run` for this machine's architecture and
# by `pi` for arm64.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
build=$repository/.build/vm
arch=${VM_ARCH:-amd64}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

install_packages() {
    local missing=() package
    for package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    echo "# installing ${missing[*]}"
    as_root apt-get update -qq
    as_root apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# archive COMMAND...: apt-get or apt-cache, of the machine's Debian.
if [ "$arch" = amd64 ]; then
    archive() { "$@"; }
    update() { as_root apt-get update -qq; }
else
    folder=$build; mkdir -p "$folder"
    . "$repository/deploy/packages/foreign.sh"
    archive() { apt_of "$suite" "$arch" "$@"; }
    update() { archive apt-get update -qq; }
fi

# fetch PACKAGE FOLDER PATTERN...: these files of a package, which is not installed.
fetch() {
    local package=$1 into=$2 download; shift 2
    # Not into the repository, which the user that apt downloads as may be unable to enter.
    download=$(mktemp -d); chmod 755 "$download"
    (cd "$download" && { archive apt-get -qq download "$package" 2>/dev/null || { update; archive apt-get -qq download "$package"; }; })
    dpkg-deb --fsys-tarfile "$download/$package"_*.deb | tar x -C "$into" --wildcards "$@" 2>/dev/null || true
    rm -rf "$download"
}

# The kernel that a package like linux-image-amd64 stands for. The cloud kernel has no Bluetooth.
dependency() { archive apt-cache depends "$1" 2>/dev/null | sed -n "s/.*Depends: \(linux-image-[0-9].*$arch\)\$/\1/p" | head -1; }
fetch_kernel() {
    local package meta=${VM_KERNEL:-linux-image-$arch}
    package=$(dependency "$meta")
    [ -n "$package" ] || { update; package=$(dependency "$meta"); }
    [ -n "$package" ] || { echo "not ok - apt knows no $meta"; return 1; }
    version=${package#linux-image-}
    kernel=$build/kernel-$version
    [ -e "$kernel/complete" ] && return
    echo "# fetching $package"
    rm -rf "$kernel"; mkdir -p "$kernel"
    fetch "$package" "$kernel" './boot/vmlinuz*' './lib/modules/*' './usr/lib/modules/*'
    [ -e "$kernel/lib" ] || ln -s usr/lib "$kernel/lib"
    depmod -b "$kernel" "$version"
    touch "$kernel/complete"
}

# build_initrd MODULE...: busybox, the modules in the order in which they are loaded, and a script that changes over to the root.
build_initrd() {
    local root=$build/initrd module path
    initrd=$build/initrd-$version.img
    [ "$initrd" -nt "$here/init" ] && [ "$initrd" -nt "$here/run" ] && [ "$initrd" -nt "$here/machine.sh" ] && return
    rm -rf "$root"; mkdir -p "$root"/{bin,proc,sys,dev,host,above,merged,modules}
    if [ "$arch" = amd64 ]; then cp /bin/busybox "$root/bin/busybox"; else fetch busybox-static "$root" './bin/*' './usr/bin/*'; fi
    [ -e "$root/bin/busybox" ] || cp "$root/usr/bin/busybox" "$root/bin/busybox"
    cp "$here/init" "$root/init"; chmod +x "$root/init"
    for module; do
        modprobe -d "$kernel" -S "$version" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
    done | awk '!seen[$0]++' | while read -r path; do
        cp "$path" "$root/modules/"
        case $path in
            *.xz) unxz "$root/modules/${path##*/}"; path=${path%.xz} ;;
            *.zst) zstd -q -d --rm "$root/modules/${path##*/}"; path=${path%.zst} ;;
        esac
        echo "${path##*/}" >> "$root/modules/order"
    done
    (cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) > "$initrd"
}
