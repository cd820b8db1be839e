#!/bin/sh
# check_test.sh: every rule of check.sh is broken once in a small tree, and must be noticed.
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/src/space" "$tree/src/scene" "$tree/src/motion/sph" "$tree/docs" "$tree/validation" "$tree/bench" "$tree/apps"
    printf 'apps/a base/status.h messages\napps/b base/status.h messages\n' >"$tree/apps/internal_headers.txt"
    echo '#include "base/status.h"' >"$tree/apps/b.c"
    printf '#include "base/status.h"\ntypedef struct taken {\n    int x;\n} taken;\n' >"$tree/apps/a.h"
    printf -- '- **known1999** Somebody. Something.\n' >"$tree/docs/references.md"
}

# expect TEXT FILE LINES: a tree with this one file is refused with a line that holds TEXT ("" : accepted).
expect() {
    fresh_tree
    printf '%b\n' "$3" >"$tree/$2"
    if output=$("$check" "$tree" 2>&1); then status=0; else status=1; fi
    if [ -z "$1" ] && [ $status -eq 0 ]; then return; fi
    if [ -n "$1" ] && [ $status -eq 1 ] && echo "$output" | grep -qF "$1"; then return; fi
    echo "expected \"${1:-accepted}\" for: $3"
    echo "$output"
    failures=$((failures + 1))
}

many_lines() { awk -v n="$1" 'BEGIN { for (k = 0; k < n; k++) printf "    x++;\\n" }'; }

expect '' src/scene/a.c '#include "space/shape.h"\n#include "b.h"\n#include <stdio.h>'
expect 'against the flow' src/scene/a.c '#include "motion/world.h"'
expect 'against the flow' src/space/a.c '#include "scene/scene.h"'
expect 'no folder of src' src/scene/a.c '#include "apps/common.h"'
expect 'another one' src/motion/sph/a.c '#include "motion/cloth/cloth.h"'
expect '' src/motion/sph/a.c '#include "motion/sph/sph.h"\n#include "motion/world.h"'
expect '' src/scene/a.c '/* [known1999, eq. 3] and x[i] */'
expect 'cites unknown2001' src/scene/a.c '/* [known1999; unknown2001, eq. 3] */'
expect 'never exits' src/scene/a.c 'void f(void) { abort(); }'
expect 'never exits' src/scene/a.c 'void f(void) { printf("x"); }'
expect 'never exits' src/scene/a.c 'void f(void) { fputs("x", stderr); }'
expect '' src/scene/a.c '/* exit(1) */ void f(void) { snprintf(t, 3, "exit(1)"); dlp_exit(); }'
expect 'memory comes from' src/scene/a.c 'void *f(void) { return malloc(3); }'
expect '' src/scene/a.c "void f(void)\n{\n$(many_lines 80)}"
expect 'a function of 81 lines' src/scene/a.c "void f(void)\n{\n$(many_lines 81)}"
for folder in validation bench; do
    expect 'a function of 81 lines' $folder/a.c "void f(void)\n{\n$(many_lines 81)}"
done
expect 'has 701 lines' src/scene/a.c "$(many_lines 700)"
expect 'a type taken is in apps/a.h, too' src/scene/a.c 'typedef struct taken {\n    int y;\n} taken;'
expect 'in an issue' src/scene/a.c '// TO''DO: more'
expect '' apps/a.c '#include "base/status.h"\n#include "common.h"\n#include "dollop/dollop.h"'
expect 'does not give a reason' apps/a.c '#include "base/memory.h"'
expect 'does not give a reason' apps/c.c '#include "base/status.h"'
expect 'apps/b does not include' apps/b.c '#include "common.h"'

if [ $failures -gt 0 ]; then
    echo "$failures failed"
    exit 1
fi
echo 'every rule is noticed'
