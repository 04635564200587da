#!/usr/bin/env bash
# Verifies the units and their hardening. Quiet when all is well. Needs systemd installed, not running.
set -euo pipefail
cd "$(dirname "$0")"

# In tenths of what `systemd-analyze security` prints: 15 is 1.5.
readonly threshold=15

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# `verify` wants to see the program: anything that can be executed will do.
mkdir -p "$place/prefix/bin" "$place/units"
install -m 0755 /dev/stdin "$place/prefix/bin/wajubd" <<<'#!/bin/sh'
for unit in wajubd.service wajubd.socket; do
  sed "s|@PREFIX@|$place/prefix|g" "$unit" >"$place/units/$unit"
done

# Prints what it does not know and goes on with exit code 0: whatever it says about our units is a failure. What other
# units on this machine are like is not ours to judge.
said=$(systemd-analyze verify "$place/units/wajubd.service" "$place/units/wajubd.socket" 2>&1) || {
  printf '%s\n' "$said" >&2
  exit 1
}
if grep -F wajubd <<<"$said" >&2; then exit 1; fi

said=$(systemd-analyze security --offline=true --no-pager --threshold="$threshold" "$place/units/wajubd.service" 2>&1) || {
  printf '%s\n' "$said" >&2
  exit 1
}

# The tools that will read them, each in a root of its own; they give files to root, which only root can.
if [[ $EUID -ne 0 ]]; then exit 0; fi
install -d "$place/root/etc"
for command in "systemd-sysusers $PWD/wajubd.sysusers" "systemd-tmpfiles --create $PWD/wajubd.tmpfiles"; do
  read -r tool rest <<<"$command"
  # shellcheck disable=SC2086 # the words are ours
  said=$("$tool" --root="$place/root" $rest 2>&1) || {
    printf '%s\n' "$said" >&2
    exit 1
  }
done
