#!/bin/sh
# The table of ci/README.md: for each file of core/ what of its generated mutants is killed
# (ci/mutate.tsv) and what the corpus covers (ci/floors.txt).
#
#   ci/table.sh            writes it anew
#   ci/table.sh --check    exit 1 when it is not what the two files say
set -eu
cd "$(dirname "$0")/.."
page=ci/README.md
table=$(LC_ALL=C sort ci/mutate.tsv | awk -F '\t' '
    function share(part, whole) { return whole == 0 ? "-" : sprintf("%.1f", 100 * part / whole) }
    function row(name, n, k, a, l, b) {
        printf "| %s | %d | %d | %d | %d | %s | %s | %s | %s |\n", name, n, k, a, n - k - a, \
            share(k, n - a), share(k, n), l, b
    }
    function names(list,    part) { return list == "-" ? 0 : split(list, part, " ") }
    FILENAME ~ /floors/ {
        split($0, part, " ")
        lines[part[1]] = part[2]
        branches[part[1]] = part[3]
    }
    FILENAME ~ /floors/ || /^#/ { next }
    $2 == "*" { files[++count] = $1; mutants[$1] = $3; killed[$1] = $4; next }
    { apart[$1] += names($6) }
    END {
        print "| file | mutants | killed | apart | living | score % | of all % | lines % |" \
            " branches % |"
        print "|---|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= count; i++) {
            f = files[i]
            row(f, mutants[f], killed[f], apart[f], lines[f], branches[f])
            room = f
            sub(/\/[^\/]*$/, "", room)
            if (!(room in n)) order[++room_count] = room
            n[room] += mutants[f]; k[room] += killed[f]; a[room] += apart[f]
            all += mutants[f]; dead += killed[f]; aside += apart[f]
        }
        for (i = 1; i <= room_count; i++) {
            room = order[i]
            row("**" room "**", n[room], k[room], a[room], lines[room], branches[room])
        }
        row("**all**", all, dead, aside, "", "")
    }' ci/floors.txt -)
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
awk -v table="$table" '
    /^\| file \| mutants/ { print table; skips = 1 }
    skips && !/^\|/ { skips = 0 }
    !skips' $page >"$fresh"
if [ "${1:-}" = --check ]; then
    cmp -s "$fresh" $page && exit
    echo "$page:1: table: ci/table.sh"
    exit 1
fi
cp "$fresh" $page.new && mv $page.new $page # whole or not at all
