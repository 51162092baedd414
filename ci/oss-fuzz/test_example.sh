#!/bin/bash
# Does ci/oss-fuzz/ADOPT.md work? Builds its example, another library with wirebed's targets on it,
# as an image of OSS-Fuzz would, offline; the fuzzer must start, most of the corpus must tell what
# the model tells, and what does not must end in the name of an invariant. A testcase that does not
# is reproduced by the commands of step 6. Then the library is broken, and more of it must.
#
#   ci/oss-fuzz/test_example.sh      ends with "N passed, N failed"
set -u
cd "$(dirname "$0")/../.." || exit 2
. ci/oss-fuzz/image.sh
work=$(mktemp -d /var/tmp/ossfuzz-example.XXXXXX) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
judge() {
    if "${@:2}"; then passed=$((passed + 1)); else
        failed=$((failed + 1)) && echo "BAD $1"
    fi
}
mkdir -p "$work"/{src,out,work,home,seeds}
sources . "$work/src/wirebed"
tell_offline "the build of the example had it"
cp -r ci/oss-fuzz/example "$work/src/lines"
cp ci/oss-fuzz/example/build.sh "$work/src/"

build() {
    (image libfuzzer address && cd "$SRC/lines" && offline bash -eux "$SRC/build.sh") \
        >"$work/build.log" 2>&1 </dev/null || { tail -n 15 "$work/build.log" && return 1; }
}
fuzzer=$work/out/fuzz_reply_wire
starts() {
    (cd "$work/home" && runner && "$fuzzer" -seed=1337 -runs=4 >"$work/log" 2>&1 </dev/null)
    grep -q "Done 4 runs" "$work/log" || { tail -n 5 "$work/log" && return 1; }
}
# Each seed in a process of its own, since the first that fails ends one; sets good, named, unnamed.
replay() {
    rm -rf "$work/seeds" && unzip -qo "${fuzzer}_seed_corpus.zip" -d "$work/seeds"
    (runner && cd "$work/seeds" && ls | grep -- '-0$' | xargs -P 2 -I @@ sh -c '
        if "$1" "$2" >"$2.log" 2>&1; then echo good; else
            grep -ohE -m 1 "ASSERTION FAILED: [A-Z]+-[0-9]+" "$2.log" || echo "unnamed $2"
        fi' sh "$fuzzer" @@) | sort | uniq -c | sort -rn >"$work/verdicts"
    good=$(awk '$2 == "good" { print $1 }' "$work/verdicts")
    named=$(awk '$2 == "ASSERTION" { n += $1 } END { print n + 0 }' "$work/verdicts")
    unnamed=$(awk '$2 == "unnamed" { n += $1 } END { print n + 0 }' "$work/verdicts")
    echo "${good:-0} seeds tell what the model tells; of the others $named name an invariant:"
    sed 's/^/  /' "$work/verdicts" | head -n 12
}
# The commands of step 6 as they stand there, with the paths of the example and a seed that names an
# invariant: they must name the same one.
reproduce() {
    local seed id from=$work/src/wirebed lib=$work/plain
    read -r seed id < <(cd "$work/seeds" && grep -oE "ASSERTION FAILED: [A-Z]+-[0-9]+" ./*-0.log |
        sed 's|^./||; s/\.log:ASSERTION FAILED: / /' | head -n 1)
    "$from/build/tool/bed" show --target reply_wire --whole "$work/seeds/$seed" \
        >"$work/found.hex" || return 1
    mkdir -p "$lib" && clang-$clang -c "$work/src/lines/lines.c" -I "$work/src/lines" \
        -o "$lib/lines.o" && ar rcs "$lib/lib.a" "$lib/lines.o" || return 1
    awk '/^6\. /, /^   `found/ { if (/^        /) print }' ci/oss-fuzz/ADOPT.md |
        sed "s|/path/of/headers|$work/src/lines|; s|/path/of/subject.c|$work/src/lines/subject.c|
             s|/path/of/lib.a|$lib/lib.a|; s|/path/of/found.hex|$work/found.hex|" >"$work/six"
    (cd "$from" && bash -e "$work/six") >"$work/log" 2>&1 </dev/null
    grep -q "ASSERTION FAILED: $id " "$work/log" || { tail -n 5 "$work/log" && return 1; }
    echo "by step 6 of ADOPT.md $seed names $id too"
}

judge "the example does not build" build
if [ "$failed" = 0 ]; then
    judge "its fuzzer does not start" starts
    replay
    judge "no seed passes" [ "${good:-0}" -gt 20 ]
    judge "a seed fails without a name" [ "$unnamed" = 0 ]
    judge "the commands of step 6 do not reproduce a testcase" reproduce
    was=${good:-0}
    sed -i 's/value \* 10 +/value * 8 +/' "$work/src/lines/lines.c"
    judge "the broken example does not build" build
    replay
    judge "a broken library is not noticed" [ "${good:-0}" -lt "$was" ]
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
