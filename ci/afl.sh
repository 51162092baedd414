#!/bin/bash
# Fuzzes one target with AFL++ for some seconds, from its committed corpus: ci/afl.sh TARGET
# SECONDS. The target is the same file as everywhere, linked with AFL++'s driver (persistent, shared
# memory). Two instances share what they find:
#   plain     AFL++'s own mutations, the dictionary, and CMPLOG, which sees what is compared. In
#             4.04c that works only where the program that is fuzzed was compiled with it too, by
#             an older clang: so no sanitizers here
#   mutator   scenarios by ops alone (sim/mutate.c), wire targets by targets/driver/; with
#             sanitizers, under which it runs what the other found
# afl-cmin reduces what both reached. Then, in build/afl/:
#   found/TARGET/ID-HASH.hex  a failing input for each invariant, by afl-tmin and then `bed min`
#   new/TARGET/NAME.hex       an input that reaches code of the core that the corpus does not,
#                             named by the function; KEEP=1 takes it into corpus/TARGET/seeds/ too
# Exit 1 when something failed, 2 when it could not run. EMPTY=1 starts from nothing; EXECS=N ends
# after so many executions, if that is sooner.
set -u
cd "$(dirname "$0")/.." || exit 2
target=$1 seconds=$2
base=build/afl seeds=build/afl/seeds/$1 out=build/afl/run/$1 found=build/afl/found/$1
new=build/afl/new/$1 work=build/afl/work/$1 program=build/afl/fuzz_$1 bed=build/asan/bed
status=0
# What was found before counts for more.
cannot() {
    echo "afl: $*" >&2
    [ $status != 0 ] || status=2
    exit $status
}
make() { command make --no-print-directory -s -j2 "$@" >&2 || cannot "make $*"; }
make V=afl "$program"
make V=so "build/so/mutate_$target.so"
make V=asan $bed
make V=fuzz "build/fuzz/fuzz_$target"
ending=hex max=16384
! grep -q FUZZ_SCENARIO "targets/fuzz_$target.c" || ending=scn max=4096
rm -rf "$seeds" "$out" "$found" "$new" "$work"
mkdir -p "$seeds" "$out" "$found" "$new" "$work"/{queue,cmin,all}

plain=build/cmplog/fuzz_$target cmplog="-c 0"
command make --no-print-directory -s -j2 V=cmplog "$plain" >"$work/cmplog.log" 2>&1 || {
    echo "$target: WITHOUT CMPLOG, its build fails:" \
        "$(grep -m 1 -E 'error|undefined' "$work/cmplog.log")"
    plain=$program cmplog=
}

if [ -z "${EMPTY:-}" ]; then
    OUT=$PWD/$work ci/oss-fuzz/pack.sh $bed "$target" || cannot "the corpus cannot be read"
    unzip -qo "$work/fuzz_${target}_seed_corpus.zip" -d "$seeds"
else
    printf '%016d' 0 >"$seeds/zeros" # comparisons want bytes to put things into
    $bed dict --target "$target" >"$work/dict" 2>/dev/null &&
        mv "$work/dict" "$work/fuzz_$target.dict"
fi
dict=
[ ! -f "$work/fuzz_$target.dict" ] || dict="-x $work/fuzz_$target.dict"
# AFL++ would leave out a seed that fails, and say nothing.
find "$seeds" -type f -print0 | xargs -0 "$program" >"$work/seeds.log" 2>&1 || {
    tail -n 20 "$work/seeds.log"
    echo "$target: its corpus fails; build/bed run corpus/$target"
    exit 1
}

export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 AFL_NO_UI=1
export AFL_ALLOW_TMP=1 AFL_QUIET=1
# instance NAME PROGRAM OPTION...
instance() {
    afl-fuzz -i "$seeds" -o "$out" -V "$seconds" ${EXECS:+-E "$EXECS"} -G $max -t 2000 \
        "${@:3}" -- "$2" >"$out/$1.log" 2>&1 </dev/null || echo "$1" >>"$out/failed"
}
instance plain "$plain" -M plain $dict $cmplog &
AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/build/so/mutate_$target.so AFL_CUSTOM_MUTATOR_ONLY=1 \
    instance mutator "$program" -S mutator &
wait
[ ! -f "$out/failed" ] || {
    for i in $(cat "$out/failed"); do tail -n 12 "$out/$i.log" >&2; done
    cannot "an instance does not run"
}
for i in plain mutator; do
    awk -F ' *: *' -v t="$target $i" '
        { v[$1] = $2 }
        END { print t ": " v["execs_done"] " executions, " v["execs_per_sec"] " a second, " \
                  v["edges_found"] " edges, stability " v["stability"] ", " \
                  v["saved_crashes"] " crashes, " v["saved_hangs"] " hangs" }' \
        "$out/$i/fuzzer_stats"
done

# ---- what failed --------------------------------------------------------------------------------
# id_of FILE: the invariant that an input breaks, as `bed` names it; its text in $work/text.
id_of() {
    $bed show --whole --target "$target" "$1" >"$work/text.$ending"
    $bed run --target "$target" "$work/text.$ending" 2>&1 |
        sed -nE 's/^FOUND (.*) in [a-z_]+.*/\1/p' | head -n 1
}

