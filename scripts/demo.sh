#!/usr/bin/env bash
# The product's point, visible in under a minute: a payment is handed off and paid, the daemon is killed with -9 while the customer
# approves, is started again, and knows the outcome. The customer was charged once.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n== %s\n' "$*"; }

say "Building (the first time takes a few minutes)"
for program in wajubd wajubctl wajub-sandbox; do swift build --product "$program" 2>&1 | tail -n 1; done
bin=$(swift build --show-bin-path)

dir=$(mktemp -d)
sandbox='' daemon='' watcher=''
clean_up() {
  trap - EXIT
  for process in $watcher $daemon $sandbox; do kill "$process" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

export WAJUBD_SOCKET=$dir/wajubd.sock WAJUBD_STATE_DIRECTORY=$dir/state
field() { sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p"; }
# The programs say when they are ready: their lines are waited for, not the clock.
await_line() { until grep -q "$2" "$1" 2>/dev/null; do kill -0 "$3" || { cat "$1" >&2; exit 1; }; sleep 0.05; done; }
start_daemon() {
  : >"$dir/wajubd.log"
  "$bin/wajubd" --api-origin "$origin" 2>"$dir/wajubd.log" &
  daemon=$!
  await_line "$dir/wajubd.log" ready "$daemon"
}
post() { curl --silent --show-error --fail -H 'Authorization: Bearer sk_test_demo' -H 'Content-Type: application/json' -d "$2" "$origin$1"; }

say "A sandbox plays Wajub; the daemon starts"
"$bin/wajub-sandbox" >"$dir/sandbox.json" 2>"$dir/sandbox.log" &
sandbox=$!
await_line "$dir/sandbox.json" api_origin "$sandbox"
origin=$(field api_origin <"$dir/sandbox.json")
start_daemon
cat "$dir/wajubd.log"

say "The merchant's server creates a payment of 15000 XAF, the till hands its token off"
answer=$(post /payments '{"amount": 15000, "currency": "XAF"}')
field authorization_token <<<"$answer" >"$dir/token"
id=$(sed -n 's/.*"transaction":{[^}]*"id":"\([^"]*\)".*/\1/p' <<<"$answer")
"$bin/wajubctl" watch - --reference order-1042 <"$dir/token"

say "The customer gives a number, the till presses Pay, and waits"
"$bin/wajubctl" pay order-1042 --phone - <<<'670 00 00 00' >/dev/null
"$bin/wajubctl" wait order-1042 --timeout 2 || true

say "The power goes: kill -9, while the customer approves on their phone"
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
"$bin/wajubctl" status order-1042 || true

say "The daemon starts again, and the till asks for the outcome"
start_daemon
"$bin/wajubctl" wait order-1042

say "The event stream goes on where it stopped (after seq 3), without a gap or a repeat"
"$bin/wajubctl" events --after 3 --once

say "How often the customer was charged, says the sandbox"
curl --silent --show-error --fail -H 'Authorization: Bearer sk_test_demo' "$origin/payments/$id" | sed -n 's/.*"charges":\([0-9]*\).*/charged \1 time(s)/p'
echo

say "Everything that happened, with its evidence"
"$bin/wajubctl" explain order-1042
