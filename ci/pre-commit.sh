#!/bin/sh
# Checks each file of parts among the arguments as an assembly of its own; all other arguments are options of
# `clearance check`. Three options say where `clearance` comes from: --binary=PATH, --address=ADDRESS, --sha256=HEX
# (see clearance.sh). Exits with the worst code.
set -u
script=$(dirname -- "$0")/clearance.sh

# Options stay in "$@"; files become lines of `files`, which no file name in a commit may break.
files='' count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
        --binary=*) CLEARANCE_BINARY=${argument#*=} ;;
        --address=*) CLEARANCE_ADDRESS=${argument#*=} ;;
        --sha256=*) CLEARANCE_SHA256=${argument#*=} ;;
        -*) set -- "$@" "$argument" ;;
        *.[gG][lL][bB] | *.[gG][lL][tT][fF] | *.3[mM][fF] | *.[oO][bB][jJ] | *.[sS][tT][lL] | *.[pP][lL][yY] | *.[oO][fF][fF])
            files="$files$argument
"
            ;;
        *) set -- "$@" "$argument" ;;
    esac
done
export CLEARANCE_BINARY="${CLEARANCE_BINARY:-}" CLEARANCE_ADDRESS="${CLEARANCE_ADDRESS:-}"
export CLEARANCE_SHA256="${CLEARANCE_SHA256:-}"

worst=0
while IFS= read -r file; do
    [ -n "$file" ] || continue
    # A name that starts with a dash is no option.
    case $file in -*) file=./$file ;; esac
    "$script" check "$file" --quiet "$@" </dev/null
    code=$?
    if [ "$code" -gt "$worst" ]; then worst=$code; fi
done <<END
$files
END
exit "$worst"
