#!/bin/bash
# What ci/test_vet.sh leaves out: patches whose vet takes long, bench programs and time on two
# sides, a vet that is killed and goes on, and revisions of this very repository, in a clone.
set -eu
cd "$(dirname "$0")/../.."
. ci/tree.sh
. ci/vet/judge.sh
judge_begin "$PWD/build/vet/all"

for f in ci/vet/patches/*.patch; do
    name=$(basename "$f" .patch)
    [ -z "$(head_of "$name" takes)" ] || judge_patch "$name"
done

# ---- what bench programs say: memory that is kept ----

programs() { make --no-print-directory -s -j2 -C "$1" V=counted build/counted/bench_frames; }
programs .
patched tail-chunk
cp -a --parents ci/bench "$work/tree"
programs "$work/tree"
vet --expected "" --target ingest --rounds 3 \
    --programs build/counted,"$work/tree/build/counted" "$old" "$work/tail-chunk.so"
judge "a payload that is shared keeps memory" says "UNREVIEWED ingest:more:bench/frames/live"
judge "programs are timed" says "bench cases timed in turn"

# ---- time ----

pace() {
    [ "$1" = . ] || cp -a build/pace "$1/build/"
    make --no-print-directory -s -j2 -C "$1" V=side B=build/pace COV_side= \
        CF_side='-O2 -w -fPIC -fvisibility=hidden -DWB_COUNTED' build/pace/side.so
    cp "$1/build/pace/side.so" "$2"
}
pace . "$work/old-pace.so"
patched inline-two
pace "$work/tree" "$work/inline-pace.so"
timed=(--expected "" --target window_union --pace)
vet "${timed[@]}" "$work/old-pace.so,$work/inline-pace.so" "$old" "$work/inline-two.so"
judge "inline windows allocate less" says "cheaper window_union:less:allocations"
judge "and are judged by time" says "1 bench cases timed in turn"
grep -hE 'slower|faster|timed' "$work/log" || true
cp -a "$work/clean" "$work/slow"
sed -i 's|^    WB_ASSERT(w != other);|    for (volatile int k = 0; k < 20000; k++) {}\n&|' \
    "$work/slow/core/window/window_set.c"
pace "$work/slow" "$work/slow-pace.so"
vet "${timed[@]}" "$work/old-pace.so,$work/slow-pace.so" "$old" "$old"
judge "what got slower is told" says "slower: window_union,"
judge "and fails nothing" ends 0
vet --time-matters "${timed[@]}" "$work/old-pace.so,$work/slow-pace.so" "$old" "$old"
judge "unless time matters" ends 1

# ---- killed, and gone on ----

whole=(--expected "" --target decimal,varint,bytes,wire --runs 20000)
patched bug
vet "${whole[@]}" "$old" "$work/bug.so"
cp "$work/log" "$work/whole"
rm -rf "$work/state"
build/bed vet --state "$work/state" --attempts 100 "${whole[@]}" "$old" "$work/bug.so" \
    >"$work/log" 2>&1 &
killed=$!
for _ in $(seq 200); do
    ! grep -qs '^end 3$' "$work"/state/*.journal || break
    sleep 0.05
done
kill -9 $killed
wait $killed 2>/dev/null || true
judge "a vet that is killed says nothing" [ ! -s "$work/log" ]
judge "and leaves no report" [ ! -e "$work/state/last.json" ]
judge "it was killed half-way" grep -q '^end 3$' "$work"/state/*.journal
vet "${whole[@]}" "$old" "$work/bug.so"
judge "and goes on to the same end" cmp -s "$work/log" "$work/whole"

# ---- revisions of this repository ----

# vet_of REVISION OPTION...: `make vet` of a clone, which has what is committed.
vet_of() {
    status=0
    (cd "$work/repo" && ci/vet.sh "$@" --runs 500) >"$work/log" 2>&1 || status=$?
}
# vetted REVISION: a vet came to its end, whatever it found.
vetted() {
    [ $status -lt 2 ] && says "vet: " && says " expected that no longer occur" &&
        [ -s "$work/repo/build/vet/last.json" ]
}
# Sets `spent`: seconds of processor time of all that ran so far; other programs do not count.
spend() {
    times >"$work/times" # of this very shell, not of one for $()
    spent=$(tail -n 1 "$work/times" | tr ms '  ' | awk '{ print int($1 * 60 + $2 + $3 * 60 + $4) }')
}
if git clone -q . "$work/repo" 2>/dev/null; then
    spend
    before=$spent
    vet_of HEAD
    spend
    judge "HEAD beside itself builds and ends" vetted
    judge "without a difference" ends 0
    echo "HEAD beside itself, built from nothing: $((spent - before)) s of processor time"
    judge "in less than five minutes" [ $((spent - before)) -lt 300 ]
    judge "its sides are timed" says "bench cases timed in turn"
    for back in 1 30 200; do
        if git -C "$work/repo" rev-parse -q --verify HEAD~$back >/dev/null; then
            vet_of HEAD~$back
            judge "HEAD~$back is vetted" vetted
            grep -h -m 1 'keeps its own' "$work/log" || true
        else
            echo "NOT RUN HEAD~$back: the history of this clone does not reach it"
        fi
    done
else
    echo "NOT RUN revisions: this is no git repository"
fi
rm -rf "$work/repo"
judge_end
