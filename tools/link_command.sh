#!/bin/sh
# link_command.sh BUILD: makes the command of a build usable as `dollop`, and its manual page as `man dollop`, by links
# in ~/.local (root: /usr/local). A later build of the same folder is what they then show. Removes nothing but links;
# says what to type where the shell does not find the command yet.
set -eu
build=$(cd "$1" && pwd)
if [ "$(id -u)" -eq 0 ]; then prefix=${PREFIX:-/usr/local}; else prefix=${PREFIX:-$HOME/.local}; fi

# link TARGET LINK: fails where something else than a link has that name.
link() {
    if [ -e "$2" ] && [ ! -L "$2" ]; then
        echo "$2 is there already and was kept; the one that was built is $1" >&2
        return 1
    fi
    mkdir -p "$(dirname "$2")" 2>/dev/null && ln -sfn "$1" "$2" 2>/dev/null && return 0
    echo "$2 cannot be written; the command that was built is $1" >&2
    return 1
}

echo
link "$build/dollop" "$prefix/bin/dollop" || exit 0
[ ! -e "$build/dollop.1" ] || link "$build/dollop.1" "$prefix/share/man/man1/dollop.1" || true
echo "The command dollop is $prefix/bin/dollop, a link to $build/dollop."
found=$(command -v dollop || true)
if [ -z "$found" ]; then
    echo "Your shell does not look there yet. Type this, and put it into ~/.profile to keep it:"
    echo "  export PATH=\"$prefix/bin:\$PATH\""
elif [ "$found" != "$prefix/bin/dollop" ]; then
    echo "But your shell finds $found first. To use the new one, type:"
    echo "  export PATH=\"$prefix/bin:\$PATH\""
fi
