#!/bin/sh
# install_test.sh BUILD: installs a build into a folder of its own, then builds and runs examples/step_a_world.c
# against it through pkg-config (shared, and static) and through find_package. Exit status 77: skipped.
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$1
command -v pkg-config >/dev/null || { echo 'skipped: no pkg-config'; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }

libdir=$(dirname "$(find "$prefix" -name libdollop.so)")
export PKG_CONFIG_PATH="$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
test -e "$prefix/include/dollop/dollop.h"

echo 'pkg-config, shared'
# shellcheck disable=SC2046  # flags are words
cc "$source_dir/examples/step_a_world.c" -o "$work/shared" $(pkg-config --cflags --libs dollop)
LD_LIBRARY_PATH="$libdir" "$work/shared"

echo 'pkg-config, static'
# shellcheck disable=SC2046
cc "$source_dir/examples/step_a_world.c" -o "$work/static" $(pkg-config --cflags dollop) "$libdir/libdollop.a" \
    $(pkg-config --static --libs-only-L dollop) $(pkg-config --static --libs-only-l dollop | sed 's/-ldollop//') -pthread
"$work/static" >"$work/static.txt"

echo 'find_package'
cmake -S "$source_dir/examples" -B "$work/example" -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log" ||
    { cat "$work/configure.log"; exit 1; }
cmake --build "$work/example" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/example/step_a_world" >"$work/package.txt"
cmp "$work/static.txt" "$work/package.txt"

echo 'the command'
"$prefix/bin/dollop" --version
