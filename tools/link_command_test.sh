#!/bin/sh
# link_command_test.sh BUILD: what link_command.sh does in an empty home, a second time, and where another program has
# the name.
set -eu
build=$(cd "$1" && pwd)
link=$(cd "$(dirname "$0")" && pwd)/link_command.sh
export PREFIX
PREFIX=$(mktemp -d)
trap 'rm -rf "$PREFIX"' EXIT

fail() { echo "$1"; exit 1; }

said=$("$link" "$build")
echo "$said" | grep -qF "export PATH=\"$PREFIX/bin:\$PATH\"" || fail "does not say how to find it: $said"
"$PREFIX/bin/dollop" --version | grep -q '^dollop ' || fail 'the link does not run'
if [ -e "$build/dollop.1" ]; then
    [ -e "$PREFIX/share/man/man1/dollop.1" ] || fail 'the manual page is not linked'
fi

PATH="$PREFIX/bin:$PATH"
if "$link" "$build" | grep -q 'export PATH'; then fail 'asks for a PATH that is there'; fi

mkdir "$PREFIX/other"
printf '#!/bin/sh\necho other\n' >"$PREFIX/other/dollop"
chmod +x "$PREFIX/other/dollop"
PATH="$PREFIX/other:$PATH" "$link" "$build" | grep -qF "finds $PREFIX/other/dollop first" || fail 'another one comes first'

rm "$PREFIX/bin/dollop"
cp "$PREFIX/other/dollop" "$PREFIX/bin/dollop"
"$link" "$build" 2>&1 | grep -q 'was kept' || fail 'a program that is there is not named'
"$PREFIX/bin/dollop" | grep -qx other || fail 'a program that was there is gone'
echo 'the command is linked, found, and nothing is replaced'
