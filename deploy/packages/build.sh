#!/usr/bin/env bash
# Builds both Debian packages of what was built before: make deb.
#   deploy/packages/build.sh FOLDER-WITH-BINARIES OUTPUT-FOLDER
# ARCH is the packages' architecture (this machine's unless given); DOCUMENTED the folder with the same programs for this machine, which tell
# what their manuals say (the binaries' folder unless given); REVISION a suffix of the version, for the test of upgrades.
set -euo pipefail
binaries=$(realpath "$1"); mkdir -p "$2"; output=$(realpath "$2")
cd "$(dirname "$0")/../.."
arch=${ARCH:-$(dpkg --print-architecture)}
documented=$(realpath "${DOCUMENTED:-$binaries}")
version=$(sed -n 's/^public let version = "\(.*\)"$/\1/p' Sources/Broker/Version.swift)${REVISION:-}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
# Reproducible: files are as old as the last change.
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}; export SOURCE_DATE_EPOCH=$epoch

strip_program() {
    local strip=strip
    [ "$arch" = "$(dpkg --print-architecture)" ] || strip=$(command -v llvm-strip || ls /usr/bin/*-linux-gnu-strip | head -1)
    "$strip" --strip-unneeded --remove-section=.comment "$1"
}

# What the binary loads, as dpkg knows it. For another architecture its libraries' packages have to be given (DEPENDS).
dependencies() {
    [ -z "${DEPENDS:-}" ] || { echo "$DEPENDS"; return; }
    mkdir -p "$work/shlibs/debian"
    printf 'Source: forgetmenot\n\nPackage: %s\nArchitecture: any\n' "$1" > "$work/shlibs/debian/control"
    (cd "$work/shlibs" && dpkg-shlibdeps -O -e "$2" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

# package NAME PROGRAM CONFIGURATION UNIT... : everything that both have in common.
package() {
    local name=$1 configuration=$2; shift 2
    local root=$work/$name
    mkdir -p "$root"/{DEBIAN,usr/bin,etc/forgetmenot,usr/lib/systemd/system,usr/share/man/man1,usr/share/doc/$name}
    mkdir -p "$root"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d,lintian/overrides}
    install -m 755 "$binaries/$name" "$root/usr/bin/$name"
    strip_program "$root/usr/bin/$name"
    install -m 644 "$configuration" "$root/etc/forgetmenot/"
    # A later release may say more in it: what dpkg does then is tested with this line.
    [ -z "${REVISION:-}" ] || echo "# $version" >> "$root/etc/forgetmenot/${configuration##*/}"
    install -m 644 "$@" "$root/usr/lib/systemd/system/"

    "$documented/$name" --experimental-dump-help | jq -r --arg version "$version" \
        --arg files "/etc/forgetmenot/${configuration##*/}: the configuration, every key with its default." \
        -f deploy/packages/manual.jq | gzip -9n > "$root/usr/share/man/man1/$name.1.gz"
    "$documented/$name" --generate-completion-script bash | sed 1d > "$root/usr/share/bash-completion/completions/$name"
    "$documented/$name" --generate-completion-script zsh > "$root/usr/share/zsh/vendor-completions/_$name"
    "$documented/$name" --generate-completion-script fish > "$root/usr/share/fish/vendor_completions.d/$name.fish"
    install -m 644 deploy/packages/copyright "$root/usr/share/doc/$name/copyright"
    sed "1s/^forgetmenot (.*)/$name ($version)/" deploy/packages/changelog | gzip -9n > "$root/usr/share/doc/$name/changelog.gz"
    # Swift's library is in the program: that is how it stays small, and what lintian would rather not have.
    printf '%s: statically-linked-binary\n%s: hardening-no-fortify-functions\n' "$name" "$name" > "$root/usr/share/lintian/overrides/$name"

    echo "/etc/forgetmenot/${configuration##*/}" > "$root/DEBIAN/conffiles"
    local script
    for script in postinst prerm postrm; do
        sed -e "s/@PACKAGE@/$name/g" "deploy/packages/$script" > "$root/DEBIAN/$script"
        chmod 755 "$root/DEBIAN/$script"
    done
    finish "$name" "$root"
}

finish() {
    local name=$1 root=$2
    local size; size=$(du -sk --exclude=DEBIAN "$root" | cut -f1)
    {
        sed -e "s/@VERSION@/$version/; s/@ARCH@/$arch/; s/@SIZE@/$size/; s/@DEPENDS@/$(dependencies "$name" "$root/usr/bin/$name")/" \
            "deploy/packages/$name.control"
    } > "$root/DEBIAN/control"
    (cd "$root" && find . -type f -not -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
    find "$root" -type d -exec chmod 755 {} +
    find "$root" -exec touch -h -d "@$epoch" {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$output/${name}_${version}_$arch.deb" >/dev/null
    echo "$output/${name}_${version}_$arch.deb"
}

package forgetmenot-gateway gateway.toml deploy/systemd/forgetmenot-gateway.service deploy/systemd/forgetmenot-gateway@.service
package forgetmenot deploy/aggregator.toml deploy/systemd/forgetmenot.service
