#!/bin/bash
# Does ci/afl.sh bring home all that was found? With stand-ins for AFL++ and what it fuzzes; a real
# bug is found by ci/all/afl.sh. Ends with "N passed, N failed".
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
unset MAKEFLAGS MFLAGS MAKELEVEL EMPTY EXECS KEEP
passed=0 failed=0
mkdir -p "$work"/{ci,targets,bin}
cp "$root/ci/afl.sh" "$work/ci/"
cd "$work" || exit 2
touch targets/fuzz_demo.c
# stand_in FILE: a script with the lines that are read.
stand_in() {
    { echo '#!/bin/bash' && cat; } >"$1"
    chmod +x "$1"
}
stand_in bed <<'END'
case $1 in
show) cat "${@: -1}" ;;
run) echo "FOUND $(cat "${@: -1}") in demo: it is so" ;;
*) exit 1 ;;
esac
END
stand_in fuzz <<'END'
[[ $* != *hangs/id* ]] || exit 0
END
printf 'build/%%:\n\tmkdir -p $(@D) && cp $(if $(findstring bed,$@),bed,fuzz) $@\n' >Makefile
# 60 small inputs for one invariant, and a longer one for another.
stand_in bin/afl-fuzz <<'END'
while [ $# -gt 0 ]; do
    case $1 in -o) out=$2 ;; -M | -S) name=$2 ;; esac
    shift
done
mkdir -p "$out/$name"/{crashes,hangs,queue}
touch "$out/$name/fuzzer_stats"
[ "$name" = plain ] || exit 0
for i in {1..60}; do echo DEM-001 >"$out/plain/crashes/id:$i"; done
echo WB_ASSERT-long >"$out/plain/crashes/id:61"
END
stand_in bin/afl-tmin <<<'exit 1'
stand_in bin/afl-cmin <<<'echo no memory; exit 1'
export PATH=$work/bin:$PATH

# judge NAME CONDITION...
judge() {
    if "${@:2}"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$1:"
        sed 's/^/    /' said
    fi
}
status=0
EMPTY=1 ci/afl.sh demo 1 >said 2>&1 || status=$?
judge "each invariant has an input" [ "$(ls build/afl/found/demo | cut -c 1-7 | xargs)" = \
    "DEM-001 WB-ASSE" ]
judge "a finding is told, also when what follows fails" [ $status = 1 ]
judge "and what failed" grep -q '^afl: afl-cmin: no memory' said
sed -i '/^for i in\|61"$/d' bin/afl-fuzz
status=0
EMPTY=1 ci/afl.sh demo 1 >said 2>&1 || status=$?
judge "without a finding it could not run" [ $status = 2 ]
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
