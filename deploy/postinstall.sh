#!/bin/sh
# What a package does after it has put its files in place. The club starts when its operator says so.
set -e
systemd-sysusers ludoteca.conf
systemctl daemon-reload || true # in a container there is no systemd
