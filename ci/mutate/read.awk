# What ci/mutate.sh has: the table of mutants, the results, hashes of planted files, which objects
# are the same, what is claimed equivalent, the last ci/mutate.tsv, and the invariants.
BEGIN {
    FS = OFS = "\t"
    wanted = split(chosen, names, " ")
    for (i in names)
        want[names[i]]
}

FILENAME == ARGV[1] {
    key = $2 SUBSEP $3 SUBSEP $7
    order[++count] = key
    file[key] = $2; fn[key] = $2 SUBSEP $3; of[$2, $1] = key; name[key] = $7
    id_of[key] = $1; line[key] = $5
    at[key] = $8; len[key] = $9; before[key] = $10; after[key] = $11
    if (!(fn[key] in hash)) {
        fns[++fn_count] = fn[key]
        hash[fn[key]] = $4
    }
    if (!($2 in mutants))
        files[++file_count] = $2
    mutants[$2]++
    next
}
FILENAME == ARGV[2] {
    key = $2 SUBSEP $3 SUBSEP $5
    if ($1 != world || hash[$2, $3] != $4)
        next
    end[key] = $6; stage[key] = $7; by[key] = $8; where[key] = $9
    if ($6 == "killed" && $8 ~ /^[A-Z]+-[0-9]+$/)
        kills[$2, $3, $8]++
    next
}
FILENAME == ARGV[3] { planted[$2] = $1; path_of[$1] = $2; next }
FILENAME == ARGV[4] {
    if ($1 in path_of && $3 == "same")
        identical[of[path_of[$1], $2]]
    next
}
FILENAME == ARGV[5] {
    if ($0 !~ /^#/ && NF >= 4) {
        claim[$1, $2, $3] = $NF
        claims[++claim_count] = $1 SUBSEP $2 SUBSEP $3
    }
    next
}
FILENAME == ARGV[6] {
    kept[++kept_count] = $0
    if ($2 == "*")
        floor[$1] = $5
    next
}
{
    if (match($0, /X\([A-Z]+, *[0-9]+,/)) {
        id = substr($0, RSTART + 2, RLENGTH - 3)
        gsub(/, */, "-", id)
        text = substr($0, RSTART + RLENGTH)
        if (text !~ /"/)
            getline text
        sub(/^[^"]*"/, "", text)
        sub(/".*/, "", text)
        sentence[id] = text
    }
}
