#!/bin/sh
# command_test.sh DOLLOP: the command as a person meets it: exit statuses, messages, files. Works without the
# optional libraries too, and then skips what needs them.
set -u
dollop=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
checks=0

# expect STATUS TEXT WORDS...: `dollop WORDS` ends with STATUS and says TEXT on either stream.
expect() {
    wanted=$1 text=$2
    shift 2
    "$dollop" "$@" >out.txt 2>err.txt </dev/null
    status=$?
    checks=$((checks + 1))
    if [ $status -ne "$wanted" ] || ! cat out.txt err.txt | grep -qF -- "$text"; then
        echo "dollop $*: exit status $status instead of $wanted, or not said: $text"
        head -n 5 out.txt err.txt
        failures=$((failures + 1))
    fi
}
# holds WHAT COMMAND...
holds() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 || { echo "does not hold: $what"; failures=$((failures + 1)); }
}
finish() {
    echo "$checks checks, $failures failed"
    [ $failures -eq 0 ]
    exit
}

# Usage.
expect 0 'Usage: dollop VERB' --help
expect 0 'dollop 0.' --version
expect 2 'Usage: dollop VERB'
expect 2 'did you mean run' rnu
expect 2 'unknown verb frobnicate' frobnicate
for verb in run check scenes new info mesh render compare convert bench reproduce; do
    expect 0 "Usage: dollop $verb" $verb --help
    expect 0 "Usage: dollop $verb" help $verb
    expect 2 'unknown option --nonsense-option' $verb --nonsense-option
done
expect 2 'later version' studio
expect 2 'did you mean --frames' run pour --farmes 3
expect 2 'needs a value' run pour --frames
expect 2 'whole number' run pour --frames many
expect 2 'whole number' run pour --frames -1
expect 2 'whole number' run pour --threads 0
expect 2 'whole number' run pour --threads 99999999999999999999
expect 2 'takes no value' run pour --json=yes
expect 2 'missing' run
expect 2 'unexpected word' run pour pour
expect 2 'there are sph, ' bench zzzzzzzz
expect 0 'scene-load' bench --list
expect 0 'B-scale' reproduce --list
expect 2 'see dollop reproduce --list' reproduce zzzzzzzz
if [ -w /dev/full ]; then
    "$dollop" --help >/dev/full 2>err.txt
    [ $? -eq 4 ] || { echo 'a full disk is not noticed'; failures=$((failures + 1)); }
fi

# Scenes from standard input.
cat >piped.json <<'END'
{"title": "piped", "variables": {"dx": 0.1, "n": 2}, "frames": {"rate": 1000, "count": "$n"},
 "substances": {"water": {"particle": {"spacing": "$dx"}, "shape": {"sphere": {"radius": "2 * $dx"}}}}}
END
# expect_piped STATUS TEXT WORDS...: the same with the scene on standard input.
expect_piped() {
    wanted=$1 text=$2
    shift 2
    checks=$((checks + 1))
    "$dollop" "$@" <piped.json >out.txt 2>err.txt
    status=$?
    if [ $status -ne "$wanted" ] || ! cat out.txt err.txt | grep -qF -- "$text"; then
        echo "dollop $* <piped.json: exit status $status instead of $wanted, or not said: $text"
        head -n 5 out.txt err.txt
        failures=$((failures + 1))
    fi
}
expect_piped 0 'frames.count' check - --set variables.dx=0.05
expect_piped 2 'stdin:1' check - --set variables.n=-1
expect_piped 0 'piped' info -
expect_piped 0 'out/stdin' run -
holds 'a piped run is in out/stdin' test -f out/stdin/scene.yaml
expect_piped 0 'here' run - -o here --set variables.n=1
expect 2 'stdin: is empty' check -
expect 2 'there is no variable dy' check piped.json --set 'substances.water.particle.spacing=$dy'
holds 'a resolved scene has plain values' sh -c '! grep -q variables out/stdin/scene.yaml'
rm -rf out here

# Scenes.
expect 0 'pour' scenes
expect 2 'did you mean' check puor
expect 4 'nowhere.yaml' check nowhere.yaml
expect 4 'nowhere.yaml' run nowhere.yaml
expect 2 '' check /dev/null
expect 0 'pour.yaml written' new pour
expect 2 'exists' new pour
expect 0 'other.yaml written' new pour other.yaml
expect 4 '' new pour no/such/folder.yaml
expect 2 '' new nothing-like-it
holds 'both copies of the scene are the same' cmp pour.yaml other.yaml

