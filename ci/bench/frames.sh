#!/bin/bash
# What frames, ingest and their memory cost: allocations, instructions, live heap, and fan-out over
# threads beside a mutex and memcpy; how each figure is taken: ci/bench/README.md. What comes out
# alike each time is measured twice and compared; then held against ci/bench/frames.tsv: what got
# worse by more than 2 % is printed as such.
#
#   BENCH_SAVE=1    writes that file anew
set -eu
cd "$(dirname "$0")/../.."
out=build/bench/frames program=build/release/bench_frames saved=ci/bench/frames.tsv
rm -rf "$out" && mkdir -p "$out"

die() {
    echo "bench: $*" >&2
    exit 2
}

# twice NAME COMMAND...: runs it two times; both must print the same.
twice() {
    local name=$1
    shift
    "$@" >"$out/$name" || die "$name ended early"
    "$@" >"$out/$name.again" || die "$name ended early"
    cmp -s "$out/$name" "$out/$name.again" || {
        diff "$out/$name" "$out/$name.again" | head -n 10 >&2
        die "$name came out differently the second time"
    }
}

# `PART CASE INSTRUCTIONS` of each dump that callgrind leaves.
collect() {
    rm -f "$out"/callgrind*
    GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=0x40000000 valgrind -q --tool=callgrind \
        --callgrind-out-file="$out/callgrind" --collect-atstart=no \
        --toggle-collect=storage_all --toggle-collect=storage_read --toggle-collect=storage_give \
        --toggle-collect=ingest_push --toggle-collect=ingest_release --toggle-collect=ingest_step \
        "$program" instructions >"$out/valgrind.log" 2>&1 || {
        tail -n 20 "$out/valgrind.log" >&2
        die "callgrind could not count"
    }
    find "$out" -name 'callgrind.*' | sort -t . -k 2n | xargs awk '
        /^desc: Trigger: Client Request:/ { part = $(NF - 1); name = $NF }
        /^totals:/ && name != "" { print part, name, $2; name = "" }'
}

# A figure of a shape is that of 32 arrivals less that of 4, over 28 reads by each reader.
judge() {
    awk '
        function figure(name, metric, value, unit, bar,    max) {
            max = substr(bar, match(bar, /[0-9]/))
            printf("bench frames %s %s %.10g %s %s %s\n", name, metric, value, unit, bar,
                bar != "-" && value > max + 0 ? "short" : "ok")
        }
        function size(name) {
            sub(/.*\//, "", name)
            return name + 0
        }
        { count[$1, $2] = $3 }
        $1 ~ /^(all|read|give)$/ { parts[$1] }
        $1 == "all" && sub(/\/32a$/, "", $2) { shapes[++n] = $2 }
        $1 == "push" { pushed[++sizes] = $2 }
        $1 == "frames" { walks[++w] = $2 }
        END {
            for (i = 1; i <= n; i++) {
                split(shapes[i], word, "/")
                reads = 28 * (word[3] + 0) * (word[4] + 0)
                single = word[4] == "1r" && shapes[i] ~ /^upfront\/16KiB/
                many = word[4] != "1r"
                for (k in parts)
                    cost[k] = (count[k, shapes[i] "/32a"] - count[k, shapes[i] "/4a"]) / reads
                figure(shapes[i], "instructions", cost["all"], "instructions/read",
                    single ? "<=200" : "-")
                figure(shapes[i], "read", cost["read"], "instructions/read",
                    single ? "<=90" : many ? "<=60" : "-")
                figure(shapes[i], "give-back", cost["give"], "instructions/slice",
                    many ? "<=25" : "-")
            }
            free = "ingest/2049B"
            for (i = 1; i <= sizes; i++) {
                push = count["push", pushed[i]] / 64
                figure(pushed[i], "instructions", push, "instructions/frame", "-")
                figure(pushed[i], "release", count["release", pushed[i]] / 64,
                    "instructions/frame", "-")
                if (pushed[i] == free)
                    continue
                figure(pushed[i], "extra", push - count["push", free] / 64, "instructions/frame",
                    (size(pushed[i]) <= 160 ? "<=" : "~") 300)
                push = count["bare", pushed[i]] - count["bare", free]
                figure(pushed[i], "extra-bare", push / 64, "instructions/frame", "<=300")
            }
            for (i = 1; i <= w; i++)
                figure(walks[i], "instructions", count["frames", walks[i]] / 3200,
                    "instructions/frame", "-")
        }'
}

make --no-print-directory -s -j2 V=release "$program" >"$out/make.log" 2>&1 || {
    cat "$out/make.log" >&2
    die "bench_frames does not build"
}
twice counts "$program" counts
cat "$out/counts"
twice instructions collect
judge <"$out/instructions" | tee "$out/judged"
"$program" times || die "times ended early"
awk '$1 == "bench" { print $3 "\t" $4 "\t" $5 }' "$out/counts" "$out/judged" | LC_ALL=C sort \
    >"$out/steady"
[ -z "${BENCH_SAVE:-}" ] || cp "$out/steady" "$saved"
[ ! -f "$saved" ] || awk -F '\t' '
    NR == FNR { before[$1, $2] = $3; next }
    $2 ~ /^(whole|own-allocation)$/ { # the more the better
        if (($1, $2) in before && $3 < before[$1, $2])
            print "worse: " $1 " " $2 " " $3 ", was " before[$1, $2]
        next
    }
    ($1, $2) in before && $3 > before[$1, $2] * 1.02 {
        print "worse: " $1 " " $2 " " $3 ", was " before[$1, $2]
    }' "$saved" "$out/steady"
