#!/bin/bash
# Raspberry Pi OS bookworm runs this file once, if cmdline.txt says so: README.md beside this file.
sh /boot/firmware/forgetmenot/first-boot.sh
rm -f /boot/firmware/firstrun.sh
sed -i 's| systemd\.[^ ]*||g' /boot/firmware/cmdline.txt
