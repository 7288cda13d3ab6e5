#!/usr/bin/env bash
# Builds both Debian packages of what was built before: make deb.
#   deploy/packages/build.sh FOLDER-WITH-BINARIES OUTPUT-FOLDER
# ARCH is the packages' architecture (this machine's unless given); SYSROOT the root that cross.sh made for another one; REVISION a suffix of the
# version, for the test of upgrades.
set -euo pipefail
binaries=$(realpath "$1"); mkdir -p "$2"; output=$(realpath "$2")
cd "$(dirname "$0")/../.."
arch=${ARCH:-$(dpkg --print-architecture)}
# Another machine's programs are run by an emulator, with the libraries of its root: they tell what their manuals say.
sysroot=${SYSROOT:+$(realpath "$SYSROOT")}
[ -n "$sysroot" ] || [ "$arch" = "$(dpkg --print-architecture)" ] || { echo "build.sh: for $arch nothing was built: ARCH is arm64, or left out" >&2; exit 64; }
emulator=()
[ -z "$sysroot" ] || emulator=(qemu-aarch64-static -L "$sysroot")
version=$(sed -n 's/^public let version = "\(.*\)"$/\1/p' Sources/Messages/Version.swift)${REVISION:-}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
# Reproducible: files are as old as the last change.
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}; export SOURCE_DATE_EPOCH=$epoch

strip_program() {
    local strip=strip
    [ -z "$sysroot" ] || strip=aarch64-linux-gnu-strip
    "$strip" --strip-unneeded --remove-section=.comment "$1"
}

# What the binary loads, as dpkg knows it: this machine's, or that of the other machine's root.
dependencies() {
    local of=()
    [ -z "$sysroot" ] || of=(--admindir="$sysroot/var/lib/dpkg" -l"$sysroot/usr/lib/aarch64-linux-gnu")
    mkdir -p "$work/shlibs/debian"
    printf 'Source: forgetmenot\n\nPackage: %s\nArchitecture: any\n' "$1" > "$work/shlibs/debian/control"
    (cd "$work/shlibs" && DEB_HOST_ARCH=$arch dpkg-shlibdeps "${of[@]}" -O -e "$2" 2>"$work/shlibs/log") | sed -n 's/^shlibs:Depends=//p'
}

# package NAME PROGRAM CONFIGURATION UNIT... : everything that both have in common.
package() {
    local name=$1 configuration=$2; shift 2
    local root=$work/$name
    local file=${configuration##*/}
    mkdir -p "$root"/{DEBIAN,usr/bin,etc/forgetmenot,usr/lib/systemd/system,usr/share/$name,usr/share/man/man1,usr/share/doc/$name}
    mkdir -p "$root"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d,lintian/overrides}
    install -m 755 "$binaries/$name" "$root/usr/bin/$name"
    strip_program "$root/usr/bin/$name"
    # Only the reference: the file in /etc belongs to no package, because setup and people write it. postinst copies the reference there once.
    install -m 644 "$configuration" "$root/usr/share/$name/"
    # A later release may say more in it: what an upgrade does then is tested with this line.
    [ -z "${REVISION:-}" ] || echo "# $version" >> "$root/usr/share/$name/$file"
    install -m 644 "$@" "$root/usr/lib/systemd/system/"
    if [ "$name" = forgetmenot ]; then
        install -m 644 deploy/avahi/forgetmenot.service "$root/usr/share/$name/avahi.service"
    fi

    "${emulator[@]}" "$binaries/$name" --experimental-dump-help | jq -r --arg version "$version" \
        --arg files "/etc/forgetmenot/$file: the configuration. /usr/share/$name/$file: every key of this version, with its default." \
        --rawfile commands Documentation/Forgetmenot.docc/Rules/Commands.md -f deploy/packages/manual.jq | gzip -9n > "$root/usr/share/man/man1/$name.1.gz"
    "${emulator[@]}" "$binaries/$name" --generate-completion-script bash | sed 1d > "$root/usr/share/bash-completion/completions/$name"
    "${emulator[@]}" "$binaries/$name" --generate-completion-script zsh > "$root/usr/share/zsh/vendor-completions/_$name"
    "${emulator[@]}" "$binaries/$name" --generate-completion-script fish > "$root/usr/share/fish/vendor_completions.d/$name.fish"
    install -m 644 deploy/packages/copyright "$root/usr/share/doc/$name/copyright"
    sed "1s/^forgetmenot (.*)/$name ($version)/" deploy/packages/changelog | gzip -9n > "$root/usr/share/doc/$name/changelog.gz"
    # Swift's library is in the program: that is how it stays small. The scripts ask systemctl only where systemd runs, as debhelper's would.
    printf "$name: %s\n" statically-linked-binary hardening-no-fortify-functions 'maintainer-script-calls-systemctl *' \
        > "$root/usr/share/lintian/overrides/$name"

    local script
    for script in preinst postinst prerm postrm; do
        sed -e "s/@PACKAGE@/$name/g; s/@FILE@/$file/g" "deploy/packages/$script" > "$root/DEBIAN/$script"
        chmod 755 "$root/DEBIAN/$script"
    done
    finish "$name" "$root"
}

finish() {
    local name=$1 root=$2
    local size depends
    size=$(du -sk --exclude=DEBIAN "$root" | cut -f1)
    depends=$(dependencies "$name" "$root/usr/bin/$name")
    [ -n "$depends" ] || { echo "build.sh: what $name depends on is not known:" >&2; cat "$work/shlibs/log" >&2; exit 70; }
    sed -e "s/@VERSION@/$version/; s/@ARCH@/$arch/; s/@SIZE@/$size/; s/@DEPENDS@/$depends/" "deploy/packages/$name.control" > "$root/DEBIAN/control"
    (cd "$root" && find . -type f -not -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
    find "$root" -type d -exec chmod 755 {} +
    find "$root" -exec touch -h -d "@$epoch" {} +
    # Packages for the test of upgrades are installed once: they are compressed in a moment instead of half a minute.
    dpkg-deb --root-owner-group -Zxz ${REVISION:+-z0} --build "$root" "$output/${name}_${version}_$arch.deb" >/dev/null
    echo "$output/${name}_${version}_$arch.deb"
}

package forgetmenot-gateway gateway.toml deploy/systemd/forgetmenot-gateway.service deploy/systemd/forgetmenot-gateway@.service
package forgetmenot deploy/aggregator.toml deploy/systemd/forgetmenot.service
