#!/usr/bin/env bash
# Installs the Debian packages that are missing; says nothing and needs no root when all are there.
set -euo pipefail

packages=(curl libcurl4-openssl-dev libmicrohttpd-dev libsqlite3-dev libssl-dev libsystemd-dev libwslay-dev
  make openssl pkg-config systemd)

missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v swift >/dev/null; then
  echo "deps: no Swift toolchain on the PATH; install Swift 6.2 or newer first" >&2
  exit 1
fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "deps: missing ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
echo "deps: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
