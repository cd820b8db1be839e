#!/usr/bin/env bash
# fuzz_seeds.sh COMMAND FOLDER: files of every format from which the fuzzers start, made with the dollop command.
# Where a fuzzer chooses among formats by its first byte, that byte stands in front.
set -euo pipefail
dollop=$1
seeds=$2
mkdir -p "$seeds"/{frame,points,mesh,scene,state,convert}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# put FUZZER NUMBER NAME FILE: a copy with the byte of that number before it.
put() {
    printf '%b' "\\x$(printf '%02x' "$2")" | cat - "$4" >"$seeds/$1/$3"
}

cat >"$work/small.json" <<'END'
{"frames": {"rate": 400, "count": 1}, "surface": {"kind": "iso", "format": "ply"},
 "substances": {"water": {"material": "water", "particle": {"spacing": 0.03},
 "shape": {"box": {"min": [0, 0, 0], "max": [0.06, 0.06, 0.06]}}},
 "sheet": {"material": "silk", "particle": {"spacing": 0.05},
 "shape": {"sheet": {"center": [0, 0, 0.3], "size": [0.1, 0.1]}}}}}
END
"$dollop" run "$work/small.json" -o "$work/run" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
cp "$work/run/particles/0001.vtp" "$seeds/frame/run.vtp"
put points 1 vtp "$work/run/particles/0001.vtp"
for file in "$work"/run/*/0001.ply; do
    [ -f "$file" ] || continue
    put points 0 ply "$file"
    put mesh 4 surface "$file"
    put mesh 1 ply "$file"
done

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >"$work/a.obj"
put mesh 0 obj "$work/a.obj"
put mesh 7 obj-closed "$work/a.obj"
printf 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n' >"$work/a.stl"
put mesh 2 stl "$work/a.stl"
printf 'P2\n3 2\n9\n1 2 3\n4 5 6\n' >"$work/a.pgm"
put mesh 3 pgm "$work/a.pgm"
printf '1,2,3\n4,5,6\n' >"$work/a.csv"
put mesh 6 csv "$work/a.csv"

for file in scenes/*.yaml; do
    if [ "$(wc -c <"$file")" -lt 1500 ]; then cp "$file" "$seeds/scene"; fi
done
put scene 0 json "$work/small.json"
printf 'substances.water.particle.spacing=0.1' >"$work/set"
put scene 1 set "$work/set"

cat >"$seeds/convert/space" <<'END'
{"Configuration": {"particleRadius": 0.05, "gravitation": [0, -9.81, 0], "stopAt": 1, "cameraPosition": [0, 1, 5]},
 "Materials": [{"id": "a", "density0": 900, "viscosity": 0.01, "viscosityMethod": 1, "maxEmitterParticles": 9}],
 "RigidBodies": [{"geometryFile": "UnitBox.obj", "translation": [0, 1, 0], "scale": [4, 2, 1], "isWall": true,
   "rotationAxis": [1, 0, 0], "rotationAngle": 0.5, "mapInvert": true, "isDynamic": false}],
 "FluidBlocks": [{"id": "a", "start": [0, 0, 0], "end": [1, 1, 1], "initialVelocity": [1, 0, 0]}],
 "Emitters": [{"width": 4, "height": 3, "velocity": 2, "type": 0, "emitStartTime": 0, "emitEndTime": 2}]}
END
sed 's/"stopAt"/"sim2D": true, "stopAt"/' "$seeds/convert/space" >"$seeds/convert/plane"

# each world of fuzz_state.c, with no change yet and with one
for subject in 0 1 2 3 4; do
    printf '%b' "\\x0$subject\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00" >"$seeds/state/$subject"
    for item in 1 5 9 14 18 22; do
        printf '%b' "\\x0$subject\\x$(printf '%02x' "$item")\\x03\\x00\\x01\\x04\\x00\\x00\\x00\\x00\\x00\\x00\\x00" \
            >"$seeds/state/$subject-$item"
    done
done
