#!/bin/bash
# Sees the rules of ci/tidy.sh that look at the history: what falls is told, what may fall is not,
# and a history that cannot be read is no silent pass. Ends with "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."
. ci/tidy/demo.sh

fires floors "ci/floors.txt:1: floors: core/base/demo.c had 75 of branches" \
    "sed -i 's/75/74.9/' ci/floors.txt"
fires floors "ci/floors.txt:1: floors: core/base/demo.c had 100 of lines" \
    "sed -i 's/100/99/' ci/floors.txt; git commit -qam fell; sed -i 's/99/99.9/' ci/floors.txt"
fires floors "ci/floors.txt:1: floors: core/base/demo.c has lost its floor of lines" \
    ": >ci/floors.txt"
fires floors "ci/mutate.tsv:1: floors: core/base/demo.c had 88.8 of mutants" \
    "sed -i 's/88.8/88.7/' ci/mutate.tsv"
fell() { sed -i 's/75/74/' ci/floors.txt; printf 'core/base/demo.c\tbranches\t%b\n' "$@"; }
fires floors "ci/fallen.tsv:1: floors: this is not how far it fell" \
    "fell '73\tLess is there.' >ci/fallen.tsv"
fires floors "ci/fallen.tsv:1: floors: this is not how far it fell" \
    "fell '75\tLess is there.' >ci/fallen.tsv; sed -i 's/74/75/' ci/floors.txt"
fires floors "ci/fallen.tsv:1: floors: a row is" "fell 74 >ci/fallen.tsv"

unseen() { printf "NOT RUN %s beside its history: $1\n" corpus requirements floors; }
passes "" "fell '74\tLess is there.' >ci/fallen.tsv"
passes "" "sed -i 's/75/76/' ci/floors.txt"
passes "" "git rm -q core/base/demo.c; : >ci/floors.txt; : >ci/mutate.tsv"
passes "$(unseen 'this clone has a part of it')" \
    "git commit -q --allow-empty -m two; cd ..; rm -rf part
     git clone -q --depth 1 file://\$PWD/tree part; cd part"
passes "$(unseen 'this is no git repository')" "rm -rf .git"
for rule in corpus requirements floors; do
    GIT_TEST_ASSUME_DIFFERENT_OWNER='' fires $rule "ci/tidy.sh:1: $rule: git: fatal: detected" \
        "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1"
    unset GIT_TEST_ASSUME_DIFFERENT_OWNER
done

# report FLOORS STATUS: one mutant that is killed, in a file that has these floors.
report() {
    status=0
    printf "1\tcore/x.c\tf\tH\t1\tcmp\tM\t0\t1\ta\tb\n" >table
    printf "W\tcore/x.c\tf\tH\tM\tkilled\tc\tI\tp\n" >results
    printf "$1" >kept
    awk -f ci/mutate/read.awk -f ci/mutate/show.awk -f ci/mutate/report.awk -v world=W \
        -v next_kept=next -v list=list -v aside=aside -v raise="$3" table results /dev/null \
        /dev/null /dev/null kept /dev/null >said || status=$?
    if [ $status = "$2" ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "test_ratchets: a floor of \`$1' ends with $status:"
        cat said
    fi
}
tree
cp -r "$root/ci/mutate" ci/
report "core/x.c\t*\t1\t1\t100\n" 0 ""
report "core/x.c\t*\t1\t1\t101\n" 1 ""
report "" 1 ""
report "" 0 1

# A run that is told to end has judged nothing.
tree
sed -i 's/^rule_ids() {/&\n    kill -TERM $$/' ci/tidy.sh
status=0
ci/tidy.sh ids >/dev/null 2>&1 || status=$?
if [ $status = 2 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "test_tidy: told to end, it ends with $status"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
