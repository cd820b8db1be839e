#!/bin/sh
# bits.sh PROGRAM quick|all|update: the bundled scenes give the bits of tests/bits/golden.txt. PROGRAM is the built
# tests/scene_bits. `quick` runs a few frames of each but the largest on two threads; `all` ten frames on 1, 2, 3, 5 and 16
# threads, on the plain instruction set, and saved and loaded half way; `update` writes the table anew, which needs a reason.
# A line of the table: scene, the frames of `quick` (0: it is left out) and their bits, the frames of `all` and theirs.
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
        frames=2
        case $name in
            flood) frames=0 ;;    # 17 s for two frames
            fountain) frames=5 ;; # empty before the third
        esac
        echo "$name $frames $("$program" "$name" "$frames" 2 best) 10 $("$program" "$name" 10 2 best)"
    done >"$table"
    exit 0
fi
while read -r name few few_hash frames hash; do
    if [ "$what" = quick ]; then
        [ "$few" != 0 ] || continue
        expect "$few_hash" "$name" "$few" 2 best
    else
        for threads in 1 2 3 5 16; do expect "$hash" "$name" "$frames" "$threads" best; done
        expect "$hash" "$name" "$frames" 2 plain
        expect "$hash" "$name" "$frames" 2 best "$checkpoint"
    fi
done <"$table"
[ "$failed" -eq 0 ] && echo "every scene gives its bits"
exit "$failed"
