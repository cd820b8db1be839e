#!/bin/sh
# manual_test.sh DOLLOP: every option and verb that --help names is in the manual page, and the other way round.
set -eu
dollop=$1
cd "$(dirname "$0")/.."
manual=docs/dollop.1.scd
failures=0
fail() {
    echo "$1"
    failures=$((failures + 1))
}

# The options of a verb, sorted: the words that begin with -- at the start of the lines under "Options:".
options_of() {
    "$dollop" "$1" --help | sed -n '/^Options:/,$s/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' | grep -v -x -e --help | sort -u
}
# The same of the verb's line in the manual's SYNOPSIS, where a short option stands for its long one.
synopsis_of() {
    sed -n '/^# SYNOPSIS/,/^# DESCRIPTION/p' "$manual" | grep "^\*dollop\* \*$1\*" | grep -o -e '--[a-z-]*\|\*-o\*' |
        sed 's/^\*-o\*$/--output/' | sort -u
}

verbs=$("$dollop" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(echo "$verbs" | wc -w)" -ge 8 ] || fail "too few verbs in dollop --help: $verbs"
for verb in $verbs; do
    grep -q "^\*$verb\*$" "$manual" || { fail "$verb: is not under VERBS in $manual"; continue; }
    help=$(options_of "$verb")
    page=$(synopsis_of "$verb")
    [ "$help" = "$page" ] || fail "$verb: --help has: $help; the manual: $page"
    # An option that the line of the synopsis names is explained somewhere below.
    for option in $help; do
        sed '1,/^# DESCRIPTION/d' "$manual" | grep -q -e "\*$option\*" || fail "$verb: $option: is not explained in $manual"
    done
done
in_manual=$(sed -n 's/^\*dollop\* \*\([a-z]*\)\*.*/\1/p' "$manual" | sort -u)
for verb in $in_manual; do
    echo "$verbs" | grep -q -x "$verb" || fail "$verb: is in $manual, but not in dollop --help"
done

# Options that the docs and the README give to a verb.
for file in README.md docs/*.md; do
    grep -o 'dollop [a-z]* [^`#|]*' "$file" | while read -r command verb words; do
        echo "$verbs" | grep -q -x "$verb" || continue
        for word in $words; do
            case $word in --[a-z]*) ;; *) continue ;; esac
            name=${word%%=*}
            [ "$name" = --help ] || options_of "$verb" | grep -q -x -e "$(echo "$name" | tr -cd 'a-z-')" ||
                echo "$file: $command $verb has no option $name"
        done
    done
done >/tmp/dollop-manual-$$.txt
if [ -s /tmp/dollop-manual-$$.txt ]; then fail "$(cat /tmp/dollop-manual-$$.txt)"; fi
rm -f /tmp/dollop-manual-$$.txt

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo 'the manual, --help and the docs agree'
