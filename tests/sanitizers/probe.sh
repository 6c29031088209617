#!/usr/bin/env bash
# probe.sh PROGRAM WHO REPORTS: what PROGRAM does wrong as WHO is told, and nothing else is.
set -uo pipefail
program=$1 who=$2 reports=$3
tool=$(dirname "${BASH_SOURCE[0]}")/../../tools/sanitizer_reports.sh

"$tool" forget "$reports" || exit 1
"$program" "$who"
ended=$?
shown=$("$tool" show "$reports")
code=$?
printf '%s\n' "$shown"
if [ "$who" = nothing ]; then
  [ "$code" = 0 ] && [ "$ended" = 0 ]
else
  [ "$code" = 1 ] && grep -qE "overflow|data race|ended by a sanitizer" <<<"$shown"
fi
