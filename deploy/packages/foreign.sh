# Debian's packages for another machine or of another release, which are unpacked and not installed: a file to source, once `folder` says where the
# lists of packages are kept.

# The archive that this machine's own packages come from.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Component: main' | sed -n '\,/debian/*$,{p;q}')}
[ -n "$mirror" ] || { echo "$0: apt names no Debian archive here: set DEBIAN_MIRROR to one" >&2; exit 69; }

# apt_of SUITE ARCHITECTURE COMMAND...: apt-get or apt-cache of a machine that knows that Debian alone, and has nothing installed. A mirror may lag: an
# index that has run out will do.
apt_of() {
    local suite=$1 arch=$2 home=$folder/apt-$1-$2; shift 2
    if [ ! -e "$home/apt.conf" ]; then
        rm -rf "$home"
        mkdir -p "$home"/etc/apt/{apt.conf.d,preferences.d,sources.list.d,trusted.gpg.d} "$home"/var/lib/{dpkg,apt/lists/partial} \
            "$home"/var/cache/apt/archives/partial
        : >"$home/var/lib/dpkg/status"
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$home/etc/apt/sources.list"
        printf '%s "%s";\n' Dir "$home" Dir::Etc::parts /etc/apt/apt.conf.d Dir::State::status "$home/var/lib/dpkg/status" APT::Architecture "$arch" APT::Architectures "$arch" \
            APT::Sandbox::User "$(id -un)" Acquire::Check-Valid-Until false APT::Install-Recommends false >"$home/new.conf"
        APT_CONFIG=$home/new.conf apt-get update -qq
        mv "$home/new.conf" "$home/apt.conf"
    fi
    APT_CONFIG=$home/apt.conf "$@"
}

# download SUITE ARCHITECTURE FOLDER PACKAGES...: them, and all that they depend on.
download() {
    local suite=$1 arch=$2 into=$3; shift 3
    mkdir -p "$into/partial"
    echo "Fetching Debian $suite's ${*##*/} for $arch" >&2
    apt_of "$suite" "$arch" apt-get install -y -qq --download-only -o Dir::Cache::archives="$into" "$@" >/dev/null
}

# unpack PACKAGE ROOT [TAR'S WORDS...]
unpack() {
    local package=$1 root=$2; shift 2
    dpkg-deb --fsys-tarfile "$package" | tar x --no-same-owner -C "$root" "$@"
}