: >"$work/ids"
for f in $(ls -Sr "$out"/*/crashes/id* 2>/dev/null); do
    id=$(id_of "$f")
    if [ -z "$id" ]; then
        grep -q '^none$' "$work/ids" || echo "FOUND in $target, by AFL++'s build only: $program $f"
        echo none >>"$work/ids" && status=1
        continue
    fi
    grep -qxF -- "$id" "$work/ids" && continue
    echo "$id" >>"$work/ids" && status=1
    timeout 60 afl-tmin -t 2000 -i "$f" -o "$work/tmin" -- "$program" >"$work/tmin.log" 2>&1 &&
        [ "$(id_of "$work/tmin")" = "$id" ] || cp "$f" "$work/tmin"
    $bed show --whole --target "$target" "$work/tmin" >"$work/text.$ending"
    $bed min --target "$target" "$work/text.$ending" -o "$work/min.$ending" >/dev/null 2>&1 ||
        cp "$work/text.$ending" "$work/min.$ending"
    name=$found/$(tr -c 'A-Za-z0-9\n' - <<<"$id")-$(sha256sum <"$work/min.$ending" | head -c 8)
    cp "$work/min.$ending" "$name.$ending"
    echo "$id: $(wc -c <"$f") bytes, by afl-tmin $(wc -c <"$work/tmin"), by bed min as below"
    $bed run --target "$target" "$name.$ending"
done
for f in $(ls "$out"/*/hangs/id* 2>/dev/null); do
    timeout 25 "$program" "$f" >/dev/null 2>&1
    [ $? = 124 ] || continue
    echo "FOUND a run that does not end in $target: $program $f" && status=1
    break # one tells enough, and each takes long
done

# ---- what is new --------------------------------------------------------------------------------
cp "$seeds"/* "$work/queue/"
for i in plain mutator; do
    for f in $(ls "$out/$i/queue" | grep '^id' | grep -v ',orig:'); do
        cp "$out/$i/queue/$f" "$work/queue/$i-${f:3:6}"
    done
done
afl-cmin -t 2000 -i "$work/queue" -o "$work/cmin" -- "$program" >"$work/cmin.log" 2>&1 || {
    grep -q "no instrumentation output" "$work/cmin.log" ||
        cannot "afl-cmin: $(tail -n 2 "$work/cmin.log")"
    echo "$target: runs no code of the core, so nothing can be new"
    exit $status
}
[ -n "${EMPTY:-}" ] || cp "$seeds"/* "$work/all/"
fuzzer=build/fuzz/fuzz_$target had=$(ls "$work/all" | wc -l)
# Of these, what covers more of the core than the corpus does.
$fuzzer -merge=1 -use_counters=0 "$work/all" "$work/cmin" >"$work/merge.log" 2>&1
functions() {
    $fuzzer -runs=0 -print_coverage=1 "$@" 2>&1 |
        sed -nE 's|^COVERED_FUNC: .* edges: ([0-9]+)/[0-9]+ ([a-z_0-9]+) .*/(core/.*)|\2 \1 \3|p'
}
rm -rf "$work/seen" && cp -r "$seeds" "$work/seen"
[ -z "${EMPTY:-}" ] || rm -f "$work/seen"/*
functions "$work/seen" >"$work/before"
for f in $(cd "$work/all" && ls -Sr | while read -r f; do
    [ -n "${EMPTY:-}" ] || ! cmp -s "$f" "$OLDPWD/$seeds/$f" || continue
    echo "$f"
done); do
    cp "$work/all/$f" "$work/seen/new-$f"
    functions "$work/seen" >"$work/after"
    read -r edges function place < <(awk '
        FILENAME == ARGV[1] { had[$1] = $2; next }
        $2 > had[$1] { print $2 - had[$1], $1, $3 }' "$work/before" "$work/after" | sort -rn)
    mv "$work/after" "$work/before"
    [ -n "$function" ] || continue
    name=reaches-${function//_/-} n=2
    while [ -e "$new/$name.$ending" ] || [ -e "corpus/$target/seeds/$name.$ending" ]; do
        name=reaches-${function//_/-}-$((n++))
    done
    {
        echo "# Reaches $edges edges of $function ($place) that no other file did."
        $bed show --whole --target "$target" "$work/all/$f" | sed '/^# shown from /d'
    } >"$new/$name.$ending"
    echo "new: $new/$name.$ending: $edges edges of $function"
    [ -n "${KEEP:-}" ] || continue
    if $bed run --target "$target" "$new/$name.$ending" >"$work/keep.log" 2>&1; then
        mkdir -p "corpus/$target/seeds" && cp "$new/$name.$ending" "corpus/$target/seeds/"
    else
        echo "  not kept: $(head -n 1 "$work/keep.log")"
    fi
done
echo "$target: $(ls "$work/queue" | wc -l) inputs, by afl-cmin $(ls "$work/cmin" | wc -l)," \
    "$(ls "$new" | wc -l) new to the corpus; $(ls "$found" | wc -l) findings"
exit $status
