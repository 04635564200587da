#!/usr/bin/env bash
# The house rules that no formatter knows. Prints each place that breaks one, and fails.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=0
complain() {
  failed=1
  printf 'tidy: %s\n' "$1"
  sed 's/^/  /'
}
check() { # check RULE PATTERN PATHS...
  local rule=$1 pattern=$2 found
  shift 2
  found=$(git grep -nE "$pattern" -- "$@") && complain "$rule" <<<"$found"
}

check 'Foundation is heavy: import FoundationEssentials' '^(@testable )?((package|internal|public) )?import Foundation$' '*.swift'
check 'unfinished work belongs in an issue' '\b(TODO|FIXME|XXX)\b' 'Sources/*' 'Tests/*.swift' 'scripts/d*' systemd Makefile
check 'nothing crashes on what a peer or the disk sends' '\b(fatalError|try!)' 'Sources/*.swift'
check 'tests take no real time' '\b(Task\.sleep|usleep|Thread\.sleep)\b|[^.[:alnum:]]sleep\(' 'Tests/*.swift'
check 'no public: nothing outside this package links to it' '^ *public ' 'Sources/*.swift'

# A proof stands right above each unchecked promise.
while IFS=: read -r file line _; do
  above=$(sed -n "$((line - 1))p" "$file")
  [[ $above =~ ^[[:space:]]*// ]] || complain 'an unchecked promise without its proof above' <<<"$file:$line"
done < <(git grep -nE '@unchecked Sendable|nonisolated\(unsafe\)' -- 'Sources/*.swift' | grep -v '//.*@unchecked')

# C libraries have one wrapper each.
while read -r module targets; do
  found=$(git grep -lE "import $module\$" -- 'Sources/*.swift' | cut -d/ -f2 | sort -u | tr '\n' ' ')
  for target in $found; do
    [[ " $targets " == *" $target "* ]] || complain "$module belongs to $targets alone" <<<"$target"
  done
done <<'MODULES'
CCrypto Platform
CCurl Transport
CMicrohttpd WajubSandbox
CSQLite Store StoreTestSupport wajubd-bench
CSystemd DaemonCore
CWslay WebSocketCodec
MODULES

# The contract is pure.
check 'the contract has no clock, randomness, lock or I/O' \
  'import (Glibc|Synchronization|Dispatch|Platform)|SystemRandomNumberGenerator|ContinuousClock|Date\(\)|\.random' 'Sources/Contract/*.swift'

# Files of 500 lines hold two topics; functions of 70 lines hold two jobs.
while IFS= read -r file; do
  lines=$(wc -l <"$file")
  [ "$lines" -le 500 ] || complain 'files of more than 500 lines hold two topics' <<<"$file: $lines"
  long=$(awk '
    match($0, /^ *((package|private|fileprivate|internal|static|mutating|override|final|nonisolated|@[A-Za-z]+) )*(func |init[?(<]|deinit)/) {
      if ($0 ~ /\{ *$/) { match($0, /^ */); indent = RLENGTH; start = NR; name = $0 }
      else if (!start) { pending = NR; match($0, /^ */); pendingIndent = RLENGTH; name = $0 }
    }
    pending && /\{ *$/ { indent = pendingIndent; start = pending; pending = 0 }
    start && /^ *\} *$/ { match($0, /^ */); if (RLENGTH == indent) { if (NR - start + 1 > 70) printf "%s:%d: %d lines\n", FILENAME, start, NR - start + 1; start = 0; pending = 0 } }
  ' "$file")
  [ -z "$long" ] || complain 'functions of more than 70 lines hold two jobs' <<<"$long"
done < <(git ls-files '*.swift')

[ "$failed" -eq 0 ] && echo 'tidy: all house rules hold'
exit "$failed"
