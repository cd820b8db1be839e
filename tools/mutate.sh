#!/usr/bin/env bash
# Puts small mistakes into a copy of the source, one at a time, and runs the tests that concern them: a test must
# fail. Which mistakes and which tests: tools/mutations.txt. With keys as arguments only those.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
table=$PWD/tools/mutations.txt
place=$PWD/build/mutate
seconds=900      # after which a test that hangs counts as failed
most_survivors=10 # %

fail() {
    echo "mutate: $*" >&2
    exit 1
}

# One mutation as key, file, tests, old, new.
read_table() {
    local line
    keys=() files=() tests=() olds=() news=()
    while IFS= read -r line; do
        case "$line" in
            '#'* | '') ;;
            '@ '*)
                read -r _ key file programs <<<"$line"
                keys+=("$key") files+=("$file") tests+=("$programs") olds+=('') news+=('')
                ;;
            '- '*) olds[-1]=${line#- } ;;
            '+ '*) news[-1]=${line#+ } ;;
            '+') news[-1]='' ;;
            *) fail "$table: not understood: $line" ;;
        esac
    done <"$table"
}

# The table is true: every old text stands exactly once in its file.
check_table() {
    local k text rest bad=0
    for k in "${!keys[@]}"; do
        [ -f "${files[k]}" ] || { echo "mutate: ${keys[k]}: no file ${files[k]}" >&2; bad=1; continue; }
        text=$(<"${files[k]}")
        rest=${text#*"${olds[k]}"}
        if [ "$rest" = "$text" ]; then
            echo "mutate: ${keys[k]}: ${files[k]} has no longer: ${olds[k]}" >&2
            bad=1
        elif [ "${rest#*"${olds[k]}"}" != "$rest" ]; then
            echo "mutate: ${keys[k]}: ${files[k]} has more than once: ${olds[k]}" >&2
            bad=1
        fi
        for program in ${tests[k]}; do
            [ -n "$(find tests -name "$program.c" -print -quit)" ] ||
                { echo "mutate: ${keys[k]}: no test $program" >&2; bad=1; }
        done
    done
    return "$bad"
}

is_wanted() {
    local key
    [ "${#wanted[@]}" -gt 0 ] || return 0
    for key in "${wanted[@]}"; do [ "$key" != "$1" ] || return 0; done
    return 1
}

make_copy() {
    mkdir -p "$place/tree"
    # unchanged files keep their times, so that little is built anew
    git ls-files -z | xargs -0 tar cf - | tar xf - -C "$place/tree"
    cmake -S "$place/tree" -B "$place/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$place/log" 2>&1 ||
        fail "the copy cannot be configured: $place/log"
}

build() { cmake --build "$place/build" --target "$@" >"$place/log" 2>&1; }

# Whether one of the tests fails.
is_killed() {
    local program
    for program in "$@"; do
        (cd "$place/tree" && timeout "$seconds" "$place/build/tests/$program") >"$place/log" 2>&1 || return 0
    done
    return 1
}

# try_one K: puts the mistake in, builds, tests, takes it out.
try_one() {
    local k=$1 path="$place/tree/${files[$1]}" text programs
    read -ra programs <<<"${tests[k]}"
    text=$(<"$path")
    printf '%s\n' "${text/"${olds[k]}"/"${news[k]}"}" >"$path"
    printf '%-28s ' "${keys[k]}"
    if ! build "${programs[@]}"; then
        echo 'DOES NOT COMPILE'
        broken=$((broken + 1))
    elif is_killed "${programs[@]}"; then
        echo 'killed'
        killed=$((killed + 1))
    else
        echo "SURVIVED ${tests[k]}"
        survived=$((survived + 1))
    fi
    printf '%s\n' "$text" >"$path"
}

wanted=("$@")
killed=0 survived=0 broken=0
read_table
check_table || fail "$table is not true of the source: mend it"
if [ "${1:-}" = --check ]; then exit 0; fi
make_copy
for k in "${!keys[@]}"; do
    if is_wanted "${keys[k]}"; then try_one "$k"; fi
done
echo "$killed killed, $survived survived, $broken do not compile"
[ "$broken" -eq 0 ] && [ $((survived * 100)) -le $(((killed + survived) * most_survivors)) ]