"$dollop" check pour >out.txt 2>err.txt
if grep -q 'libyaml' err.txt; then
    echo 'skipped without libyaml: everything that reads a scene file'
    finish
fi

# A fixed step is compared with the stable one; bad files of shapes are told with their places.
expect 0 'IT IS TOO LONG' check dam2d --set time.step=0.0002
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >hole.obj
cat >holes.yaml <<'EOF'
substances:
  water: {particle: {radius: 0.02}, shape: {mesh: {file: hole.obj}}}
obstacles:
  - {mesh: {file: hole.obj}}
EOF
expect 2 'holes.yaml:2:58: substances.water.shape.mesh.file: ' check holes.yaml
expect 2 'holes.yaml:4:19: obstacles[0].mesh.file: ' check holes.yaml

# While a scene is filled, which says so, Ctrl-C ends the command, and nothing was written.
cat >large.yaml <<'EOF'
substances:
  water: {particle: {spacing: 0.002}, shape: {box: {min: [0, 0, 0], max: [0.8, 0.8, 0.8]}}}
EOF
"$dollop" run large.yaml -o large >out.txt 2>err.txt &
pid=$!
waited=0
while ! grep -q 'filling the scene' err.txt && [ $waited -lt 120 ]; do
    sleep 1
    waited=$((waited + 1))
done
kill -INT $pid
wait $pid
status=$?
holds "Ctrl-C while a scene is filled ends with 130 (got $status)" test $status -eq 130
holds 'Ctrl-C while a scene is filled leaves no run' test ! -e large/stats.csv

# Nothing is filled to check a scene: 64 million particles take no longer than a few thousand. The limit is for busy machines.
start=$(date +%s)
expect 0 'Estimates: particles are counted from volumes' check large.yaml
holds 'it has as many as its volume asks for' grep -q '^  particles  *6[34] [0-9]* [0-9]*$' out.txt
holds 'the check of a large scene is quick' test $(($(date +%s) - start)) -le 60
holds 'and says that it is doubtful' grep -q 'doubtful: the trial had' out.txt
expect 2 'at most 200000000 are allowed' check large.yaml --set substances.water.particle.spacing=0.001

# Ctrl-C ends a check, too.
"$dollop" check drape >out.txt 2>err.txt &
pid=$!
sleep 0.3
kill -INT $pid
wait $pid
status=$?
holds "Ctrl-C while a scene is checked ends with 130 (got $status)" test $status -eq 130

expect 0 'Estimates' check pour
expect 0 'pour.yaml' check pour.yaml
holds 'a derived stiffness is shown' \
    sh -c "grep -q '^substances.honey.stiffness  *[1-9][0-9.]* m2/s2  *derived\$' out.txt"
expect 0 'stiffness                   50 m2/s2' check pour --set substances.honey.stiffness=50
expect 0 '"id": "estimate.particles"' check pour --json
holds 'it says what it tried' grep -q '"id": "estimate.trial.share"' out.txt
expect 2 'PATH=VALUE' check pour --set nonsense
expect 2 '--set: gravty: is not known' check pour --set gravty=1
expect 2 '--set: frames.count: must be' check pour --set frames.count=-1
expect 2 '--set: substances.honey.material: ' run pour -o set --set substances.honey.material=hony
expect 2 '--set: substances.hony: no such substance; did you mean honey?' check pour --set substances.hony.x=1
expect 2 'no such substance' run pour -o set --set substances.water.viscosity=1
holds 'nothing is recorded for a name that is not there' test ! -e set
expect 0 '--set' check pour --set frames.count=3
printf 'title: [\n' >broken.yaml
expect 2 'broken.yaml:' check broken.yaml
printf 'frames: {rate: -1, count: -2}\nnonsense: 3\n' >wrong.yaml
expect 2 'frames.rate' check wrong.yaml
expect 2 'frames.count' check wrong.yaml
expect 2 'nonsense' check wrong.yaml
expect 2 '"holds": false' check wrong.yaml --json

# Scenes of another program.
cat >flask.json <<'END'
{"Configuration": {"particleRadius": 0.05, "stopAt": 0.04, "maxError": 0.1},
 "RigidBodies": [{"geometryFile": "../models/UnitBox.obj", "translation": [0, 0.5, 0], "scale": [1, 1, 1], "isWall": true,
   "mapInvert": true}, {"geometryFile": "tetra.obj", "isDynamic": true}],
 "Emitters": [{"width": 2, "height": 2, "translation": [-0.3, 0.8, 0]}],
 "FluidBlocks": [{"start": [-0.5, 0, -0.5], "end": [0, 0.5, 0.5]}]}
