#!/usr/bin/env bash
# What the sanitizers of a build found, in whatever process (cmake/sanitizer_reports.cc).
#
#   tools/sanitizer_reports.sh forget DIR    empties the folder
#   tools/sanitizer_reports.sh show DIR      prints what was found; exits with 1 if there is any
set -euo pipefail
shopt -s nullglob
action=$1 folder=$2
readonly most_lines=200 # of one report

case $action in
  forget)
    mkdir -p "$folder"
    chmod 1777 "$folder"
    rm -f "$folder"/*san.* "$folder/shared"
    ;;
  show)
    found=0
    for report in "$folder"/*san.*; do
      found=1
      printf '== %s\n' "$report"
      head -n "$most_lines" "$report"
    done
    if [ -e "$folder/shared" ] && tr -d '\0' <"$folder/shared" | grep -q .; then
      found=1
      printf '== in memory that is shared with the inits of instances\n'
      tail -c +9 "$folder/shared" | tr -d '\0' | head -n "$most_lines"
    fi
    [ "$found" = 0 ] || exit 1
    echo "no sanitizer found anything"
    ;;
  *)
    echo "usage: tools/sanitizer_reports.sh forget|show DIR" >&2
    exit 2
    ;;
esac
