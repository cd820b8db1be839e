#!/bin/sh
# scene_costs.sh DOLLOP [NAME...]: runs bundled scenes (all of them by default) and writes docs/scene-costs.md: particles,
# steps, evaluations and processor time of each. Run it on a machine that does nothing else; THREADS=1 by default, so that the
# times can be added up. Runs stay in out/costs; one that is there is not run again.
set -eu
dollop=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "$0")/.."
runs=out/costs
page=docs/scene-costs.md
threads=${THREADS:-1}
mkdir -p "$runs"
# shellcheck disable=SC2046  # names are words
[ $# -gt 0 ] || set -- $("$dollop" scenes | awk '{ print $1 }')

# Seconds of processor time that this shell's children have taken, from what `times` wrote: a subshell has its own.
seconds_in() {
    awk 'NR == 2 { for (k = 1; k <= 2; k++) { split($k, t, "[ms]"); sum += 60 * t[1] + t[2] } printf "%.2f", sum }' "$1"
}

for name; do
    [ ! -e "$runs/$name/cost.txt" ] || continue
    times >"$runs/before.txt"
    "$dollop" run "$name" -o "$runs/$name" --force --threads "$threads" >"$runs/log.txt" 2>&1 || { cat "$runs/log.txt" >&2; exit 1; }
    times >"$runs/after.txt"
    awk -v a="$(seconds_in "$runs/before.txt")" -v b="$(seconds_in "$runs/after.txt")" 'BEGIN { printf "%.1f\n", b - a }' >"$runs/$name/cost.txt"
done

# A row: scene, frames, most particles, smallest steps, million evaluations (particles times their own steps), seconds.
row() {
    awk -F, -v name="$1" -v cost="$(cat "$runs/$1/cost.txt")" '
        NR == 1 { for (k = 1; k <= NF; k++) column[$k] = k; next }
        { frames = $column["frame"]; p = $column["particles"]; if (p > most) most = p
          steps += $column["substeps"]; work += $column["force_evaluations"] }
        END { printf "| `%s` | %d | %d | %d | %.1f | %.0f |\n", name, frames, most, steps, work / 1e6, cost }' \
        "$runs/$1/stats.csv"
}

{
    echo '# What the bundled scenes cost'
    echo
    # shellcheck disable=SC2016  # Markdown, not commands
    echo 'Each as it is, with its surface and its frames, on '"$threads"' thread'"$([ "$threads" = 1 ] || echo s)"'. The *evaluations* are particles times the steps'
    echo 'that each of them took; the *time* is that of the processor, of the machine that made this table with'
    # shellcheck disable=SC2016
    echo '`tools/scene_costs.sh`: yours differs, the ratios hardly do. `dollop check NAME` estimates the time on yours.'
    echo
    echo '| scene | frames | most particles | steps | evaluations, millions | time, s |'
    echo '|---|--:|--:|--:|--:|--:|'
    for folder in "$runs"/*/; do
        [ ! -e "$folder/cost.txt" ] || row "$(basename "$folder")"
    done
} >"$page"
echo "$page: $(grep -c '^| `' "$page") scenes"
