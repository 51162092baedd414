#!/bin/bash
# Does the tool of ci/mutate.sh work? A small file through plant gives the mutants that one expects,
# and compiles; a corpus without a file kills nothing; `check` sees what changed. Ends in "N passed,
# N failed".
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
work=build/mutate/sound
rm -rf $work && mkdir -p $work
make="make --no-print-directory -s -j2"
passed=0 failed=0

# verdict NAME EXPECTED FOUND: two files that must be the same.
verdict() {
    if diff -u "$2" "$3"; then
        passed=$((passed + 1))
    else
        echo "mutate: $1"
        failed=$((failed + 1))
    fi
}

cat >$work/tiny.c <<'END'
#include "core/base/err.h"
enum { SIZE = 4 };
static const int table[SIZE + 1] = {1, 2};
void tiny_act(int a, int b);
enum wb_err tiny_do(const int *data, unsigned n, bool is_late);
_Static_assert(SIZE == 4, "left out");
static bool less(int a, int b)
{
    return a < b && !(a == 7);
}
enum wb_err tiny_do(const int *data, unsigned n, bool is_late)
{
    WB_ASSERT(n < 8);
    for (unsigned i = 0; i < n; i++) {
        if (is_late)
            break;
        tiny_act(data[i], table[i]);
    }
    WB_TRY(less(data[0], 3) ? WB_OK : WB_MORE);
    return WB_OK;
}
static void tiny_check(int a)
{
    tiny_act(a > 1, 2);
}
void tiny_act(int a, int b)
{
    tiny_check(a + b);
}
END
cat >$work/want <<'END'
9 neg: a < b && !(a == 7) => !(a < b && !(a == 7))
9 cmp: a < b => a >= b
9 edge: a < b => a <= b
9 cmp: a == 7 => a != 7
9 const: 7 => 7 + 1
9 const: 7 => 7 - 1
14 const: 0 => 0 + 1
14 cmp: i < n => i >= n
14 edge: i < n => i <= n
15 neg: is_late => !(is_late)
16 drop: break => .
17 drop: tiny_act(data[i], table[i]) => (void)0
17 swap: data[i], table[i] => table[i], data[i]
19 drop: WB_TRY(less(data[0], 3) ? WB_OK : WB_MORE) => .
19 neg: less(data[0], 3) => !(less(data[0], 3))
19 swap: data[0], 3 => 3, data[0]
19 const: 0 => 0 + 1
19 const: 3 => 3 + 1
19 const: 3 => 3 - 1
20 ret: WB_OK => WB_E_VALUE
28 drop: tiny_check(a + b) => (void)0
END
$make build/mutate/plant
build/mutate/plant $work/src $work/tiny.c
awk -F '\t' '{ print $5 " " $6 ": " $10 " => " ($11 ~ /^ ?$/ ? "." : $11) }' \
    $work/src/mutants.tsv >$work/got
verdict "the mutants of a small file" $work/want $work/got
for cc in gcc clang-19; do
    $cc -std=c11 -I. -include ci/mutate/schema.h -w -DWB_COUNTED -DWB_RACE -c -o $work/tiny.o \
        $work/src/$work/tiny.c >$work/said 2>&1 || echo "exit $?" >>$work/said
    verdict "$cc compiles it" /dev/null $work/said
done

# With and without anything to run.
build/mutate/plant build/mutate/src core/*/*.h core/*/*.c
$make mutate-programs
grep '	core/base/varint.c	' build/mutate/src/mutants.tsv | cut -f 1 >$work/ids
mkdir $work/empty
for root in $work/empty corpus; do
    rm -f $work/results
    MUTATE_CORPUS=$root build/mutate/runner build/mutate/src/mutants.tsv $work/results - c 0 \
        <$work/ids
    awk -F '\t' -v root=$root '$6 == "killed" { n++ } { all++ }
        END {
            ok = root == "corpus" ? n > all / 2 : n == 0 && all > 0
            print ok ? "as it should be" : n + 0 " killed of " all
        }' $work/results >$work/killed
    echo "as it should be" >$work/right
    verdict "what $root kills" $work/right $work/killed
done
# What `check` makes of a developer's changes. The table says of all functions that all is killed,
# and against an empty corpus everything lives; then one line of it changes, as a file would.
table=build/mutate/src/mutants.tsv file=core/base/varint.c
awk -F '\t' -v OFS='\t' '($2, $3) in seen { next }
    { seen[$2, $3]; print $2, $3, $4, 1, 1, "-", "-", "-" }' $table >$work/kept
fn=$(awk -F '\t' -v file=$file '$2 == file { print $3; exit }' $table)
names=$(awk -F '\t' -v file=$file -v fn="$fn" '$2 == file && $3 == fn { print $7 }' $table |
    tr '\n' ' ')
row() { awk -F '\t' -v OFS='\t' -v file=$file -v fn="$fn" "$1" $work/kept; }

# says NAME CORPUS ROWS STATUS PATTERN...: the table's lines as `row` prints them.
says() {
    local name=$1 root=$2 status=0 pattern
    row "$3" >$work/kept.new
    KEPT=$work/kept.new RESULTS=$work/results-${root##*/} DRAWN=0 MUTATE_CORPUS=$root \
        ci/mutate.sh check >$work/said 2>&1 || status=$?
    [ $status = "$4" ] || echo "exit $status" >>$work/wrong
    for pattern in "${@:5}"; do
        grep -q -e "$pattern" $work/said || echo "not said: $pattern" >>$work/wrong
    done
    [ ! -s $work/wrong ] || cat $work/said
    verdict "$name" /dev/null $work/wrong
    : >$work/wrong
}
: >$work/wrong
hash_is='$1 == file && $2 == fn { $3 = "0" }'
says "nothing changed" $work/empty 1 0 "^0 passed, 0 failed"
says "a function changed, and its mutants live" $work/empty "$hash_is 1" 1 \
    "^$fn of $file changed, and" "^$file:[0-9]* $fn " "^-" "^+" "nearest: " \
    "make mutate NAME=$file FLOORS=1" "1 failed$"
says "a function changed, and no more live than did" $work/empty \
    "$hash_is "'$1 == file && $2 == fn { $8 = "'"${names% }"'" } 1' 0 " 0 failed$"
says "a new function lives" $work/empty '!($1 == file && $2 == fn)' 1 "^$fn of $file is new, and"
says "a new file lives" $work/empty '$1 != file' 1 "^$fn of $file is new, and"
says "a function is gone" $work/empty '{ print } NR == 1 { $2 = "gone"; print }' 0 " 0 failed$"
cp -r corpus $work/grown
cp corpus/varint/cases/01-*.hex $work/grown/varint/cases/99-again.hex
says "a function changed, and a corpus that grew kills all" $work/grown "$hash_is 1" 0 " 0 failed$"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
