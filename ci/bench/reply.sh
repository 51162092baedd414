#!/bin/bash
# What a reply costs, beside libmemcached: system calls, allocations, page faults, instructions, CPU
# time; how each figure is taken: ci/bench/README.md. Figures that come out alike each time are held
# against ci/bench/reply.tsv: what got worse by more than 2 % is printed as such.
#
#   BENCH_SAVE=1    writes that file anew
set -eu
cd "$(dirname "$0")/../.."
out=build/bench/reply program=build/release/bench_reply probed=build/probed/bench_reply
saved=ci/bench/reply.tsv
ops=10 # of each figure under callgrind; as in ci/bench/reply/
rm -rf "$out" && mkdir -p "$out"

die() {
    echo "bench: $*" >&2
    exit 2
}

# instructions PROGRAM WHAT: `CASE INSTRUCTIONS` an operation, from the files that callgrind leaves.
instructions() {
    rm -f "$out"/callgrind.*
    GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=0x40000000 valgrind -q --tool=callgrind \
        --callgrind-out-file="$out/callgrind" --collect-atstart=no --toggle-collect=ours_run \
        --toggle-collect=theirs_run --toggle-collect=bare_run --toggle-collect=peer_feed \
        "$1" "$2" >"$out/valgrind.log" 2>&1 || {
        tail -n 20 "$out/valgrind.log" >&2
        die "callgrind could not count"
    }
    find "$out" -name 'callgrind.*' | sort -t . -k 2n | xargs awk -v ops=$ops '
        /^desc: Trigger: Client Request:/ { name = $NF }
        /^totals:/ && name != "" { print name, $2 / ops; name = "" }'
}

# The lines of instructions, with their bars; beside libmemcached, and beside the best reader known.
judge_instructions() {
    awk '
        function figure(name, metric, value, unit, max, sign) {
            printf("bench reply %s %s %.10g %s %s %s\n", name, metric, value, unit,
                max == "" ? "-" : sign max, max != "" && value > max ? "short" : "ok")
        }
        function beside(batch, best,    kind, ours, n) {
            theirs = count[batch "/classic/libmemcached/unix"]
            for (n = split("meta/view/poll/unix classic/view/poll/unix", kinds, " "); n > 0; n--) {
                ours = batch "/" kinds[n]
                if (theirs > 0)
                    figure(ours, "instructions-ratio", count[ours] / theirs, "of-libmemcached",
                        0.25, "<=")
                figure(ours, "instructions-best", count[ours] / best, "of-" best, "")
            }
        }
        {
            count[$1] = $2
            figure($1, "instructions", $2, "instructions/op",
                $1 == "get-1KB/meta/view/poll/unix" ? 515 : "", "~")
        }
        END {
            beside("400x100B", 147500)
            beside("40x4KB", 15300)
        }'
}

# What probes cost when nobody listens: the same build with them, beside the one without.
judge_probes() {
    awk 'NR == FNR { bare[$1] = $2; next }
        {
            more = $2 - bare[$1]
            bar = bare[$1] * 0.01 + 5
            printf("bench reply %s probes %.10g instructions/op <=%.10g %s\n", $1, more, bar,
                more > bar ? "short" : "ok")
        }' "$@"
}

# Figures that come out alike each time, as `CASE METRIC VALUE` between tabs.
steady() {
    awk '$1 == "bench" && $3 ~ /\/scripted$/ { print $3 "\t" $4 "\t" $5 }' "$@" | LC_ALL=C sort
}

{
    make --no-print-directory -s -j2 V=release "$program" &&
        make --no-print-directory -s -j2 V=probed "$probed"
} >"$out/make.log" 2>&1 || {
    cat "$out/make.log" >&2
    die "bench_reply does not build"
}
"$program" counts | tee "$out/counts"
[ "${PIPESTATUS[0]}" = 0 ] || die "counts ended early"
"$program" faults | tee "$out/faults"
[ "${PIPESTATUS[0]}" = 0 ] || die "faults ended early"
instructions "$program" instructions >"$out/instructions"
instructions "$probed" few >"$out/probed"
judge_instructions <"$out/instructions" | tee "$out/judged"
judge_probes "$out/instructions" "$out/probed" | tee -a "$out/judged"
steady "$out/counts" "$out/judged" >"$out/steady"
[ -z "${BENCH_SAVE:-}" ] || cp "$out/steady" "$saved"
[ ! -f "$saved" ] || awk -F '\t' '
    NR == FNR { before[$1, $2] = $3; next }
    ($1, $2) in before && $3 > before[$1, $2] * 1.02 {
        print "worse: " $1 " " $2 " " $3 ", was " before[$1, $2]
    }' "$saved" "$out/steady"
awk -f ci/bench/reply/table.awk "$out/counts"
