#!/bin/bash
# Does `bed vet` see what it should? What takes longer is in ci/all/vet.sh.
#
# Each ci/vet/patches/NAME.patch is a change of the core: a sentence, `target:`, `reports:` with the
# differences that a vet must name (and no others but what got cheaper, unless it ends in ...), then
# a diff; one with a line `takes: long` is not for here. Then: differences that are meant, what
# stands beside differences, a vet that was interrupted, and input that cannot be vetted. Ends with
# "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."
. ci/tree.sh
. ci/vet/judge.sh
judge_begin "$PWD/build/vet/test"

for f in ci/vet/patches/*.patch; do
    name=$(basename "$f" .patch)
    [ -n "$(head_of "$name" takes)" ] || judge_patch "$name"
done

# ---- differences that are meant ----

cat >"$work/expected" <<'EXPECTED'
# As a reviewer writes it.
id: reply_wire:outcome:WB_E_BAD_LINE:WB_E_VALUE
about: reply lines
reason: A bare LF is told apart from other broken lines.
witness:
  # config: 00
  "HD\n"
EXPECTED
wire=(--expected "$work/expected" --target reply_wire "$old")
vet "${wire[@]}" "$work/wire-change.so"
judge "a reviewed difference passes" ends 0
judge "and is told" says "reviewed reply_wire:outcome:WB_E_BAD_LINE:WB_E_VALUE"
vet "${wire[@]}" "$old"
judge "one that no longer occurs fails" ends 1
judge "and is told as such" says "NO LONGER reply_wire:outcome:WB_E_BAD_LINE:WB_E_VALUE"
vet --expected "$work/expected" --target decimal "$old" "$old"
judge "a vet of another target does not ask for it" ends 0
sed -i '/^reason/d' "$work/expected"
vet "${wire[@]}" "$work/wire-change.so"
judge "a block without a reason cannot be used" ends 2
judge "and the line is named" says "expected:7: the block above needs id, about and reason"

# ---- what stands beside the differences ----

vet --expected "" --target announce "$old" "$work/floor-number.so"
judge "connections of old and new are compatible" says \
    "announces, the old side writes, the new one reads: compatible in"
judge "or part" says "announces, the new side writes, the old one reads: parts in"
vet --expected "" --target ingest "$old" "$work/copy-whole.so"
judge "a bench case is counted" says "dearer: bytes-copied of ingest: "
judge "an entry lost its purpose" says "case-085-2049.hex: ends as ING-011, which it does not"
judge "a frame's share is told" says "for each of "
if command -v clang-19 >/dev/null; then
    status=0
    VET_OLD=$old VET_NEW=$work/hidden.so ci/vet/differ.sh varint 30 >"$work/log" 2>&1 || status=$?
    judge "differ finds what the corpus does not hold" ends 1
    judge "and vets it" says "UNREVIEWED varint:newly-fails:VAR-002"
    status=0
    VET_OLD=$old VET_NEW=$old ci/vet/differ.sh varint 2 >"$work/log" 2>&1 || status=$?
    judge "differ finds nothing between equals" ends 0
else
    echo "NOT RUN ci/vet/differ.c: no clang-19 to build it with"
fi

# ---- of many inputs, of none that ran, of bench inputs ----

# In $work/told.so each number of a trace is another, and a frame of 77 bytes tells another story
# and finds nothing to do.
cp -a "$work/clean" "$work/told"
sed -i 's/(unsigned long long)value);/(unsigned long long)value + 1);/
    s/__real_sim_trace_mix(t, value);/__real_sim_trace_mix(t, value + 1);/' \
    "$work/told/targets/vet/side.c"
sed -i 's/^    sim_run_story(w->run, "open %"/    if (size == 77) {\
        sim_run_story(w->run, "other ");\
        sim_ops_dead(w->run);\
    }\
&/' "$work/told/targets/media/arrivals.c"
make --no-print-directory -s -C "$work/told" V=side build/side/side.so
told=(--target frame_chunking "$old" "$work/told/build/side/side.so")
cat >"$work/expected" <<'EXPECTED'
id: frame_chunking:trace:note:note
about: frames
reason: Numbers of a trace are one more.
witness:
  open s0 size=77
EXPECTED
vet --expected "$work/expected" "${told[@]}"
judge "a story among many reviewed traces fails" ends 1
judge "and is told" says "UNREVIEWED frame_chunking:story:"
again=$(sed -n 's/^  again: //p' "$work/log")
$again --state "$work/again" >"$work/log" 2>&1 || true
judge "the witness's command tells it again" says "UNREVIEWED frame_chunking:story:"
judge "and nothing else" says "0 fuzz runs; 0 inputs behave alike, 1 differ"
mkdir -p "$work/corpus/frame_chunking" "$work/bench/varint"
printf '%s\n' '# As told.' '# story: open 77; drop;' 'open s0 size=77' 'drop s0' \
    >"$work/corpus/frame_chunking/story.scn"
vet --expected "" --corpus "$work/corpus" "${told[@]}"
judge "a stated story is lost" says "story.scn: tells another story than it states"
judge "half of the ops dead is too many" says "story.scn: half of its ops or more do nothing now"
printf '%s\n' '# One that the corpus has not.' '96 01 00 00' >"$work/bench/varint/hidden.hex"
vet --expected "" --bench "$work/bench" --target varint "$old" "$work/hidden.so"
judge "a bench input that differs fails" ends 1
judge "and is told as others are" says "UNREVIEWED varint:newly-fails:VAR-"

# ---- interrupted ----

bug=(--expected "" --target varint "$old" "$work/bug.so")
rm -rf "$work/state"
vet "${bug[@]}"
cp "$work/log" "$work/whole"
journal=$(ls "$work"/state/*.journal)
cp "$journal" "$work/journal"
head -c $(($(grep -abm 1 '^end 0' "$journal" | cut -d : -f 1) + 40)) "$work/journal" >"$journal"
vet "${bug[@]}"
judge "a vet that was cut off ends as the whole one" cmp -s "$work/log" "$work/whole"
judge "and its journal is as long" cmp -s "$journal" "$work/journal"
rm -rf "$work/state"
alike=(--expected "" --target varint --runs 600 "$old" "$old")
vet "${alike[@]}"
judge "no difference passes" ends 0
sed -i 's/^\(runs varint .*\) 0 0 \([0-9]*\)$/\1 4 0 \2/;/^end 0/q' "$work"/state/*.journal
vet "${alike[@]}"
judge "inputs that were not run fail" ends 1
judge "and are counted" says "inputs were NOT RUN: 4 of their target did not end"
vet --json --names $'größer 0 \xff' "${bug[@]}"
json_holds() {
    python3 -c 'import json, sys
v, last = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
assert v == last and v["form"] == 2 and v["status"] == 1
(bug,) = [d for d in v["differences"] if d["id"] == "varint:newly-fails:VAR-007"]
assert bug["witness"] and bug["line"] > 0 and bug["paths"] and bug["kind"] == "newly-fails"
assert "--input" in bug["again"]
assert {d["id"] for d in v["differences"]} >= {i for r in v["requirements"]
                                              for i in r["differences"]}
assert any(b["case"] == "varint" and b["metric"] == "steps" for b in v["bench"])
assert v["base"] == "gr\u00f6\u00dfer" and v["head"] == "\u00ff"
assert all(isinstance(v[k], list) for k in ("times", "lost", "joint", "marks", "notes"))
' "$1" "$2"
}
if command -v python3 >/dev/null; then
    judge "--json is JSON and names the bug" json_holds "$work/log" "$work/state/last.json"
else
    echo "NOT RUN --json: no python3 to read it with"
fi

# ---- what cannot be vetted ----

echo text >"$work/text.so"
vet "$old" "$work/text.so"
judge "a file that is no shared object" ends 2
vet "$old" "$work/absent.so"
judge "no file" ends 2
for option in "--target varint,typo" "--loose varint,typo"; do
    vet $option "$old" "$old"
    judge "$option" ends 2
    judge "is named once" [ "$(cut -d ';' -f 1 "$work/log")" = "bed: no target \`typo'" ]
done
vet --rounds x "$old" "$old"
judge "a bad number is one message" [ "$(wc -l <"$work/log")" = 1 ]

revision() {
    status=0
    (cd "$work/repo" && ci/vet.sh "$@") >"$work/log" 2>&1 || status=$?
}
if git clone -q --shared . "$work/repo" 2>/dev/null; then
    here=(git -C "$work/repo" -c user.name=vet -c user.email=vet@localhost)
    cp -a Makefile .gitignore core sim oracles targets ci "$work/repo"
    "${here[@]}" add -A
    "${here[@]}" commit -q --allow-empty -m base
    mkdir -p "$work/repo/build"
    cp -a build/side "$work/repo/build/"
    for option in "--target varint,typo" "--runs=x" "--bogus" "more" "--input Makefile"; do
        revision HEAD $option
        judge "$option cannot be vetted" ends 2
        judge "before anything is built" [ ! -e "$work/repo/build/vet" ]
    done
    revision no-such-revision
    judge "a revision that does not exist" ends 2
    judge "is named" says "there is no revision \`no-such-revision'"
    sed -i 's/#define SIM_VERSION .*/#define SIM_VERSION 9/' "$work/repo/sim/scenario.h"
    "${here[@]}" commit -q -a -m format
    cp -a sim/scenario.h "$work/repo/sim/"
    echo 'int wb_broken(' >>"$work/repo/core/base/base.c"
    "${here[@]}" commit -q -a -m broken
    cp -a core/base/base.c "$work/repo/core/base/"
    revision HEAD~1
    judge "a revision of another corpus format" ends 2
    judge "and which" says "SIM_VERSION 9 ; this tree has"
    revision HEAD
    judge "a revision that does not build" ends 2
    judge "and why" says "HEAD does not build: core/base/base.c"
    judge "nothing is left half-written" [ ! -e "$work/repo/build/vet/old.so" ]
else
    echo "NOT RUN revisions: this is no git repository"
fi

judge_end