END
expect 0 'flask.yaml written' convert flask.json
holds 'what is lost is said' grep -q '^not carried over: RigidBodies\[1\]: bodies that the fluid moves' err.txt
holds 'and stands in the scene' grep -q '^#   Configuration: maxError: of its own solvers and steps$' flask.yaml
expect 2 'flask.yaml exists' convert flask.json
expect 0 'particles' check flask.yaml
expect 0 'frame 1' run flask.yaml -o flask
expect 0 'Converted from a scene of SPlisHSPlasH' convert flask.json -o -
expect 4 'nowhere.json' convert nowhere.json
expect 4 '' convert flask.json -o no/such/folder.yaml
expect 2 'pour.yaml: is no scene of a program that is known: SPlisHSPlasH' convert pour.yaml -o poured.yaml
printf '{"Configuration": {"particleRadius": NaN\n "sim2D": 1}}' >torn.json
expect 2 'torn.json:2:' convert torn.json
printf '{"Configuration": {"particleRadius": NaN}}' >torn.json
expect 2 'torn.json:1:38: Configuration.particleRadius: must be a finite number (got NaN)' convert torn.json
printf '{"Configuration": {"gravitation": [0, 0, 1e300]}, "FluidBlocks": [{"start": [0, 0, 0], "end": [1e300, 1, 1]}]}' >huge.json
expect 0 'huge.yaml written' convert huge.json
holds 'a mistake writes nothing' test ! -e torn.yaml -a ! -e poured.yaml

# Files.
expect 0 'scene' info pour.yaml
expect 0 '"id": "title"' info pour.yaml --json
expect 4 'nothing.vtp' info nothing.vtp
expect 2 'folder' info .
printf 'x' >odd.xyz
expect 2 'no known kind' info odd.xyz
printf 'x' >short.vtp
expect 4 'short.vtp' info short.vtp
printf 'x' >short.h5
"$dollop" info short.h5 >out.txt 2>&1
status=$?
holds 'a damaged checkpoint is refused' test $status -eq 4 -o $status -eq 2
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >tetra.obj
expect 0 'watertight' info tetra.obj
expect 0 '0.166667' info tetra.obj
expect 0 '"id": "open_edges", "what": "with one triangle", "value": 0, "unit": "", "reference": 0, "holds": true' \
    info tetra.obj --json
mkdir -p meshes/surface-a meshes/surface-b
cp tetra.obj meshes/surface-a/0000.obj
expect 0 'surface-a.meshes           1' info meshes
sed '$d' tetra.obj >meshes/surface-b/0007.obj
expect 1 'surface-b/0007.obj: 3 open_edges, 1 holes' info meshes
expect 1 '"id": "surface-b.watertight", "what": "closed, manifold, outward", "value": "no"' info meshes --json
rm meshes/surface-b/0007.obj
printf 'glTF' >meshes/surface-b/0008.glb
expect 1 'cannot be read' info meshes
expect 4 '0008.glb: not a binary glTF file' info meshes/surface-b/0008.glb

# Runs: a coarse one of two frames.
coarse='--frames 2 --threads 2 --set substances.honey.particle.spacing=0.006'
expect 2 'gpu' run pour --device gpu
expect 2 'cpu' run pour --device abacus
# shellcheck disable=SC2086  # $coarse is words
{
    expect 0 'stats.csv' run pour $coarse -o out
    expect 2 '--force' run pour $coarse -o out
    expect 0 '' run pour $coarse -o out --force
    expect 0 '"frame": 2' run pour $coarse -o json --json
    holds 'JSON alone on the standard output' sh -c "! grep -qv '^{' out.txt"
    expect 0 '' run out/scene.yaml -o again
    expect 0 'frame of particles' info out/particles/0002.vtp
    expect 4 '' run pour $coarse -o /dev/null/out
}
for file in scene.yaml stats.csv particles.pvd particles/0000.vtp particles/0002.vtp; do
    holds "out/$file is there" test -s "out/$file"
done
holds 'the resolved scene gives the same bits' cmp out/particles/0002.vtp again/particles/0002.vtp
holds 'a row a frame' test "$(wc -l <out/stats.csv)" -eq 4

