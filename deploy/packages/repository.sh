#!/usr/bin/env bash
# Makes a signed apt repository, a folder of static files: make repo.
#   deploy/packages/repository.sh KEY URL OUTPUT FOLDER-WITH-PACKAGES...
# KEY is the publisher's key, as gpg names it. URL is where OUTPUT will be published. For each suite there is a file SUITE.sources with the URL and
# the public key: in /etc/apt/sources.list.d it is all that a machine needs.
set -euo pipefail
[ $# -ge 4 ] && [ -n "$1" ] || { echo 'repository.sh: name the key that signs: make repo KEY=ADDRESS-OR-FINGERPRINT; gpg --list-secret-keys shows yours' >&2; exit 64; }
key=$(gpg --batch --list-secret-keys --with-colons "$1" 2>/dev/null | awk -F: '$1 == "fpr" {print $10; exit}')
[ -n "$key" ] || { echo "repository.sh: gpg has no secret key of $1" >&2; exit 66; }
url=$2; mkdir -p "${3%/*}"; output=$(realpath -m "$3"); shift 3
# Each suite with its glibc: a package that needs a later one is left out of the suite. Raspberry Pi OS has the names and libraries of Debian.
suites=("bookworm 2.36" "trixie 2.41")
work=$(mktemp -d "$output.XXXXXX"); trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

mkdir "$work/conf"
for suite in "${suites[@]}"; do
    printf '%s\n' "Origin: Forgetmenot" "Codename: ${suite% *}" "Architectures: amd64 arm64" "Components: main" "SignWith: $key" ""
done >"$work/conf/distributions"
repository() { reprepro --silent --basedir "$work" --outdir "$work/files" "$@"; }
repository export
for folder; do
    for file in "$folder"/*.deb; do
        [ -e "$file" ] || { echo "repository.sh: $folder has no package: make deb, or make deb ARCH=arm64" >&2; exit 66; }
        needs=$(dpkg-deb -f "$file" Depends | sed -n 's/.*libc6 (>= \([0-9.]*\)).*/\1/p')
        for suite in "${suites[@]}"; do
            dpkg --compare-versions "${needs:-0}" gt "${suite#* }" || repository includedeb "${suite% *}" "$file"
        done
    done
done
for suite in "${suites[@]% *}"; do
    {
        printf '%s\n' "Types: deb" "URIs: $url" "Suites: $suite" "Components: main" "Signed-By:"
        gpg --batch --armor --export "$key" | sed 's/^$/./; s/^/ /'
    } >"$work/files/$suite.sources"
done
rm -rf "$output"
mv "$work/files" "$output"
echo "$output"
