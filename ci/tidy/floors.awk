# A floor only rises: what a list of floors ever said (git log -p), held against what it says.
#   awk -f ci/tidy/floors.awk FILES HISTORY ci/fallen.tsv ci/floors.txt ci/mutate.tsv
# FILES are those of the tree; a file that is gone takes its floors along. A floor that fell by a
# decision stands in ci/fallen.tsv, as it is now.
function take(name, measure, value,   key) {
    key = name "\t" measure
    if (FILENAME == ARGV[2]) {
        if (!(key in most) || value + 0 > most[key])
            most[key] = value + 0
    } else {
        now[key] = value + 0
        at[key] = FILENAME ":" FNR
    }
}
function row(text,   cell) {
    if (split(text, cell, "\t") > 1) {
        if (cell[2] == "*")
            take(cell[1], "mutants", cell[5])
    } else if (text !~ /^#/ && split(text, cell, " ") == 3) {
        take(cell[1], "lines", cell[2])
        take(cell[1], "branches", cell[3])
    }
}
BEGIN { there["bar"] }
FILENAME == ARGV[1] {
    there[$0]
    sub(/\/[^\/]*$/, "")
    there[$0]
    next
}
FILENAME == ARGV[2] {
    if ($0 ~ /^\+[^+]/)
        row(substr($0, 2))
    next
}
FILENAME == ARGV[3] {
    if ($0 ~ /^#/)
        next
    if (split($0, cell, "\t") != 4 || cell[4] == "")
        print FILENAME ":" FNR ": floors: a row is name, measure, floor, and why it fell"
    fallen[cell[1] "\t" cell[2]] = cell[3] + 0
    line[cell[1] "\t" cell[2]] = FNR
    next
}
{ row($0) }
END {
    for (key in most) {
        split(key, cell, "\t")
        if (!(key in now) && cell[1] in there)
            print "ci/floors.txt:1: floors: " cell[1] " has lost its floor of " cell[2]
        else if (key in now && now[key] < most[key] && !(key in fallen))
            print at[key] ": floors: " cell[1] " had " most[key] " of " cell[2]
    }
    for (key in fallen)
        if (!(key in now) || now[key] != fallen[key] || now[key] >= most[key])
            print ARGV[3] ":" line[key] ": floors: this is not how far it fell"
}
