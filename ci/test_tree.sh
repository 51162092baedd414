#!/bin/bash
# Can what ci/mutants.sh and ci/hunt.sh say of planted bugs be trusted? In a small tree whose fuzzer
# is a script. Ends with "N passed, N failed".
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
unset MAKEFLAGS MFLAGS MAKELEVEL KEEP RUNS
passed=0 failed=0
mkdir -p "$work"/{core,sim,oracles,targets,corpus/demo,ci/hunt/demo,ci/mutants/demo}
cp "$root"/ci/{mutants,hunt,tree,stop}.sh "$work/ci/"
cd "$work" || exit 2
touch targets/fuzz_demo.c
cat >Makefile <<'END'
build/$(V)/fuzz_demo: build/$(V)/demo.o
	cp --remove-destination $< $@
build/$(V)/demo.o: core/demo
	mkdir -p $(@D) && sleep 0.05
	cp --remove-destination $< $@
END
# Its only op adds, and a wrong sum is broken. As fuzzer it finds that at once.
cat >core/demo <<'END'
#!/bin/bash
plus=1
limit=9
for input in "$@"; do :; done
[ "$input" != -1 ] || input=corpus/demo/one.hex
[ -z "${SLOW:-}" ] || [ $plus = 1 ] || { echo $$ >>"$SLOW" && exec sleep 300; }
if [ $((limit + plus)) != 10 ]; then
    [ ! -d "$input" ] || echo broken >"$input/crash-1"
    echo "stat::number_of_executed_units: 7"
    echo "corpus/demo/one.hex: ASSERTION FAILED: DEM-001 the sum is right"
    exit 1
fi
END
chmod +x core/demo
echo 00 >corpus/demo/one.hex
# plant NAME LINE: a bug in place of a line of core/demo.
plant() {
    local f
    for f in ci/mutants/demo/$1.patch ci/hunt/demo/$1.patch; do
        { echo "A bug." && sed "s/^${2%%=*}=.*/$2/" core/demo | diff -u --label a/core/demo \
            --label b/core/demo core/demo -; } >"$f"
    done
}
# expect NAME STATUS COMMAND...: it ends so, and prints each line that is read.
expect() {
    local name=$1 wanted=$2 status=0 line wrong=
    shift 2
    "$@" >said 2>&1 </dev/null || status=$?
    [ $status = "$wanted" ] || wrong="exit status $status"
    while read -r line; do
        grep -qxF -- "$line" said || wrong="not said: $line"
    done
    if [ -z "$wrong" ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$name: $wrong"
        sed 's/^/    /' said
    fi
}

plant wrong plus=2
plant odd limit=8
expect "bugs that fall" 0 ci/mutants.sh <<'END'
killed   demo/wrong by DEM-001 in corpus/demo/one.hex
2 passed, 0 failed
END
plant odd 'limit="9"'
expect "a bug that lives beside one that falls" 1 ci/mutants.sh <<'END'
killed   demo/wrong by DEM-001 in corpus/demo/one.hex
SURVIVED demo/odd: A bug.
1 passed, 1 failed
END
# What an earlier run that was left behind might still append.
sed 's/^    wait$/&; echo "killed   demo\/wrong by DEM-001" >>"$base\/verdicts"/' ci/tree.sh >ci/new
cp ci/tree.sh ci/old && mv ci/new ci/tree.sh
expect "a verdict too many makes up for nothing" 1 ci/mutants.sh <<'END'
NO VERDICT demo/wrong: 2 of them
0 passed, 2 failed
END
sed 's/^    wait$/&; : >"$base\/verdicts"/' ci/old >ci/tree.sh
expect "no verdict is a failure" 1 ci/mutants.sh wrong <<'END'
NO VERDICT demo/wrong: 0 of them
0 passed, 1 failed
END
mv ci/old ci/tree.sh

# ended MUTANTS-OR-HUNT: told to end half-way, alone.
ended() {
    local pid status=0 n
    export SLOW=$work/slow
    : >slow
    "$1" wrong &
    for ((n = 0; n < 100; n++)); do
        [ ! -s slow ] || break
        sleep 0.1
    done
    kill -TERM $!
    wait $! || status=$?
    unset SLOW
    sleep 0.2
    pid=$(head -n 1 slow)
    ! grep -qs ') [^Z] ' "/proc/$pid/stat" ||
        { kill "$pid" && status="$status, but not of the replay"; }
    echo "exit status $status"
}
expect "a run that is told to end" 0 ended ci/mutants.sh <<<"exit status 2"
expect "a hunt that is told to end" 0 ended ci/hunt.sh <<<"exit status 2"

plant odd limit=8
expect "bugs that are found" 0 ci/hunt.sh <<'END'
found  demo/wrong: 7 executions, by DEM-001
2 passed, 0 failed
END
rm -f ci/hunt/demo.md
sed -i 's/ != 10 \]/& || [ -s "$input" ]/' core/demo
plant wrong plus=2
plant odd limit=8
expect "a fuzzer that fails without them finds none" 1 ci/hunt.sh <<'END'
UNSOUND demo/wrong: what was found fails without it too: seed 1, DEM-001
0 passed, 2 failed
END
expect "and writes no table" 1 cat ci/hunt/demo.md </dev/null
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
