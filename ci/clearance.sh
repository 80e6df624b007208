#!/bin/sh
# Runs `clearance` with the given arguments, from a path or from a release archive. For action.yml and pre-commit.
#
#   CLEARANCE_BINARY   path of the command
#   CLEARANCE_ADDRESS  otherwise: https:// or file:// address of a release archive (clearance-VERSION-TARGET.tar.gz)
#   CLEARANCE_SHA256   SHA-256 of that archive, in hexadecimal; compared if given
#   CLEARANCE_CACHE    folder for unpacked archives [default: $XDG_CACHE_HOME/clearance or ~/.cache/clearance]
#
# Without a path or an address it runs `clearance` from PATH. Exits with the code of `clearance`, or 2.
set -eu

fail() {
    echo "clearance.sh: $*" >&2
    exit 2
}

hash_of() {
    if command -v sha256sum >/dev/null; then
        sha256sum | cut -d ' ' -f 1
    else
        shasum -a 256 | cut -d ' ' -f 1
    fi
}

fetch() {
    case $1 in
        file://*) cp -- "${1#file://}" "$2" ;;
        https://*) curl --fail --silent --show-error --location --proto '=https' --retry 3 --output "$2" "$1" ;;
        *) fail "CLEARANCE_ADDRESS: expected https:// or file://, got $1" ;;
    esac || fail "cannot fetch $1"
}

# Unpacks the archive once, and sets `binary`. Another run may do the same meanwhile: the folder appears complete.
unpack() {
    address=$1 expected=${CLEARANCE_SHA256:-}
    cache=${CLEARANCE_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/clearance}
    folder=$cache/$(printf '%s %s' "$address" "$expected" | hash_of)
    if [ ! -d "$folder" ]; then
        mkdir -p "$cache"
        new=$(mktemp -d "$cache/new.XXXXXX")
        trap 'rm -rf "$new"' EXIT
        fetch "$address" "$new/archive.tar.gz"
        actual=$(hash_of <"$new/archive.tar.gz")
        if [ -n "$expected" ] && [ "$actual" != "$expected" ]; then
            fail "$address: SHA-256 is $actual, expected $expected"
        fi
        mkdir "$new/files"
        tar -xzf "$new/archive.tar.gz" -C "$new/files" || fail "$address: not a .tar.gz archive"
        mv "$new/files" "$folder" 2>/dev/null || [ -d "$folder" ] || fail "cannot write $folder"
        rm -rf "$new"
        trap - EXIT
    fi
    binary=
    for found in "$folder"/*/clearance "$folder"/clearance; do
        if [ -z "$binary" ] && [ -f "$found" ]; then binary=$found; fi
    done
    [ -n "$binary" ] || fail "$address: no \`clearance\` in the archive; expected clearance-VERSION-TARGET/clearance"
}

if [ -n "${CLEARANCE_BINARY:-}" ]; then
    binary=$CLEARANCE_BINARY
    [ -x "$binary" ] || fail "CLEARANCE_BINARY: $binary is not an executable file"
elif [ -n "${CLEARANCE_ADDRESS:-}" ]; then
    unpack "$CLEARANCE_ADDRESS"
else
    binary=$(command -v clearance) || fail "no \`clearance\` on PATH: set CLEARANCE_BINARY or CLEARANCE_ADDRESS"
fi
exec "$binary" "$@"
