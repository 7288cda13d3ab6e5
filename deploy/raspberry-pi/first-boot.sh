#!/bin/sh
# Makes a Raspberry Pi a gateway at its first boot: README.md beside this file. Called without words it installs a service, which calls it with `join`
# until the gateway has joined. The file `line` has the line that `forgetmenot gateways invite` has printed.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
if [ "${1-}" != join ]; then
    cat >/etc/systemd/system/forgetmenot-first-boot.service <<UNIT
[Unit]
Description=Forgetmenot: join the site, once
Wants=network-online.target
After=network-online.target
ConditionPathExists=$folder/line
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=/bin/sh $folder/first-boot.sh join
# The network, the clock or the site may not be there yet.
Restart=on-failure
RestartSec=20

[Install]
WantedBy=multi-user.target
UNIT
    exec systemctl enable forgetmenot-first-boot
fi

# For who puts the card into another machine to see what is wrong. The end of what former attempts wrote stays: the first reason is in it.
[ ! -e "$folder/log" ] || { tail -c 100000 "$folder/log" >"$folder/log.new" && mv "$folder/log.new" "$folder/log"; }
exec >>"$folder/log" 2>&1
date
# The words of the line, as any system's editor stores them, are not run by a shell.
set -f
# shellcheck disable=SC2046 # words on purpose
set -- $(tr -d '\r\357\273\277' <"$folder/line")
set +f
[ "${1-}" != sudo ] || shift
[ "${1-} ${2-}" = "forgetmenot-gateway join" ] || { echo "$folder/line has no line of \`forgetmenot gateways invite\`"; exit 1; }
if ! command -v forgetmenot-gateway; then
    # From a repository, if its file is here, or else from the package that is here.
    package=forgetmenot-gateway
    if [ -e "$folder/forgetmenot.sources" ]; then
        cp "$folder/forgetmenot.sources" /etc/apt/sources.list.d/
    else
        for package in "$folder"/forgetmenot-gateway_*_arm64.deb; do [ -e "$package" ] || { echo "there is no package in $folder"; exit 1; }; done
    fi
    # The power may have gone while packages were installed.
    dpkg --configure -a
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y "$package"
fi
# `join` reports as failed what may pass by itself, such as a radio that is switched off: what counts is that the service is set up.
"$@" || systemctl --quiet is-enabled forgetmenot-gateway
# The code has been used, and nothing remains of the service.
rm "$folder/line"
systemctl disable forgetmenot-first-boot
rm /etc/systemd/system/forgetmenot-first-boot.service
