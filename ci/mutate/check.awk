# Drawn mutants against ci/mutate.tsv: what lives must stand there as living, apart, or as what only
# the slow modes kill. A function that changed may have no more that live than it had. Reads what
# was drawn, the table, ci/mutate.tsv, what is claimed equivalent, and the results.
BEGIN { FS = "\t" }
FILENAME == ARGV[1] { drawn[$1]; next }
FILENAME == ARGV[2] {
    if ($1 in drawn) {
        key = $2 SUBSEP $3 SUBSEP $7
        want[key] = $2 ":" $5 " " $3 " " $7 ": " $10 " => " $11
        hash[key] = $4
        total++
    }
    next
}
FILENAME == ARGV[3] {
    if ($0 ~ /^#/ || $2 == "*")
        next
    kept[$1, $2] = $3
    n = split($6 " " $7 " " $8, names, " ")
    for (i = 1; i <= n; i++) {
        known[$1, $2, names[i]]
        room[$1, $2] += names[i] != "-"
    }
    next
}
FILENAME == ARGV[4] { if ($0 !~ /^#/) claim[$1, $2, $3]; next }
$1 == world {
    key = $2 SUBSEP $3 SUBSEP $5
    if (key in want && $4 == hash[key])
        end[key] = $6
}
END {
    for (key in want) {
        split(key, part, SUBSEP)
        fn = part[1] SUBSEP part[2]
        if (end[key] == "killed" && key in claim) {
            print "claimed equivalent, but killed: " want[key]
            failed++
        } else if (end[key] == "killed") {
            continue
        } else if (end[key] == "") {
            print "no verdict: " want[key]
            failed++
        } else if (!(key in known) && !(key in claim)) {
            if (kept[fn] == hash[key]) {
                print "lives (" end[key] "), and was killed before: " want[key]
                failed++
            } else if (end[key] != "same") {
                fresh[fn] = fresh[fn] "\n  lives (" end[key] "): " want[key]
                lives[fn]++
            }
        } else if (kept[fn] != hash[key])
            lives[fn]++
    }
    for (fn in fresh) {
        if (lives[fn] <= room[fn])
            continue
        split(fn, part, SUBSEP)
        print part[2] " of " part[1] " changed, and more of its mutants live than did (" \
            lives[fn] ", " room[fn] + 0 "): make mutate NAME=" part[1] fresh[fn]
        failed++
    }
    print total - failed " passed, " failed + 0 " failed"
    exit failed > 0
}
