#!/bin/bash
# What the measure of coverage promises, each promise broken once in a folder of its own: what is
# counted apart, floors, and the list of what is missed.
set -u
cd "$(dirname "$0")/.." || exit 2
home=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
mkdir -p "$work/core/x"
cd "$work" || exit 2
passed=0 failed=0

cat >core/x/a.c <<'END'
int a(int b)
{
    WB_ASSERT(b > 0 ||
              b < -9);
    if (b == 1)
        return 2;
    switch (b) {
    case 3:
        return 4;
    }
    WB_UNREACHABLE();
}
int unused(void)
{
    return 0;
}
END
cat >all.lcov <<'END'
SF:/somewhere/core/x/a.c
FN:2,a.c:a
FN:14,unused
DA:2,9
DA:3,9
DA:5,9
DA:6,0
DA:7,9
DA:9,9
DA:11,0
DA:12,0
DA:14,0
DA:15,0
BRDA:3,0,0,9
BRDA:3,0,1,0
BRDA:4,0,0,-
BRDA:4,0,1,-
BRDA:5,0,0,0
BRDA:5,0,1,9
BRDA:7,0,0,0
BRDA:8,0,0,9
BRDA:8,0,1,0
end_of_record
END

# expect NAME WORDS FILE: the file has a line with these words.
expect() {
    if grep -qF -- "$2" "$3"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: no \`$2' in:"
        sed 's/^/    /' "$3"
    fi
}

# judge NAME STATUS WORDS: what the judge says of the files as they are.
judge() {
    local status=0
    awk -v floors=floors -v listed=listed -v raise="${raise:-}" \
        -f "$home/ci/cov/judge.awk" floors listed covered missed >said || status=$?
    [ "$status" = "$2" ] || echo "$1: exit status $status" >>said
    expect "$1" "$3" said
    expect "$1, status" "$([ "$status" = "$2" ] && echo ' failed' || echo never)" said
}

: >missed
awk -v covered=covered -v missed=missed -f "$home/ci/cov/count.awk" all.lcov
expect 'assertions, ends and cases are apart' 'core/x/a.c 8 5 4 2 5' covered
expect 'a branch that never was true' "$(printf 'a\tif (b == 1)\t1 true')" missed
expect 'a function that never ran' "$(printf 'unused\t-\tunused')" missed
if [ "$(wc -l <missed)" = 3 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "not 3 rows are missed:"
    cat missed
fi

printf '%s 62.5 50.0\n' core/x/a.c core/x bar >floors
sed 's/$/\tcannot: it is so./' missed >all
cp all listed
judge 'all is right' 0 ' passed, 0 failed'
sed 's/62.5/62.6/' floors >other && mv other floors
judge 'lines below the floor' 1 'below its floor 62.6 50.0'
printf '%s 62.5 50.1\n' core/x/a.c core/x bar >floors
judge 'branches below the floor' 1 'below its floor 62.5 50.1'
printf '%s 62.5 50.0\n' core/x/a.c core/x bar core/x/gone.c >floors
judge 'a file that is not covered' 1 'core/x/gone.c: has a floor and is not covered at all'
printf '%s 62.5 50.0\n' core/x/a.c core/x bar >floors
sed 1d all >listed
judge 'missed and not listed' 1 'not listed in listed'
{ cat all; printf 'core/x/a.c\ta\tif (b == 2)\t1 true\tcannot: gone.\n'; } >listed
judge 'listed and not missed' 1 'is not missed any more, or its line reads otherwise'
cut -f 1-4 all >listed
judge 'listed without a reason' 1 'and why'
cat all all >listed
judge 'listed twice' 1 'listed twice'
cp all listed
: >floors
judge 'no floors at all' 1 'no floor yet'
printf '%s 62.5 50.0\n' core/x bar >floors
judge 'a file without a floor' 1 'core/x/a.c                       5/8'
{ echo '# why' && cat all && printf 'core/x/a.c\ta\tif (b == 2)\t1 true\tcannot: gone.\n'; } >listed
raise=1 judge 'floors that are raised' 0 'cannot: gone.'
expect 'raising gives a file its floor' 'core/x/a.c 62.5 50.0' floors.new
{ echo '# why' && cat all; } >other
expect 'raising takes out what is missed no more' same <(cmp other listed.new && echo same)
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
