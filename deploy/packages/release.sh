#!/usr/bin/env bash
# Makes a version: a commit, a signed tag, and a folder of all that a publisher uploads: make release VERSION=1.2.3. It uploads and pushes nothing.
#   deploy/packages/release.sh VERSION KEY URL [IMAGE]    KEY and URL as for repository.sh; IMAGE is the image's name in a registry
# The folder is .build/release-VERSION. ARCHITECTURES says for which machines: "amd64 arm64" unless given. If a step fails, the next run goes on from
# the commit; the tag comes last.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1 key=$2 url=$3 image=${4:-} output=.build/release-$1
fail() { echo "release.sh: $1" >&2; exit 65; }
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "a version has three numbers: make release VERSION=1.2.3 KEY=ADDRESS"
gpg --batch --list-secret-keys "$key" >/dev/null 2>&1 || fail "gpg has no secret key of ${key:-nobody: make release VERSION=$version KEY=ADDRESS}"
[ -z "$(git status --porcelain)" ] || fail "commit or remove your changes first: git status"
[ -z "$(git tag --list "v$version")" ] || fail "there is a version $version already: git show v$version"
grep -q "^## ${version//./\\.}, " CHANGELOG.md || fail "CHANGELOG.md has no section of $version: write \"## $version, not yet released\" and what changes"

# The version stands in these files, and the changes in CHANGELOG.md.
sed -i "s/^\(public let version = \)\".*\"/\1\"$version\"/" Sources/Messages/Version.swift
sed -i "s/^version: .*/version: \"$version\"/" deploy/home-assistant-apps/*/config.yaml
sed -i "s/^## ${version//./\\.}, not yet released/## $version, $(date +%F)/" CHANGELOG.md
if ! grep -q "^forgetmenot (${version//./\\.}) " deploy/packages/changelog; then
    printf '%s\n' "forgetmenot ($version) unstable; urgency=medium" "" "  * CHANGELOG.md of the sources has the changes of $version." "" \
        " -- The Forgetmenot authors <maintainers@forgetmenot.invalid>  $(date -R)" "" | cat - deploy/packages/changelog >.build/changelog
    cp .build/changelog deploy/packages/changelog
fi
git diff --quiet || git commit --quiet --all --message "Change the version to $version"

rm -rf .build/deb .build/deb-arm64 "$output"
for architecture in ${ARCHITECTURES:-amd64 arm64}; do ${MAKE:-make} deb ARCH="$architecture"; done
mkdir "$output"
cp .build/deb*/*_"${version}"_*.deb "$output/"
deploy/packages/repository.sh "$key" "$url" "$output/debian" "$output"
git archive --prefix="forgetmenot-$version/" --output="$output/forgetmenot-$version.tar.gz" HEAD
# Who has this file alone needs nothing else: it names the image instead of building it.
[ -z "$image" ] || sed "/^ *build:/d; s,localhost/forgetmenot,$image:$version,; /docker compose build$/d" deploy/compose.yaml >"$output/compose.yaml"
awk -v heading="## $version, " '/^## /{on = index($0, heading) == 1} on' CHANGELOG.md >"$output/CHANGES.md"
(cd "$output" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\0' | sort -z | xargs -0 sha256sum >SHA256SUMS)
gpg --batch --local-user "$key" --armor --detach-sign "$output/SHA256SUMS"
git tag --sign --local-user "$key" --cleanup=whitespace --file "$output/CHANGES.md" "v$version"
echo "$output has version $version, and git the tag v$version. deploy/docs/publishing.md says how to upload both."
