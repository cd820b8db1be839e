#!/bin/sh
# install_test.sh BUILD: installs a build into a folder of its own, then builds and runs every program of
# examples/ against it through pkg-config (shared, and static) and through find_package: all must print the same.
# Exit status 77: skipped.
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$1
examples='step live_parameter moving_body custom_force surface'
command -v pkg-config >/dev/null || { echo 'skipped: no pkg-config'; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
mkdir "$work/shared" "$work/static"
cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }

libdir=$(dirname "$(find "$prefix" -name libdollop.so)")
export PKG_CONFIG_PATH="$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
test -e "$prefix/include/dollop/dollop.h"

cmake -S "$source_dir/examples" -B "$work/package" -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log" ||
    { cat "$work/configure.log"; exit 1; }
cmake --build "$work/package" >"$work/build.log" || { cat "$work/build.log"; exit 1; }

for name in $examples; do
    echo "$name: pkg-config (shared, static), find_package"
    # shellcheck disable=SC2046  # flags are words
    cc "$source_dir/examples/$name.c" -o "$work/shared/$name" $(pkg-config --cflags --libs dollop) -lm
    # shellcheck disable=SC2046
    cc "$source_dir/examples/$name.c" -o "$work/static/$name" $(pkg-config --cflags dollop) "$libdir/libdollop.a" \
        $(pkg-config --static --libs-only-L dollop) $(pkg-config --static --libs-only-l dollop | sed 's/-ldollop//') -pthread
    LD_LIBRARY_PATH="$libdir" "$work/shared/$name" >"$work/shared.txt"
    "$work/static/$name" >"$work/static.txt"
    "$work/package/$name" >"$work/package.txt"
    test -s "$work/static.txt"
    cmp "$work/static.txt" "$work/shared.txt"
    cmp "$work/static.txt" "$work/package.txt"
done
"$work/static/surface" "$work/jelly.ply" >/dev/null
"$prefix/bin/dollop" info "$work/jelly.ply" >/dev/null

echo 'the command'
"$prefix/bin/dollop" --version
