#!/usr/bin/env bash
# Opens the files that tests/viewers/write_meshes.c writes with Blender and ParaView, and compares counts of vertices
# and bounds, which attributes arrive (as docs/getting-started.md says), and what is seen at which time:
# viewers_test.sh WRITE_MESHES. Skipped (77) where neither program is installed.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
write_meshes=$1
command -v blender >/dev/null || echo 'no Blender here: skipped'
command -v pvpython >/dev/null || echo 'no ParaView (pvpython) here: skipped'
command -v blender >/dev/null || command -v pvpython >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failures=0

fail() {
    echo "$1"
    failures=$((failures + 1))
}

"$write_meshes" "$work" >"$work/written.txt" || exit 1

# compare VIEWER LOG NAME: the line "opened NAME ..." of the log says what was written. A level set is meshed by the
# viewer: its bounds agree within a tenth of a voxel of 0.05 m, those of meshes within 1e-6.
compare() {
    checks=$((checks + 1))
    awk -v name="$3" '
        FNR == NR { if ($1 == name) for (k = 2; k <= 8; k++) wanted[k - 1] = $k; next }
        $1 == "opened" && $2 == name { found = 1; for (k = 3; k <= 9; k++) got[k - 2] = $k }
        END {
            bad = !found || got[1] != wanted[1]
            for (k = 2; k <= 7; k++) { d = got[k] - wanted[k]; if (d < 0) d = -d; if (d > (name ~ /vdb$/ ? 0.005 : 1e-6)) bad = 1 }
            exit bad
        }' "$work/written.txt" "$2" ||
        fail "$1: $3: written $(grep "^$3 " "$work/written.txt"), opened $(grep "^opened $3 " "$2")"
}

# expect VIEWER LOG LINE: the log has this very line.
expect() {
    checks=$((checks + 1))
    grep -qxF -- "$3" "$2" || fail "$1: not said: $3; but: $(grep "^${3%% *} " "$2")"
}

if command -v blender >/dev/null; then
    log="$work/blender.txt"
    blender -b --factory-startup --python-exit-code 1 --python tests/viewers/open_in_blender.py -- "$work" >"$log" 2>&1 ||
        { fail 'Blender failed'; tail -n 20 "$log"; }
    for name in torus.ply torus.obj torus.stl torus.glb; do compare Blender "$log" $name; done
    # Frames 10 to 14 at Blender's frames 10 to 14; the first is seen before, the last after.
    expect Blender "$log" 'film 5 4 8:0010,9:0010,10:0010,11:0011,12:0012,13:0013,14:0014,15:0014,16:0014'
    if grep -q '^Blender 3\.4' "$log"; then # others may keep more
        expect Blender "$log" 'attributes torus.ply Col'
        expect Blender "$log" 'attributes torus.obj Color'
        expect Blender "$log" 'attributes torus.stl none'
        expect Blender "$log" 'attributes torus.glb Col'
    fi
    if [ -e "$work/ball.vdb" ]; then
        compare Blender "$log" ball.vdb
        expect Blender "$log" 'grid surface FLOAT 1'
        expect Blender "$log" 'grid velocity VECTOR_FLOAT 3'
        expect Blender "$log" 'motion velocity'
    else
        echo 'skipped without OpenVDB: the level set'
    fi
fi

if command -v pvpython >/dev/null; then
    log="$work/paraview.txt"
    pvpython tests/viewers/open_in_paraview.py "$work" >"$log" 2>&1 || { fail 'ParaView failed'; tail -n 20 "$log"; }
    for name in torus.ply torus.obj torus.stl torus.vtp points.vtp; do compare ParaView "$log" $name; done
    expect ParaView "$log" 'arrays torus.ply Normals,RGB'
    expect ParaView "$log" 'arrays torus.obj Normals'
    expect ParaView "$log" 'arrays torus.stl none'
    expect ParaView "$log" 'arrays torus.vtp color,normal,temperature,velocity'
    checks=$((checks + 1))
    awk 'FNR == NR { if ($1 == "velocity") for (k = 2; k <= 8; k++) wanted[k] = $k; next }
        $1 == "velocity" { found = 1; for (k = 2; k <= 8; k++) { d = $(k + 1) - wanted[k]; if (d > 1e-6 * wanted[8] || -d > 1e-6 * wanted[8]) bad = 1 } }
        END { exit bad || !found }' "$work/written.txt" "$log" ||
        fail "ParaView: velocities: $(grep '^velocity' "$work/written.txt" "$log")"
    expect ParaView "$log" 'film 0.4:96,0.44:0,0.48:160,0.52:192,0.56:224' # seconds and points
fi

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
