#!/usr/bin/env bash
# Checks the units as `make install` would write them: no complaint of systemd, and an exposure of at most 1.5 of 10.
set -euo pipefail
cd "$(dirname "$0")"

limit=1.5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/prefix/bin" "$work/units"
# The programs need not be built: systemd looks only whether they can be run.
install -m 0755 /dev/null "$work/prefix/bin/wajubd"
for unit in wajubd.service wajubd.socket; do
  sed "s|@PREFIX@|$work/prefix|g" "$unit" >"$work/units/$unit"
done

fail() {
  printf 'systemd/check.sh: %s\n' "$1" >&2
  exit 1
}

# Only what concerns our units: those of the machine are not ours to judge.
complaints=$(systemd-analyze verify --man=no "$work/units/wajubd.service" "$work/units/wajubd.socket" 2>&1) || true
ours=$(grep -F wajub <<<"$complaints" || true)
[ -z "$ours" ] || fail "systemd complains:"$'\n'"$ours"

# Into a root of their own. Giving files away there takes root, so that only complaints about a line count.
mkdir -p "$work/root/etc"
complaints=$(systemd-sysusers --root="$work/root" "$PWD/wajubd.sysusers" 2>&1) || fail "wajubd.sysusers: $complaints"
grep -q '^wajub:' "$work/root/etc/passwd" || fail "wajubd.sysusers makes no user wajub"
complaints=$(systemd-tmpfiles --create --root="$work/root" "$PWD/wajubd.tmpfiles" 2>&1) || true
ours=$(grep -F wajubd.tmpfiles: <<<"$complaints" || true)
[ -z "$ours" ] || fail "systemd-tmpfiles complains:"$'\n'"$ours"

report=$(systemd-analyze security --offline=true "$work/units/wajubd.service")
exposure=$(sed -n 's/.*Overall exposure level for wajubd\.service: \([0-9.]*\).*/\1/p' <<<"$report")
[ -n "$exposure" ] || fail "systemd-analyze gives no exposure level"
awk -v is="$exposure" -v most="$limit" 'BEGIN { exit !(is <= most) }' ||
  fail "the exposure level is $exposure, more than $limit"
echo "systemd: units are clean, exposure level $exposure (at most $limit)"
