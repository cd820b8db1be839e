# Shared by ./demo and ./test: makes sure that what they need is installed. Source it.
# shellcheck shell=bash disable=SC2034,SC2015

# Each line: a Debian package, a command that succeeds where it is there already, and what is lost without it.
packages_to_build='
gcc|command -v gcc
libc6-dev|test -e /usr/include/stdio.h
cmake|command -v cmake
ninja-build|command -v ninja
pkg-config|command -v pkg-config
libyaml-dev|pkg-config --exists yaml-0.1
libhdf5-dev|pkg-config --exists hdf5-serial
libpng-dev|pkg-config --exists libpng
'
# The build goes on without these, and says what it cannot do.
packages_for_everything='
libembree-dev|test -e /usr/include/embree3/rtcore.h|no pictures of scenes in space
ffmpeg|command -v ffmpeg|pictures, but no films
scdoc|command -v scdoc|no manual page
g++|command -v c++|no .vdb files
libopenvdb-dev|test -e /usr/include/openvdb/openvdb.h|no .vdb files
libboost-dev|test -e /usr/include/boost/version.hpp|no .vdb files
'
packages_to_test="$packages_to_build"'
libcmocka-dev|pkg-config --exists cmocka
'
# The tests go on without these: cloth's solver is not held against a direct one.
packages_for_reference='
libsuitesparse-dev|test -e /usr/include/suitesparse/klu.h|cloth is not held against a direct solver
'
# The tests go on without these: no clang build, no fuzzing.
packages_for_clang='
clang|command -v clang|no build with clang
libclang-rt-dev|clang_has_runtime|no fuzzing
'

# Can clang link fuzzers and sanitizers?
clang_has_runtime() {
    local machine name
    command -v clang >/dev/null || return 1
    machine=$(uname -m)
    for name in "libclang_rt.fuzzer-$machine.a" libclang_rt.fuzzer.a; do
        [ "$(clang -print-file-name="$name")" = "$name" ] || return 0
    done
    return 1
}

# The names of those packages of a list that are not there.
missing_packages() {
    local package probe lost
    while IFS='|' read -r package probe lost; do
        [ -n "$package" ] || continue
        eval "$probe" >/dev/null 2>&1 || printf '%s ' "$package"
    done <<<"$1"
}

# Which packages of a list are not there, and what is lost: a line each.
say_what_is_lost() {
    local package probe lost
    while IFS='|' read -r package probe lost; do
        [ -n "$package" ] || continue
        eval "$probe" >/dev/null 2>&1 || echo "Going on without $package: $lost."
    done <<<"$1"
}

# clang's runtime carries clang's version in its package's name.
name_runtime() {
    local version
    version=$(clang -dumpversion 2>/dev/null | cut -d. -f1 || true)
    if [ -z "$version" ]; then
        version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
    fi
    sed "s/libclang-rt-dev/libclang-rt-${version:-14}-dev/"
}

ask_to_install() {
    local answer
    [ -t 0 ] && [ -t 1 ] || return 0
    read -r -p 'Install them now? [Y/n] ' answer
    case "$answer" in '' | [yY]*) return 0 ;; *) return 1 ;; esac
}

# Nothing but the list is printed unless it fails.
apt_install() {
    local names log status=0
    names=$(echo "$*" | name_runtime)
    log=$(mktemp)
    # shellcheck disable=SC2086  # one word a package
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $names >"$log" 2>&1 ||
        status=$?
    [ $status -eq 0 ] || tail -n 20 "$log" >&2
    rm -f "$log"
    return $status
}

# All at once; where that fails (one of them may be unknown here), each on its own.
install_optional() {
    local package
    # shellcheck disable=SC2086  # one word a package
    apt_install $1 2>/dev/null && return 0
    for package in $1; do apt_install "$package" || true; done
}

prepare_apt() {
    if ! command -v apt-get >/dev/null; then
        echo 'There is no apt-get here. Install what these Debian packages hold, then run this again.' >&2
        return 1
    fi
    ask_to_install || { echo 'Nothing was installed.' >&2; return 1; }
    as_root=''
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo 'Not root, and there is no sudo: install them as root.' >&2; return 1; }
        as_root=sudo
    fi
    $as_root apt-get update -qq || echo 'apt-get update failed; trying with the lists that are there.' >&2
}

# ensure_packages REQUIRED [OPTIONAL]: lists what is missing, asks on a terminal, installs. Fails where something
# that is required stays missing.
ensure_packages() {
    local required optional
    required=$(missing_packages "$1")
    optional=$(missing_packages "${2:-}")
    [ -n "$required$optional" ] || return 0
    echo "Missing packages: $required$optional"
    if prepare_apt; then
        echo 'Installing ...'
        # shellcheck disable=SC2086  # one word a package
        { [ -z "$required" ] || apt_install $required; } && { [ -z "$optional" ] || install_optional "$optional"; } || true
    fi
    required=$(missing_packages "$1")
    say_what_is_lost "${2:-}"
    [ -z "$required" ] || { echo "Still missing: $required" >&2; return 1; }
}
