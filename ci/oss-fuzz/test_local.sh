#!/bin/bash
# Can ci/ossfuzz-local.sh say no? A small project that keeps every rule passes with each engine and
# sanitizer; then one thing is broken at a time, and the rule that is named here must refuse it.
#
#   ci/oss-fuzz/test_local.sh [PATTERN]      ends with "N passed, N failed"
set -u
cd "$(dirname "$0")/../.." || exit 2
base=$(mktemp -d /var/tmp/ossfuzz-test.XXXXXX) || exit 2
pattern=${1:-.} dry=
. ci/oss-fuzz/image.sh
leave() {
    [ -z "${half:-}" ] || kill -- "-$half" 2>/dev/null
    [ -z "${server:-}" ] || kill "$server" 2>/dev/null
    rm -rf "$base"
}
trap leave EXIT
trap 'exit 2' INT TERM

# The sound project.
mkdir -p "$base"/sound/{core/base,targets,ci/oss-fuzz,.clusterfuzzlite}
cp ci/oss-fuzz/{project.yaml,Dockerfile} "$base/sound/ci/oss-fuzz/"
cp .clusterfuzzlite/* "$base/sound/.clusterfuzzlite/"
head -n 14 ci/oss-fuzz/build.sh >"$base/head"
cat >"$base/sound/core/base/toy.c" <<'END'
int toy_sum(const unsigned char *data, unsigned long len);

int toy_sum(const unsigned char *data, unsigned long len)
{
    int sum = 0;
    for (unsigned long i = 0; i < len; i++)
        sum = data[i] == 'x' ? sum + i % 3 : sum + 1;
    return sum;
}
END
cat >"$base/sound/targets/fuzz_toy.c" <<'END'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int toy_sum(const unsigned char *data, unsigned long len);
unsigned long LLVMFuzzerMutate(unsigned char *data, unsigned long len, unsigned long max);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long len);
#ifdef MUTATES
unsigned long LLVMFuzzerCustomMutator(unsigned char *data, unsigned long len, unsigned long max,
                                      unsigned seed)
{
    (void)data, (void)len, (void)seed;
    return MUTATES;
}
#endif
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    /*init*/
    return 0;
}
int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long len)
{
    if (len > 3 && memcmp(data, "seed", 4) == 0) {
        /*seed*/
    }
    if (toy_sum(data, len) == 7) /*body*/
        return 0;
    return 0;
}
END
cat >"$base/sound/Makefile" <<'END'
build/tool/core/base/toy.o: core/base/toy.c
	@mkdir -p $(@D)
	$(CC) -O1 -c -o $@ $<
END
cat "$base/head" - >"$base/sound/ci/oss-fuzz/build.sh" <<'END'
mkdir -p $WORK/seeds
$CC $CFLAGS -c core/base/toy.c -o $WORK/toy.o
$CC $CFLAGS -c targets/fuzz_toy.c -o $WORK/fuzz_toy.o
$CXX $CXXFLAGS $WORK/fuzz_toy.o $WORK/toy.o $LIB_FUZZING_ENGINE -o $OUT/toy
printf seed >$WORK/seeds/one
touch -d 2000-01-01 $WORK/seeds/one
rm -f $OUT/toy_seed_corpus.zip
zip -qjX $OUT/toy_seed_corpus.zip $WORK/seeds/one
printf '[libfuzzer]\nmax_len = 64\n' >$OUT/toy.options
echo 'word="xx"' >$OUT/toy.dict
END
cat "$base/head" - >"$base/sound/ci/oss-fuzz/run_tests.sh" <<'END'
cd "$SRC/wirebed"
make -s build/tool/core/base/toy.o
printf 'int toy_sum(); int main() { return toy_sum("abc", 3ul) != 3; }' >build/t.c
$CC -w -std=c11 build/t.c build/tool/core/base/toy.o -o build/t
build/t
END

# try FOLDER ARGUMENT...: what ci/ossfuzz-local.sh says of the tree in it.
try() { TREE=$1/tree PLANTS=1 LIMIT=2 TESTS_LIMIT=60 ci/ossfuzz-local.sh "${@:2}" >"$1/log" 2>&1; }

# picked WHAT: is this one to be run? When dry it is only told that there is one.
picked() {
    [[ $1 =~ $pattern ]] || return 1
    [ -z "$dry" ] || { echo "one" && return 1; }
}

sound() {
    local d
    picked "sound $*" || return 0
    d=$(mktemp -d "$base/XXXXXX") && cp -a "$base/sound" "$d/tree"
    if try "$d" "$@"; then echo "ok sound project, $*"; else
        echo "BAD the sound project is refused with $*:" && sed 's/^/    /' "$d/log"
    fi
    rm -rf "$d"
}

# control RULE "ENGINE SANITIZER" WHAT COMMAND: in the tree, COMMAND breaks it.
control() {
    local d
    picked "$1 $3" || return 0
    d=$(mktemp -d "$base/XXXXXX") && cp -a "$base/sound" "$d/tree"
    if (cd "$d/tree" && eval "$4"); then try "$d" $2; else echo "cannot be broken" >"$d/log"; fi
    if grep -q "^BAD $1: " "$d/log"; then echo "ok $1 refuses $3"; else
        echo "BAD $1 lets pass $3:" && sed 's/^/    /' "$d/log"
    fi
    rm -rf "$d"
}

# online RULE "ENGINE SANITIZER" WHAT COMMAND: a control that needs offline() to be so.
online() {
    if [ -n "$apart" ]; then control "$@"; elif picked "$1 $3"; then
        echo "NOT RUN $1 refuses $3: unshare gives this user no network namespace"
    fi
}

# fact WHAT COMMAND...: what must hold of that which all of them source.
fact() {
    picked "fact $1" || return 0
    if "${@:2}"; then echo "ok $1"; else echo "BAD not so: $1"; fi
}

# A server on this machine, for who downloads.
port=$((20000 + $$ % 10000))
memcached -u nobody -l 127.0.0.1 -p "$port" >/dev/null 2>&1 &
server=$!

. ci/oss-fuzz/test_controls.sh
# Who ends without a verdict has failed: a half that dies says nothing of its controls.
dry=1
asked=$({ one_half && other_half; } | grep -c '^one$')
dry=
both
cat "$base/verdicts"
passed=$(grep -c '^ok ' "$base/verdicts")
failed=$(grep -c '^BAD ' "$base/verdicts")
lost=$((asked - passed - failed - $(grep -c '^NOT RUN ' "$base/verdicts")))
[ "$lost" = 0 ] || echo "BAD of $asked controls $lost came to no verdict"
[ "$lost" = 0 ] && [ "$asked" -gt 0 ] || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
