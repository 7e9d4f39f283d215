#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the machine on which it runs, as root, a TPU host, and cleans it for being
# snapshotted. In the environment:
#
#   DEB             the package tpu-bootd, an absolute path; removed at the end
#   TPU_GENERATION  any, v5e, v5p, v6e or tpu7x (default: any)
#   PULL_IMAGES     true or false: whether the containers' images are to be in the image
set -eu

: "${DEB:?is to be the path of the package}"
generation=${TPU_GENERATION:-any}
export DEBIAN_FRONTEND=noninteractive

# A stock image may still be at its own first boot, and hold apt's lock.
if command -v cloud-init >/dev/null; then
  cloud-init status --wait >/dev/null || true
fi

apt-get update
apt-get install -y --no-install-recommends docker.io "$DEB"

if [ "$generation" != any ]; then
  sed -i "s/^TPU_GENERATION=.*/TPU_GENERATION=$generation/" /etc/default/tpu-bootd
  grep -qx "TPU_GENERATION=$generation" /etc/default/tpu-bootd
  # It decides on a kernel argument.
  if [ -e /boot/grub/grub.cfg ]; then
    update-grub
  fi
fi

if [ "${PULL_IMAGES:-true}" = true ]; then
  tpu-bootd images pull
fi

# From here on nothing is to be written any more that belongs to this machine alone.
if [ -d /run/systemd/system ]; then
  systemctl stop tpu-bootd.service
fi
rm -rf /home/tpu-runtime/tpu-env /etc/tpu/tpu-env /var/lib/tpu-bootd/containers

# The next boot is the first one: cloud-init, machine id, host keys, Docker's own id.
if command -v cloud-init >/dev/null; then
  cloud-init clean --logs
fi
if [ -e /etc/machine-id ]; then
  : >/etc/machine-id
fi
rm -f /var/lib/dbus/machine-id /var/lib/systemd/random-seed
rm -f /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub
rm -f /etc/docker/key.json /var/lib/docker/engine-id
rm -rf /var/log/journal/*

apt-get clean
rm -rf /var/lib/apt/lists/*
rm -f "$DEB"

# Fails the build where the image would be no good TPU host.
tpu-bootd check --image
