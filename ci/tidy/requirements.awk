# The history of oracles/requirements.tsv (git log -p), then the file as it is: an id stays for
# ever, and what a ratchet bounds only falls.
FILENAME == ARGV[1] {
    if ($0 ~ /^[-+]R-[A-Z]+-[0-9]+\t/) {
        split(substr($0, 2), f, "\t")
        given[f[1]]
    }
    if (split($0, f, " ") == 4 && f[1] == "+#" && f[2] == "ratchet:")
        if (!(f[3] in least) || f[4] + 0 < least[f[3]])
            least[f[3]] = f[4] + 0
    next
}
/^R-/ {
    split($0, f, "\t")
    delete given[f[1]]
}
$1 == "#" && $2 == "ratchet:" {
    if ($3 in least && $4 + 0 > least[$3])
        print FILENAME ":" FNR ": requirements: the ratchet " $3 " was " least[$3]
    delete least[$3]
}
END {
    for (id in given)
        print FILENAME ":1: requirements: " id " was given and is gone"
    for (name in least)
        print FILENAME ":1: requirements: the ratchet " name " is gone"
}
