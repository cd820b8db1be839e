#!/bin/sh
# bits.sh PROGRAM quick|all|update: the bundled scenes give the bits of tests/bits/golden.txt. PROGRAM is the built
# tests/scene_bits. `quick` runs two frames of each but the largest on two threads; `all` ten frames on 1, 2, 3, 5 and 16 threads, on
# the plain instruction set, and saved and loaded half way; `update` writes the table anew, which needs a reason.
set -eu
program=$1
what=${2:-quick}
table=$(dirname "$0")/../tests/bits/golden.txt
checkpoint=$(mktemp)
trap 'rm -f "$checkpoint"' EXIT
failed=0

# expect HASH SCENE FRAMES THREADS SET [CHECKPOINT]
expect() {
    wanted=$1
    shift
    got=$("$program" "$@" 2>&1) || true
    [ "$got" = "$wanted" ] && return 0
    failed=1
    echo "$1: $2 frames on $3 threads, $4 instruction set${5:+, saved half way}: $got, not $wanted"
}

if [ "$what" = update ]; then
    for scene in "$(dirname "$0")"/../scenes/*.yaml; do
        name=$(basename "$scene" .yaml)
        frames=10
        [ "$name" != flood ] || frames=2
        echo "$name $("$program" "$name" 2 2 best) $frames $("$program" "$name" "$frames" 2 best)"
    done >"$table"
    exit 0
fi
while read -r name two frames hash; do
    if [ "$what" = quick ]; then
        [ "$name" != flood ] || continue
        expect "$two" "$name" 2 2 best
    else
        for threads in 1 2 3 5 16; do expect "$hash" "$name" "$frames" "$threads" best; done
        expect "$hash" "$name" "$frames" 2 plain
        expect "$hash" "$name" "$frames" 2 best "$checkpoint"
    fi
done <"$table"
[ "$failed" -eq 0 ] && echo "every scene gives its bits"
exit "$failed"
