#!/bin/bash
# What the committed corpus alone covers of core/: lines and branches of each file, held against
# ci/floors.txt (file, per cent of lines, per cent of branches). Floors only rise: FLOORS=1 raises
# them to what is covered now. Exit 1 when one is missed.
set -eu
cd "$(dirname "$0")/.."
out=build/cov floors=ci/floors.txt
targets=$(ls targets/fuzz_*.c | sed 's|targets/fuzz_||; s|\.c$||' | grep -vx canary)
programs=$(for t in $targets; do echo "$out/fuzz_$t"; done)
log=$(make --no-print-directory -s -j2 V=cov $programs 2>&1) || {
    echo "$log" >&2
    exit 2
}

# Counters live in a mapped file (%c), so that the children of a replay count too, however they end.
rm -f $out/*.profraw
for t in $targets; do
    LLVM_PROFILE_FILE="$out/$t-%c.profraw" "$out/fuzz_$t" >"$out/$t.log" 2>&1 || {
        cat "$out/$t.log"
        echo "cov: the corpus of $t does not pass" >&2
        exit 1
    }
done
llvm-profdata-19 merge -sparse $out/*.profraw -o $out/all.profdata
objects=$(printf -- '-object %s ' $programs)
# One line a file: name, then regions, functions, lines and branches as all, missed, cover. Names
# come without their common folder, so each is looked up in core/.
llvm-cov-19 report ${objects#-object } -instr-profile=$out/all.profdata $(ls core/*/*.[ch]) |
    awk 'NF == 13 && $1 ~ /\.[ch]$/ && $8 > 0 { print $1, $8, $8 - $9, $11, $11 - $12 }' |
    while read -r name rest; do
        for f in core/*/*.[ch]; do
            case $f in */"${name#core/}") echo "$f $rest" ;; esac
        done
    done | LC_ALL=C sort >$out/covered

[ -e $floors ] || : >$floors
awk -v raise="${FLOORS:-}" -v floors=$floors '
    function percent(hit, all) { return all == 0 ? 100 : int(1000 * hit / all) / 10 }
    function row(name, hit, all, bhit, ball, note) {
        printf "%-28s %5d/%-5d %5.1f%% %5d/%-5d %5.1f%%%s\n", name, hit, all, percent(hit, all), \
            bhit, ball, percent(bhit, ball), note
    }
    function max(a, b) { return a > b ? a : b }
    FILENAME == floors { lines[$1] = $2; branches[$1] = $3; next }
    FNR == 1 { printf "%-28s %16s %18s\n", "file", "lines", "branches" }
    {
        l = percent($3, $2); b = percent($5, $4); all += $2; hit += $3; ball += $4; bhit += $5
        short = ""
        if ($1 in lines && (l < lines[$1] || b < branches[$1])) {
            short = "  below its floor " lines[$1] " " branches[$1]
            bad++
        }
        if (!($1 in lines)) short = "  no floor yet"
        row($1, $3, $2, $5, $4, short)
        now[$1] = sprintf("%s %.1f %.1f", $1, max(l, lines[$1]), max(b, branches[$1]))
    }
    END {
        row("all", hit, all, bhit, ball, "")
        for (f in lines) if (!(f in now)) print f ": has a floor and is not covered at all"
        if (raise != "") for (f in now) print now[f] >(floors ".new")
        exit bad > 0
    }' $floors $out/covered || status=$?
if [ -n "${FLOORS:-}" ]; then LC_ALL=C sort $floors.new >$floors && rm $floors.new; fi
exit "${status:-0}"
