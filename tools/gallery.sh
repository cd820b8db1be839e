#!/bin/sh
# gallery.sh DOLLOP [NAME...]: runs bundled scenes (all of them by default) and draws one picture of each into
# docs/gallery/NAME.png, then writes docs/gallery/README.md of all pictures there are. Runs stay in out/gallery, so
# that a second call only draws; remove that folder to run them again.
set -eu
dollop=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "$0")/.."
gallery=docs/gallery
runs=out/gallery
limit=150000 # bytes of a picture

# The frame that shows best what happens, or several for one picture of what changes; and what else it needs.
frame_of() {
    case $1 in
    bunny) echo 14 ;;
    crush) echo 15,90,120,239 ;;
    dam) echo 30 ;;
    dam2d) echo 25 ;;
    drape) echo 60 ;;
    drop) echo 18 ;;
    fall) echo 66 ;;
    flag) echo 90 ;;
    flow) echo 150 ;;
    fountain) echo 60 ;;
    flood) echo 14 ;;
    hang) echo 60 ;;
    hold) echo 30 ;;
    jelly) echo 36 ;;
    lava) echo 120 ;;
    metal) echo 60 ;;
    melt) echo 30 ;;
    obstacle) echo 20 ;;
    pour) echo 62 ;;
    sausages) echo 85 ;;
    settle) echo 35 ;;
    stir | twofluids | taylor-green) echo 40 ;;
    terrain) echo 25 ;;
    tori) echo 100 ;;
    towel) echo 0,110 ;;
    *) echo last ;;
    esac
}
# Columns and rows of a picture of several frames, and the size of each.
layout_of() {
    case $1 in
    crush) echo '2x2 400x250' ;;
    towel) echo '2x1 400x500' ;;
    *) echo '1x1 800x500' ;;
    esac
}
options_of() {
    case $1 in
    dam2d | taylor-green) echo '--color speed' ;;
    fall | flow | settle) echo '--color state' ;; # blue moves, green is in passage, red is held
    *) echo '' ;;
    esac
}

# A palette of 256 colours, chosen for the picture, where the plain file is too large.
shrink() {
    size=$(wc -c <"$1")
    [ "$size" -gt $limit ] || return 0
    command -v ffmpeg >"$runs/which.txt" || { echo "$1: $size bytes; install ffmpeg to make it smaller" >&2; return 0; }
    for colors in 256 128 64; do
        ffmpeg -v error -y -i "$2" -vf "split[a][b];[a]palettegen=max_colors=${colors}[p];[b][p]paletteuse=dither=sierra2_4a" \
            -compression_level 9 -pred mixed "$1"
        [ "$(wc -c <"$1")" -gt $limit ] || return 0
    done
    echo "$1: still $(wc -c <"$1") bytes" >&2
}

draw() {
    name=$1 frame=$(frame_of "$1")
    [ -e "$runs/$name/stats.csv" ] || "$dollop" run "$name" -o "$runs/$name"
    [ -e "$runs/$name/particles/0000.vtp" ] || { echo "$name: has no frames" >&2; return 1; }
    newest=$(find "$runs/$name/particles" -name '*.vtp' | sort | tail -n 1)
    newest=$(basename "$newest" .vtp)
    case $frame in
    last | *,*) ;;
    *) [ "$frame" -le "$(echo "$newest" | sed 's/^0*\(.\)/\1/')" ] || frame=last ;;
    esac
    layout=$(layout_of "$name")
    # shellcheck disable=SC2046  # the options are words
    "$dollop" render "$runs/$name" --frames "$frame" --size "${layout#* }" --samples 128 --no-video --force \
        -o "$runs/$name/gallery" $(options_of "$name")
    if [ "${layout% *}" = 1x1 ]; then
        picture=$(find "$runs/$name/gallery/pictures" -name '*.png' | sort | tail -n 1)
    else # from left to right, then down
        picture=$runs/$name/gallery/all.png
        ffmpeg -v error -y -pattern_type glob -i "$runs/$name/gallery/pictures/*.png" -vf "tile=${layout% *}" \
            -frames:v 1 "$picture"
    fi
    cp "$picture" "$gallery/$name.png"
    shrink "$gallery/$name.png" "$picture"
    rm -r "$runs/$name/gallery"
}

# "drop  A drop falls into a pool": the title of a bundled scene.
title_of() {
    "$dollop" scenes | awk -v name="$1" '$1 == name { sub(/^ *[^ ]+ +/, ""); print; exit }'
}

write_page() {
    echo '# Gallery'
    echo
    # shellcheck disable=SC2016  # Markdown, not commands
    echo 'One picture of every bundled scene; `dollop run NAME`, then `dollop render out/NAME` makes the film.'
    for picture in "$gallery"/*.png; do
        name=$(basename "$picture" .png)
        title=$(title_of "$name")
        printf '\n## %s\n\n![%s](%s.png)\n\n%s.\n' "$name" "${title:-$name}" "$name" "${title:-$name}"
    done
}

mkdir -p "$gallery" "$runs"
# shellcheck disable=SC2046  # names are words
[ $# -gt 0 ] || set -- $("$dollop" scenes | awk '{ print $1 }')
for name; do draw "$name"; done
write_page >"$gallery/README.md"
