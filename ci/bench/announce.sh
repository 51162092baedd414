#!/bin/bash
# What announces cost: instructions and paths compared of a change beside held claims, of setup and
# teardown through a relay, of joins, and of what is received; how each figure is taken:
# ci/bench/README.md.
set -eu
cd "$(dirname "$0")/../.."
out=build/bench/announce program=build/release/bench_announce counted=build/counted/bench_announce
held="16 4096 65536"
rm -rf "$out" && mkdir -p "$out"

die() {
    echo "bench: $*" >&2
    exit 2
}

# measure PART NUMBERS: `instructions CASE N` and `compared CASE N`, each by what it counts.
measure() {
    local log
    log=$out/$(tr ' ' - <<<"$*")
    GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=0x40000000 \
        valgrind -q --tool=callgrind --callgrind-out-file="$log.callgrind" --instr-atstart=no \
        "$program" "$@" >"$log.out" 2>&1 || {
        tail -n 20 "$log.out" >&2
        die "$* under callgrind"
    }
    find "$out" -path "$log.callgrind.*" | sort -t . -k 3n | xargs awk '
        /^desc: Trigger: Client Request:/ { count = $NF; name = $(NF - 1) }
        /^totals:/ && name != "" { print "instructions", name, $2 / count; name = "" }
    ' >"$log.lines"
    "$counted" "$@" >>"$log.lines" || die "$* in a counted build"
    rm -f "$log".callgrind*
    cat "$log.lines"
}

# Two at a time. 64 viewers of 65,536 claims would take 2 GB: 16 stand for them.
measure_all() {
    local h many
    for h in $held; do
        many=$((h == 65536 ? 16 : 64))
        measure change "$h" 1 &
        measure setup "$((h == 16 ? 256 : h))"
        wait $!
        measure change "$h" $many &
        for n in 1 16 256; do measure received "$h" $n; done
        wait $!
    done
    measure join 1024
}

judge() {
    awk '
        function figure(name, metric, value, unit, bar,    max) {
            max = substr(bar, match(bar, /[0-9]/))
            printf("bench announce %s %s %.4g %s %s %s\n", name, metric, value, unit, bar,
                bar != "-" && value > max + 0 ? "short" : "ok")
        }
        function log2(n) { return log(n) / log(2) }
        # NAME of the same case with another number in its place.
        function beside(name, place, number,    word, n, i, s) {
            n = split(name, word, "/")
            word[place] = number
            for (i = 1; i <= n; i++) s = s (i > 1 ? "/" : "") word[i]
            return s
        }
        { value[$1, $2] = $3 }
        $1 == "instructions" { names[++n] = $2 }
        END {
            for (i = 1; i <= n; i++) {
                split(names[i], word, "/")
                v = value["instructions", names[i]]
                c = value["compared", names[i]]
                many = word[3] + 0
                bar = word[1] != "change" || many == 4096 ? "-" : \
                    (word[4] == "1v" ? "~" : "<=") (many == 16 ? 3000 : 4000)
                unit = word[1] == "received" ? "instructions/change" : \
                    word[1] == "join" ? "instructions/claim" : \
                    word[1] ~ /setup|teardown/ ? "instructions/claim-and-viewer" : \
                    "instructions/viewer-and-change"
                figure(names[i], "instructions", v, unit, bar)
                bar = "-"
                if (word[1] == "receiver" || (word[1] == "sender" && word[4] != "1v"))
                    bar = "<=" int(4 * log2(many) + 16 + 0.5)
                if (word[1] ~ /change|sender|receiver|received/)
                    figure(names[i], "compared", c, "paths/change", bar)
                first = ""
                if (word[1] ~ /setup|teardown/) { first = beside(names[i], 3, "256c"); max = 1.6 }
                if (word[1] == "received") { first = beside(names[i], 3, "16h"); max = 2.5 }
                if (word[1] == "join") { first = beside(names[i], 3, "1r"); max = 1.2 }
                if (first != "" && first != names[i])
                    figure(names[i], "beside-" (word[1] == "join" ? "1r" : word[1] == "received" ? \
                        "16h" : "256c"), v / value["instructions", first], "ratio", "<=" max)
            }
        }'
}

for v in release counted; do
    make --no-print-directory -s -j2 V=$v build/$v/bench_announce >"$out/make.log" 2>&1 || {
        cat "$out/make.log" >&2
        die "bench_announce does not build"
    }
done
measure_all >"$out/lines" || exit 2
judge <"$out/lines"