if [ -e out/checkpoint.h5 ]; then
    # shellcheck disable=SC2086
    {
        expect 0 'checkpoint' info out/checkpoint.h5
        expect 0 '' run pour $coarse --frames 4 -o whole
        expect 0 '' run pour $coarse --frames 4 -o out --resume
        holds 'a resumed run equals an uninterrupted one' cmp out/particles/0004.vtp whole/particles/0004.vtp
        expect 2 'substances.honey' run pour --frames 4 -o out --resume
    }
else
    echo 'skipped without HDF5: checkpoints'
fi

# Surfaces made again from the particles.
expect 4 'nowhere: no such folder' mesh nowhere
mkdir unused
expect 4 'unused: there is no run in it' mesh unused
expect 2 'missing' mesh
expect 2 'there are surfaces in it; --force' mesh out
for cell in 0 -1 nan inf x ''; do expect 2 '--cell' mesh out --cell="$cell"; done
expect 2 'surface.cell: must be 0, or from' mesh out --cell 1e30
expect 2 'surface.cell: must be 0, or from' mesh out --cell 1e-9
expect 2 'did you mean iso?' mesh out --kind isoo -o mesh
expect 2 'choose --kind' mesh out --kind none -o mesh
expect 2 'did you mean ply?' mesh out --format plz -o mesh
expect 2 'recorded already' mesh out --set gravity='[0, 0, 0]' -o mesh
expect 2 '--set: surface.memory: must be' mesh out --set surface.memory=-1 -o mesh
expect 2 'no such frame' mesh out --frames 99 -o mesh
expect 2 'must be like 12' mesh out --frames 1.. -o mesh
expect 2 'leave the format at ply' mesh out --film --format obj -o mesh
expect 4 '' mesh out -o /dev/null/mesh
holds 'a mistake makes no folder' test ! -e mesh
for threads in 1 2; do
    expect 0 'active surfaces of' mesh out -o mesh --force --threads $threads
    for file in out/surface/*.ply; do
        holds "$file has the same bits with $threads threads" cmp "$file" "mesh/surface/$(basename "$file")"
    done
done
expect 0 'of 1 frame in' mesh out --frames 2 -o mesh --force
holds 'one frame is written' test "$(ls mesh/surface)" = 0002.ply
holds 'an active surface has its history' cmp out/surface/0002.ply mesh/surface/0002.ply
expect 0 'surfaces' mesh out --kind iso --cell 0.04 --vtp --frames 0..2 -o mesh --force
holds 'every frame is listed for ParaView' test "$(grep -c '<DataSet' mesh/surface.pvd)" -eq 3 -a -s mesh/surface/0002.vtp
expect 0 'surface.glb' mesh out --kind iso --cell 0.04 --film --frames 0..2 -o mesh --force
holds 'and not any more where it is not there' test ! -e mesh/surface.pvd -a ! -e mesh/surface/0002.vtp
expect 0 'surface.watertight' info mesh
expect 0 '"triangles"' mesh out --format stl -o mesh --force --json
holds 'JSON alone on the standard output' sh -c "! grep -qv '^{' out.txt"
holds 'no film and no other format is left' test ! -e mesh/surface.glb -a ! -e mesh/surface/0000.ply
holds 'the surfaces of the run were not touched' test ! -e out/surface/0000.stl
cp -r out lean
rm lean/particles/0001.vtp
expect 0 'begins anew there' mesh lean --force
rm lean/particles/*.vtp
expect 4 'has no frames of particles' mesh lean --force
holds 'without particles nothing is lost' test -s lean/surface/0000.ply
# Cloth: its mesh is open, and comes back from the recorded frames bit for bit.
sheet='--threads 1 --set substances.cloth.particle.spacing=0.1'
expect 0 'substances.cloth.cloth.weight' check hang --all
expect 0 'frame 3' run hang --frames 3 -o sheet $sheet
expect 0 'surface.open_sheet' info sheet
expect 0 'open_sheet' info sheet/surface/0003.ply
expect 0 'triangles' info sheet/particles/0003.vtp
expect 0 'cloth surfaces of 4 frames' mesh sheet -o sheet_again
holds 'a cloth made again is the same' cmp sheet/surface/0003.ply sheet_again/surface/0003.ply
expect 0 'frame 5' run hang --frames 5 -o sheet $sheet --resume
expect 0 'frame 5' run hang --frames 5 -o sheet_whole $sheet
holds 'a resumed cloth is the same' cmp sheet/particles/0005.vtp sheet_whole/particles/0005.vtp
expect 2 'is for model sph; this substance is a cloth' check hang --set substances.cloth.viscosity=1
expect 0 '' run drop --frames 2 -o plane --set substances.pool.particle.spacing=0.04 \
    --set substances.drop.particle.spacing=0.04
expect 2 'the run is in the plane' mesh plane --kind iso
expect 0 'contours of 3 frames' mesh plane -o mesh2
holds 'contours have the same bits' cmp plane/contour/0002.vtp mesh2/contour/0002.vtp
holds 'their list, too' cmp plane/contour.pvd mesh2/contour.pvd
expect 0 'contour/0001.vtp' mesh plane -o mesh2 --force --set record.iso=0.3 --frames 1 --json
holds 'another density is another line' sh -c '! cmp plane/contour/0001.vtp mesh2/contour/0001.vtp'

# Pictures: of a coarse run in the plane, which needs libpng alone.
expect 4 'nowhere: no such folder' render nowhere
mkdir empty
expect 4 'empty: there is no run in it' render empty
expect 2 'missing' render
if [ -e out/preview.png ] || "$dollop" render out --size bad 2>&1 | grep -q 'must be WIDTHxHEIGHT'; then
    expect 0 '' run drop --frames 3 -o flat --set substances.pool.particle.spacing=0.04 \
        --set substances.drop.particle.spacing=0.04
    for size in nanxnan 0x0 640 -5x10 99999x10 100000000000x10 640x480x2; do
        expect 2 'must be WIDTHxHEIGHT' render flat --size=$size
    done
    expect 2 'did you mean speed?' render flat --color spede
    expect 2 'there are substance, speed' render flat --color xyzzy
    expect 2 'surface, particles or auto' render flat --as points
    expect 2 'in the plane' render flat --as surface
    expect 2 'has no temperatures' render flat --color temperature
    expect 2 'must be like 12' render flat --frames 1..
    expect 2 'no such frame; there are 4 from 0 to 3' render flat --frames 9
    expect 2 'whole number' render flat --samples 0
    expect 2 'use one' render flat --resume --force
    expect 2 'needs --beside' render flat --captions 'a|b'
    expect 2 'with a bar between' render flat --beside flat --captions 'a'
    expect 2 'recorded already' render flat --set gravity='[0, 0]'
    expect 2 '--set: render.samples: must be' render flat --set render.samples=0
    holds 'nothing is drawn after a mistake' test ! -e flat/pictures
    expect 0 'flat/pictures/0002.png' render flat --frames 2 --size 160x100 --color speed
    holds 'one picture and no film' test -s flat/pictures/0002.png -a ! -e flat/film.mp4
    expect 2 '--force' render flat --size 160x100
    holds 'a refusal draws nothing' test ! -e flat/pictures/0000.png
    expect 0 '4 pictures' render flat --size 161x101 --resume --no-video
    holds 'all frames have a picture' test -s flat/pictures/0000.png -a -s flat/pictures/0003.png
    expect 0 '"picture": "flat/pictures/0001.png"' render flat --size 160x100 --force --json --no-video
    expect 0 '2 pictures' render flat --beside flat --frames 0,last -o both --size 160x100 --color level --no-video
    if command -v ffmpeg >ffmpeg.txt; then
        expect 0 'flat/film.mp4' render flat --size 161x101 --force
        holds 'the film is there, and nothing beside it' \
            test -s flat/film.mp4 -a ! -e flat/film.mp4.part -a ! -e flat/film.mp4.log
    else
        echo 'skipped without ffmpeg: films'
    fi
    mkdir bin
    PATH=$work/bin "$dollop" render flat --size 160x100 --force >out.txt 2>err.txt
    holds 'without ffmpeg there is a hint' test $? -eq 0
    holds 'the hint names ffmpeg' grep -q 'ffmpeg is not installed' err.txt
    printf '#!/bin/sh\necho no such encoder >&2\nexit 1\n' >bin/ffmpeg
    chmod +x bin/ffmpeg
    PATH=$work/bin:$PATH "$dollop" render flat --size 160x100 --force >out.txt 2>err.txt
    holds 'a failed film is an error' test $? -eq 4
    holds 'the error says why' grep -q 'ffmpeg failed: no such encoder; the pictures are kept' err.txt
    holds 'a failed film leaves the pictures' test -s flat/pictures/0003.png
    : >flat/particles/0001.vtp
    expect 0 '3 pictures' render flat --size 160x100 -o damaged --no-video
    rm flat/particles/*.vtp
    expect 4 'has no frames' render flat
else
    echo 'skipped without libpng: render'
fi

# One scene several ways.
vary='--vary substances.pool.particle.spacing=0.04,0.05'
drop='drop --set substances.drop.particle.spacing=0.04'
# shellcheck disable=SC2086  # $vary and $drop are words
{
    expect 2 '--vary' compare drop
    expect 2 'at most 64' compare drop --vary frames.count=1,2,3,4,5,6,7,8,9 --vary frames.rate=1,2,3,4,5,6,7,8
    expect 2 'has no counterpart: [0,1' compare drop --vary 'gravity=[0,1'
    expect 2 '--vary: substances.pol: no such substance; did you mean pool?' compare drop --vary substances.pol.viscosity=1
    expect 2 '--vary: frames.rate: must be' compare drop --vary frames.rate=10,-1 -o ways
    expect 2 '--set: frames.rate: must be' compare drop --set frames.rate=-1 $vary -o ways
    expect 2 'out is not empty' compare drop $vary -o out
    expect 4 'not a directory' compare drop $vary -o /dev/null/ways
    holds 'a mistake makes no folder' test ! -e ways
    expect 0 'spacing=0.05: frame 2' compare $drop $vary --frames 2 -o ways
    holds 'the tables name both' test "$(grep -c '^spacing=0.0[45]  done' out.txt)" -eq 4
    holds 'one row per variant' test "$(wc -l <ways/compare.csv)" -eq 3
    holds 'one row per variant and frame' test "$(wc -l <ways/frames.csv)" -eq 7
    holds 'a page with plots' grep -q '</svg>' ways/report.html
    expect 0 '' run $drop --set substances.pool.particle.spacing=0.05 --frames 2 -o one
    holds 'a variant is the run that it stands for' cmp one/particles/0002.vtp ways/spacing=0.05/particles/0002.vtp
    expect 0 'contours of 3 frames' mesh ways/spacing=0.05 -o mesh3
    expect 2 'ways is not empty' compare $drop $vary -o ways
    expect 0 '"id": "spacing=0.05.steps_per_frame"' compare $drop $vary --frames 2 -o ways2 --json
    holds 'compare.json is what --json prints' cmp out.txt ways2/compare.json
    expect 3 'time.step' compare $drop $vary --vary time.step=0.02,0 --frames 2 -o ways3
    holds 'the others are completed' test "$(grep -c ',done,2,' ways3/compare.csv)" -eq 2
    holds 'a variant that diverged is in the table' test "$(grep -c ',diverged' ways3/compare.csv)" -eq 2
}
if [ -e one/checkpoint.h5 ]; then
    expect 0 'frame 4' run ways/spacing=0.05/scene.yaml --frames 4 -o ways/spacing=0.05 --resume
    # Ctrl-C in the second variant: the first is shown, the second can be continued.
    "$dollop" compare drop --vary frames.count=1,100000 -o long_ways >out.txt 2>err.txt &
    pid=$!
    waited=0
    while [ ! -e long_ways/count=100000/particles/0001.vtp ] && [ $waited -lt 120 ]; do
        sleep 1
        waited=$((waited + 1))
    done
    kill -INT $pid
    wait $pid
    status=$?
    holds "an interrupted comparison ends with 130 (got $status)" test $status -eq 130
    holds 'what is complete is shown' grep -q '^count=1  done' out.txt
    holds 'and the rest can be continued' grep -q 'long_ways/count=100000/scene.yaml -o long_ways/count=100000 --resume' err.txt
    holds 'its checkpoint is there' test -s long_ways/count=100000/checkpoint.h5
fi

# Ctrl-C: ends with a checkpoint and the status of an interrupted program.
"$dollop" run pour --frames 100000 -o long >out.txt 2>err.txt &
pid=$!
waited=0
while [ ! -e long/particles/0001.vtp ] && [ $waited -lt 120 ]; do
    sleep 1
    waited=$((waited + 1))
done
kill -TERM $pid
wait $pid
status=$?
holds "an interrupted run ends with 130 (got $status)" test $status -eq 130
if [ -e out/preview.png ]; then
    holds 'an interrupted run leaves a picture' test -s long/preview.png
else
    echo 'skipped without libpng: pictures'
fi
finish
