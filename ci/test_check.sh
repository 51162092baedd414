#!/bin/bash
# Do ci/check.sh and ci/check-all.sh say all that was not run, and end what they began? In a small
# tree whose pieces are stand-ins. Ends with "N passed, N failed".
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
unset MAKEFLAGS MFLAGS MAKELEVEL SUBJECT
passed=0 failed=0
mkdir -p "$work/ci/all"
cp "$root"/ci/{check,check-all,pieces,stop}.sh "$work/ci/"
cd "$work" || exit 2

# piece FILE: a script with the lines that are read.
piece() {
    { echo '#!/bin/bash' && cat; } >"$1"
    chmod +x "$1"
}
# expect NAME STATUS COMMAND...: it ends so, and prints each line that is read once.
expect() {
    local name=$1 wanted=$2 status=0 line wrong=
    shift 2
    "$@" >said 2>&1 </dev/null || status=$?
    [ $status = "$wanted" ] || wrong="exit status $status"
    while read -r line; do
        [ "$(sed 's/^ *//; s/  ([0-9]* s)$//' said | grep -cxF -- "$line")" = 1 ] ||
            wrong="not once: $line"
    done
    if [ -z "$wrong" ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$name: $wrong"
        sed 's/^/    /' said
    fi
}

piece ci/certify.sh <<'END'
echo "NOT RUN with fixed addresses: refused here"
echo "3 passed, 0 failed"
END
piece ci/test_vet.sh <<'END'
cat <<LOG
[ RUN      ] test_plain
[       OK ] test_plain
[ RUN      ] test_watch
cannot load the program
[  SKIPPED ] test_watch
[ RUN      ] test_quiet
[  SKIPPED ] test_quiet
[==========] 3 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 2 test(s), listed below:
[  SKIPPED ] test_watch
[  SKIPPED ] test_quiet
LOG
END
expect "what a script leaves out is told" 0 ci/check.sh certificate <<'END'
certificate          3 passed, 0 failed, 1 not run
NOT RUN with fixed addresses: refused here
1 not run
3 passed, 0 failed
END
expect "what cmocka skips is told once, with the reason" 0 ci/check.sh vet <<'END'
vet                  1 passed, 0 failed, 2 not run
NOT RUN test_watch: cannot load the program
NOT RUN test_quiet: skipped
2 not run
1 passed, 0 failed
END
piece ci/all/long.sh <<'END'
echo "9 passed, 9 failed"
echo "NOT RUN the page: no browser"
echo "2 passed, 0 failed"
END
expect "check-all takes the last sum of a script" 0 ci/check-all.sh long <<'END'
long                 2 passed, 0 failed, 1 not run
1 not run
2 passed, 0 failed
END
mv ci/check.sh ci/real.sh
piece ci/check.sh <<'END'
exec ci/real.sh certificate vet
END
expect "check-all counts what check left out, and names what never runs" 0 ci/check-all.sh <<'END'
check                4 passed, 0 failed, 3 not run
NOT RUN with fixed addresses: refused here
NOT RUN test_watch: cannot load the program
NOT RUN make hunt: it takes hours
NOT RUN make bench: its bars are for a machine that does nothing else
6 not run
6 passed, 0 failed
END
mv ci/real.sh ci/check.sh
piece ci/certify.sh <<'END'
echo "NOT RUN this: no tool"
exit 1
END
expect "a piece that fails says what it left out, once" 1 ci/check.sh certificate <<'END'
certificate          0 passed, 1 failed, 1 not run
NOT RUN this: no tool
0 passed, 1 failed
END
piece ci/certify.sh <<'END'
true
END
expect "a piece that runs nothing, in silence, fails" 1 ci/check.sh certificate <<'END'
no test was run
0 passed, 1 failed
END
export SUBJECT=other.c
expect "of another subject only what drives it is run" 1 ci/check.sh certificate mut soak <<'END'
NOT RUN certificate: it is of our core, and SUBJECT is another
NOT RUN mutants: it is of our core, and SUBJECT is another
NOT RUN mutate: it is of our core, and SUBJECT is another
soak                 0 passed, 1 failed
3 not run
END
unset SUBJECT
# Its object lies in the folder of the variant, wherever it lies itself.
mkdir -p lib && echo 'int other;' >lib/subject.c
expect "a subject has an object in each variant" 0 make --no-print-directory -s -C "$root" \
    B="$work/v" SUBJECT="$work/lib/subject.c" "$work/v/subject.o" </dev/null
expect "and there" 0 ls v/subject.o <<<v/subject.o
# On a fresh machine nothing can be built before the setup.
for command in report matrix; do
    expect "make $command installs first" 0 bash -c \
        "make --no-print-directory -C '$root' -n $command 2>/dev/null | grep -m 1 -E 'setup|bed'" \
        <<<ci/setup.sh
done

# Told to end, alone: all that it started ends, also what has a group of its own, and at once.
piece ci/certify.sh <<'END'
sleep 300 &
echo $! >>pids
timeout 300 bash -c 'echo $$ >>pids; exec sleep 300'
END
ends_all() {
    local pid n first status=0 second=0 left=0
    : >pids
    "$@" >first 2>&1 &
    first=$!
    for ((n = 0; n < 100; n++)); do
        [ "$(wc -l <pids)" -lt 2 ] || break
        sleep 0.1
    done
    timeout 5 "$@" >second 2>&1 || second=$?
    kill -TERM $first
    wait $first || status=$?
    sleep 0.2
    for pid in $(cat pids); do
        ! grep -qs ') [^Z] ' "/proc/$pid/stat" || { kill "$pid" && left=$((left + 1)); }
    done
    echo "ends with $status, $left of $(wc -l <pids) run on, a second one ended with $second"
}
expect "a check that is told to end" 0 ends_all ci/check.sh certificate <<'END'
ends with 2, 0 of 2 run on, a second one ended with 2
END
piece ci/all/long.sh <<'END'
exec ci/check.sh certificate
END
expect "a check-all that is told to end" 0 ends_all ci/check-all.sh long <<'END'
ends with 2, 0 of 2 run on, a second one ended with 2
END
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
