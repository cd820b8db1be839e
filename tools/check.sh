#!/bin/sh
# check.sh [ROOT]: fails where the code breaks a rule that a machine can see, naming file, line and rule:
#   includes against the flow scene -> matter -> motion -> skin -> record; solvers that include one another;
#   citations that docs/references.md does not resolve; abort, exit, printf and the like in src/;
#   memory that goes around base/memory.h; functions over 80 lines; files over 700; notes to do things later;
#   headers of src/ that the command includes without a reason in apps/internal_headers.txt;
#   file names that exist twice in src/; types of one name in two files; code that clang-format would write otherwise, where it is installed.
# shellcheck disable=SC2086  # $sources and $library are lists of words
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"

sources=$(find src include apps validation bench tests examples -name '*.[ch]' -type f 2>/dev/null | LC_ALL=C sort)
library=$(find src -name '*.[ch]' -type f 2>/dev/null | LC_ALL=C sort)
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# The code without comments and texts, so that words in them are not taken for calls.
strip='
function strip(line,    out, i, c, two) {
    out = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1); two = substr(line, i, 2)
        if (in_comment) { if (two == "*/") { in_comment = 0; i++ } continue }
        if (quote != "") { if (c == "\\") i++; else if (c == quote) quote = ""; continue }
        if (two == "/*") { in_comment = 1; i++; continue }
        if (two == "//") break
        if (c == "\"" || c == "\047") { quote = c; continue }
        out = out c
    }
    quote = ""
    return out
}
FNR == 1 { in_comment = 0; quote = "" }
'

check_includes() {
    awk '
    BEGIN {
        n = split("base space scene matter motion device cluster skin record studio", order, " ")
        for (k = 1; k <= n; k++) place[order[k]] = k
    }
    FNR == 1 { split(FILENAME, part, "/"); folder = part[2]; solver = part[4] != "" ? part[3] : "" }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\""); path = quoted[2]
        m = split(path, to, "/")
        if (m == 1 || to[1] == "dollop") next
        if (!(to[1] in place)) { print FILENAME ":" FNR ": includes " path ", which is no folder of src/"; next }
        if (place[to[1]] > place[folder])
            print FILENAME ":" FNR ": " folder " includes " path ", against the flow"
        if (folder == "motion" && to[1] == "motion" && m == 3 && solver != "" && to[2] != solver)
            print FILENAME ":" FNR ": the solver " solver " includes another one: " path
    }' $library
}

# A line of the list allows a header to the files whose path begins with its first word.
check_command() {
    [ -f apps/internal_headers.txt ] || return 0
    awk '
    FILENAME == "apps/internal_headers.txt" { if ($1 !~ /^#/ && NF > 2) { n++; where[n] = $1; what[n] = $2 } next }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\""); path = quoted[2]
        if (path !~ /^(base|space|scene|matter|motion|device|cluster|skin|record|studio)\//) next
        for (k = 1; k <= n; k++)
            if (index(FILENAME, where[k]) == 1 && (what[k] == "*" || what[k] == path)) { used[k] = 1; next }
        print FILENAME ":" FNR ": includes " path ", which apps/internal_headers.txt does not give a reason for"
    }
    END { for (k = 1; k <= n; k++) if (!(k in used)) print "apps/internal_headers.txt: " where[k] " does not include " what[k] }
    ' apps/internal_headers.txt $(echo "$sources" | grep -E '^(apps|bench|validation)/')
}

check_citations() {
    [ -f docs/references.md ] || { echo 'docs/references.md: is missing'; return; }
    awk '
    FILENAME == "docs/references.md" {
        if (match($0, /^- \*\*[a-z]+[0-9][0-9][0-9][0-9][a-z]?\*\*/)) known[substr($0, 5, RLENGTH - 6)] = 1
        next
    }
    {
        rest = $0
        # [key], [key, eq. 3], [key, eq. 3; key, sec. 2]
        while (match(rest, /[[;] ?[a-z]+[0-9][0-9][0-9][0-9][a-z]?[],;]/)) {
            key = substr(rest, RSTART + 1, RLENGTH - 2)
            sub(/^ /, "", key)
            if (!(key in known)) print FILENAME ":" FNR ": cites " key ", which docs/references.md does not list"
            rest = substr(rest, RSTART + RLENGTH - 1)
        }
    }' docs/references.md $sources
}

check_calls() {
    awk "$strip"'
    {
        code = " " strip($0)
        if (match(code, /[^a-zA-Z0-9_](abort|exit|_exit|_Exit|quick_exit|printf|vprintf|puts|putchar|perror|getenv|system)[ \t]*\(/) ||
            match(code, /[^a-zA-Z0-9_](stdout|stderr)[^a-zA-Z0-9_]/))
            print FILENAME ":" FNR ": the library never exits, prints or reads the environment: " substr(code, RSTART + 1, RLENGTH - 1)
        if (FILENAME != "src/base/memory.c" &&
            match(code, /[^a-zA-Z0-9_](malloc|calloc|realloc|aligned_alloc|strdup|strndup)[ \t]*\(/))
            print FILENAME ":" FNR ": memory comes from base/memory.h alone: " substr(code, RSTART + 1, RLENGTH - 1)
    }' $library
}

check_sizes() {
    awk '
    function close_file() { if (lines > 700) print name ": has " lines " lines; at most 700" }
    FNR == 1 { close_file(); name = FILENAME; start = 0 }
    { lines = FNR }
    /^{/ { start = FNR }
    /^}/ && start > 0 {
        if (FNR - start - 1 > 80)
            print FILENAME ":" start ": a function of " FNR - start - 1 " lines; at most 80"
        start = 0
    }
    END { close_file() }' $sources
}

check_names() {
    find src -name '*.[ch]' -type f | sed 's|.*/||' | LC_ALL=C sort | uniq -d |
        sed 's|$|: a file name that exists more than once in src/|'
}

check_types() {
    awk '/^} [a-z_0-9]+;$/ {
        type = substr($2, 1, length($2) - 1)
        if (type in where && where[type] != FILENAME) print FILENAME ":" FNR ": a type " type " is in " where[type] ", too"
        where[type] = FILENAME
    }' $(echo "$sources" | grep -vE '^(tests|examples)/')
}

check_format() {
    # versions differ in what they write: the project's is 14
    clang-format --version 2>/dev/null | grep -q 'version 14\.' || return 0
    [ -f .clang-format ] || return 0
    clang-format --dry-run $sources 2>&1 |
        sed -n 's/:[0-9]*:[0-9]*: warning: code should be clang-formatted.*/: clang-format writes it otherwise/p' | uniq
}

check_notes() {
    grep -nE '\b(TODO|FIXME|XXX|HACK)\b' $sources | sed 's/$/  (say it in an issue, not in the code)/' || true
}

{
    if [ -n "$library" ]; then check_includes; check_calls; check_names; fi
    if [ -n "$sources" ]; then check_command; check_citations; check_sizes; check_types; check_notes; check_format; fi
} >"$found"

if [ -s "$found" ]; then
    cat "$found"
    echo "$(wc -l <"$found") mistakes against the style"
    exit 1
fi
echo "$(echo "$sources" | wc -l) files follow the style"
