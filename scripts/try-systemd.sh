#!/usr/bin/env bash
# Tries the units under a real systemd: boots a small Debian in a container, installs the built programs there, and looks
# at what the unit files promise. Needs root, debootstrap and systemd-nspawn; takes about two minutes.
#     scripts/try-systemd.sh [DIRECTORY-OF-THE-PROGRAMS]
# TRY_ROOT=DIR keeps the Debian in DIR, and takes it from there the next time.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly programs=${1:-$(swift build --show-bin-path)}
place=$(mktemp -d)
readonly place root=${TRY_ROOT:-$place/root}
container=

finish() {
  if [[ -n $container ]]; then
    # SIGRTMIN+4 to its init: power off.
    kill -s RTMIN+4 "$init" 2>/dev/null || true
    wait "$container" || true
  fi
  rm -rf --one-file-system "$place"
}
trap finish EXIT

inside() { # runs lines of shell in the container; each must succeed
  nsenter -t "$init" -m -u -i -n -p -r -w env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    timeout 60 bash -ec "$*"
}

check() { # WHAT LINE: the line must succeed
  if inside "$2" >"$place/said" 2>&1; then
    echo "ok      $1"
  else
    echo "FAILED  $1" && cat "$place/said"
    inside 'journalctl -u wajubd -u wajubd.socket -b --no-pager | tail -20'
    exit 1
  fi
}

if [[ ! -x $root/usr/bin/systemctl ]]; then
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,ca-certificates,libcurl4,libsqlite3-0,libwslay1 \
    bookworm "$root" >"$place/log" || { tail "$place/log" && exit 1; }
fi
install -m 0755 "$programs/wajubd" "$root/usr/local/bin/"
# A debug build's Swift libraries; nothing for a static one.
ldd "$programs/wajubd" | awk '$3 ~ "^/" { print $3 }' | while read -r library; do
  [[ -e $root$library ]] || install -D "$library" "$root$library"
done
for unit in wajubd.service wajubd.socket; do
  sed 's|@PREFIX@|/usr/local|g' "systemd/$unit" >"$root/etc/systemd/system/$unit"
done
install -m 0644 systemd/wajubd.sysusers "$root/usr/lib/sysusers.d/wajubd.conf"
install -m 0644 systemd/wajubd.tmpfiles "$root/usr/lib/tmpfiles.d/wajubd.conf"
rm -rf "$root/var/lib/wajubd" "$root/etc/wajubd"
# Nobody is talked to.
echo 'WAJUBD_API_ORIGIN=http://127.0.0.1:1' >"$root/etc/default/wajubd"
cat >"$root/usr/local/bin/ask" <<'ASK'
#!/usr/bin/perl
use IO::Socket::UNIX;
my $till = IO::Socket::UNIX->new(Peer => "/run/wajubd/wajubd.sock") or die "connect: $!\n";
print $till qq({"jsonrpc":"2.0","id":1,"method":"daemon.info"}\n);
$till->flush;
my $answer = <$till> // die "no answer\n";
print $answer;
ASK
chmod 0755 "$root/usr/local/bin/ask"

systemd-nspawn -D "$root" --boot --register=no --keep-unit --console=pipe </dev/null >"$place/console" 2>&1 &
container=$!
for _ in {1..100}; do
  init=$(pgrep -P "$container" systemd || true)
  if [[ -n $init ]] && inside 'systemctl is-system-running --wait' >/dev/null 2>&1; then break; fi
  sleep 0.2
done

check 'the units start, and READY arrives' 'systemctl daemon-reload; systemctl enable --now wajubd.service'
check 'STATUS is there' 'systemctl status wajubd | grep "Status: \"Watching 0 of 0 payments"'
check 'journal entries have fields' 'journalctl --sync; journalctl -b -u wajubd -o json | grep ready | grep -q WAJUB_VERSION'
check 'nothing is written that is not ours' '! journalctl -b -u wajubd | grep -q "thread priority"'
check 'the socket answers' ask
check 'it answers the group' 'setpriv --reuid=33 --regid=33 --groups="$(getent group wajub | cut -d: -f3)" ask'
check 'it refuses anybody else' '! setpriv --reuid=33 --regid=33 --clear-groups ask'
check 'kill -9: a till that connects meanwhile is served by the next' \
  'systemctl kill -s KILL wajubd; ask; test "$(systemctl show -P NRestarts wajubd)" = 1'
check 'reload' 'mkdir -p /etc/wajubd; echo "log-level = info" >/etc/wajubd/wajubd.conf; systemctl reload wajubd;
  until journalctl --sync; journalctl -b -u wajubd | grep -q "configuration read again"; do sleep 0.1; done'
check 'no core dump' 'grep -q "Max core file size *0 *0" /proc/$(systemctl show -P MainPID wajubd)/limits'
check 'stop within a second' 'timeout 1 systemctl stop wajubd.socket wajubd.service; ! systemctl is-active wajubd'
check 'socket activation' 'systemctl start wajubd.socket; ask; systemctl is-active wajubd'
check 'DynamicUser' 'mkdir -p /run/systemd/system/wajubd.service.d
  printf "[Service]\nUser=\nGroup=\nDynamicUser=yes\n" >/run/systemd/system/wajubd.service.d/try.conf
  systemctl daemon-reload; systemctl restart wajubd; ask; test -d /var/lib/private/wajubd
  rm -r /run/systemd/system/wajubd.service.d; systemctl daemon-reload; systemctl restart wajubd; ask'
check 'a damaged store is not started again' 'systemctl stop wajubd.socket wajubd; rm -f /var/lib/wajubd/*-wal
  head -c 8192 /dev/urandom >/var/lib/wajubd/wajubd.sqlite3
  ! systemctl start wajubd; sleep 3; test "$(systemctl show -P NRestarts -P ExecMainStatus wajubd | sort | xargs)" = "0 78"'
check 'a bad option is not started again' 'systemctl stop wajubd.socket wajubd; echo "speed = x" >/etc/wajubd/wajubd.conf
  ! systemctl start wajubd; sleep 3; test "$(systemctl show -P NRestarts -P ExecMainStatus wajubd | sort | xargs)" = "0 64"'
