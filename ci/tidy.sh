#!/bin/sh
# What a machine can check of the house rules, in seconds. Prints "file:line: rule" for each breach;
# exit 1 when there is one. What cannot be judged here is told in lines that open with NOT RUN.
#
#   ci/tidy.sh            all rules
#   ci/tidy.sh names ...  these alone; each is a function rule_NAME below, and ci/test_tidy.sh sees
#                         each one fire
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
: >"$work/left"

# Tracked files and new ones, as they stand in the working tree.
tree() {
    git ls-files -co --exclude-standard 2>/dev/null ||
        find . -type f | sed 's|^\./||' | grep -vE '^(build|\.git)/'
}
tree | LC_ALL=C sort -u | while read -r f; do [ ! -f "$f" ] || echo "$f"; done >"$work/files"
files() { grep -E "$1" "$work/files" || true; }
sources='^(core|sim|oracles|targets|ci)/.*\.[ch]$'

# C code for the programs of ci/tidy/: file, line number and code between tabs.
code() {
    [ -f "$work/code" ] || files "$sources" | xargs -r awk -f ci/tidy/strip.awk >"$work/code"
    cat "$work/code"
}
judge() { awk -f ci/tidy/layer.awk -f "ci/tidy/$1.awk"; }

# has_history RULE: a part of it says nothing of what was before, and a git that refuses says less.
has_history() {
    if [ ! -e .git ]; then
        echo "NOT RUN $1 beside its history: this is no git repository" >>"$work/left"
    elif ! shallow=$(git rev-parse --is-shallow-repository 2>&1); then
        echo "ci/tidy.sh:1: $1: git: $(echo "$shallow" | head -n 1)"
    elif [ "$shallow" != false ]; then
        echo "NOT RUN $1 beside its history: this clone has a part of it" >>"$work/left"
    elif ! git rev-parse -q --verify HEAD >/dev/null; then
        echo "NOT RUN $1 beside its history: there is none yet" >>"$work/left"
    else
        return 0
    fi
    return 1
}

rule_layers() {
    files "$sources" | xargs -r grep -HnE '^ *# *include' | sed 's/:/\t/; s/:/\t/' | judge layers
}

rule_bans() { code | judge bans; }

rule_names() { { files "$sources"; code; } | judge names; }

# Files and functions stay readable in one sitting. Raise a limit only in a commit of its own.
rule_sizes() {
    files '\.(c|h|sh|awk)$|^Makefile$' | xargs -r awk '
        function judge(max) {
            max = f ~ /^targets\/fuzz_/ ? 80 : f ~ /\.c$/ ? 500 : f ~ /\.(sh|awk)$/ ? 200 : 250
            if (f != "" && n > max) print f ":" n ": sizes: more than " max " lines"
        }
        FNR == 1 { judge(); f = FILENAME }
        { n = FNR }
        END { judge() }'
    code | awk -F '\t' '
        $3 ~ /^\{/ { begin = $2 }
        $3 ~ /^\}/ && begin {
            if ($2 - begin + 1 > 70) print $1 ":" begin ": sizes: a function of more than 70 lines"
            begin = 0
        }'
}

# What `make format` would change.
rule_format() {
    command -v clang-format-14 >/dev/null || {
        echo "ci/setup.sh:1: format: clang-format-14 is missing"
        return
    }
    files "$sources" | xargs -r clang-format-14 --dry-run 2>&1 | awk -F : '
        /warning: code should be clang-formatted/ && !($1 in seen) {
            seen[$1]
            print $1 ":" $2 ": format: make format"
        }'
}

# Blanks, widths, sizes of files, unfinished marks.
rule_text() {
    say() { sed -E "s/^([^:]*:[0-9]*):.*/\1: text: $1/"; }
    files '\.(c|h|sh|awk|md|hex|scn|dict|tsv|txt)$|^Makefile$|^\.ci/run$' >"$work/text"
    xargs -r grep -HnE '[[:blank:]]+$' <"$work/text" | say 'blanks at the end of a line'
    xargs -r grep -HnwE 'TO''DO|FIX''ME|X''XX' <"$work/text" | say 'an unfinished mark'
    files '\.(c|h|sh|awk)$|^Makefile$|^\.ci/run$' | xargs -r grep -HnE '^.{101}' |
        say 'more than 100 columns'
    while read -r f; do
        [ -z "$(tail -c 1 "$f")" ] || echo "$f:1: text: no newline at the end"
    done <"$work/text"
    xargs -r -d '\n' du -k --apparent-size <"$work/files" |
        awk -F '\t' '$1 > 256 { print $2 ":1: text: more than 256 KiB" }'
}

# Every target has a corpus and the reverse; a regression may be renamed, never deleted.
rule_corpus() {
    for f in $(files '^targets/fuzz_[^/]*\.c$'); do
        t=${f#targets/fuzz_} t=${t%.c}
        [ -n "$(files "^corpus/$t/(seeds|cases|regress)/")" ] ||
            echo "$f:1: corpus: no file in corpus/$t/"
        helpers=$(sed -nE 's|^#include "(targets/[a-z]+)/.*|\1|p' "$f" | sort -u | tr '\n' '|')
        grep -q 'FUZZ_CHECK(' "$f" $(files "^(${helpers%|})/.*\.c$") ||
            echo "$f:1: corpus: a target without FUZZ_CHECK"
    done
    files '^corpus/' | while read -r f; do
        t=${f#corpus/} t=${t%%[/.]*}
        case $f in corpus/vectors/*.json) continue ;; esac # what `bed vectors` writes
        [ -f "targets/fuzz_$t.c" ] || echo "$f:1: corpus: there is no targets/fuzz_$t.c"
        case $f in
        corpus/*/seeds/* | corpus/*/cases/* | corpus/*/regress/* | corpus/*.dict) ;;
        *) echo "$f:1: corpus: belongs into seeds, cases or regress" ;;
        esac
    done
    has_history corpus || return 0
    {
        git log -M --diff-filter=D --name-only --format= -- corpus
        git diff -M --diff-filter=D --name-only HEAD -- corpus
    } | grep '/regress/' | sort -u | while read -r f; do
        [ -e "$f" ] || echo "$f:1: corpus: a regression was deleted"
    done
}

# Every status stands in the corpus as an outcome; every invariant is checked, and named once.
rule_ids() {
    files '^corpus/.*\.(hex|scn)$' | xargs -r grep -hE '^# expect:' | grep -oE 'WB_[A-Z0-9_]+' |
        sort -u >"$work/expected"
    grep -nE '^ *X\(WB_' core/base/err.h | sed -E 's/^([0-9]+):.*X\((WB_[A-Z0-9_]+).*/\1 \2/' |
        while read -r n name; do
            grep -qx "$name" "$work/expected" ||
                echo "core/base/err.h:$n: ids: no corpus file expects $name"
        done
    files '^oracles/inv_.*\.h$' | xargs -r grep -HnE '^ *X\([A-Z]+, *[0-9]{3},' |
        grep -v '"retired' |
        sed -E 's/^([^:]*:[0-9]+):.*X\(([A-Z]+), *([0-9]{3}),.*/\1 \2_\3/' >"$work/ids"
    code | awk -F '\t' '$1 ~ /c$/ { print $3 }' | grep -oE '\b[A-Z]{3}_[0-9]{3}\b' |
        sort -u >"$work/used"
    awk 'FILENAME == ARGV[1] { used[$1]; next }
        $2 in seen { print $1 ": ids: " $2 " was given before" }
        { seen[$2] }
        !($2 in used) { print $1 ": ids: no check of " $2 }' "$work/used" "$work/ids"
}

# Ids of requirements are for ever, and what their ratchets bound only falls.
rule_requirements() {
    [ -f oracles/requirements.tsv ] || return 0
    has_history requirements || return 0
    git log -p --format= -- oracles/requirements.tsv >"$work/history"
    awk -f ci/tidy/requirements.awk "$work/history" oracles/requirements.tsv
}

# Floors of coverage and of generated mutants only rise, but for what ci/fallen.tsv lists.
rule_floors() {
    has_history floors || return 0
    git log -p --format= -- ci/floors.txt ci/mutate.tsv >"$work/history"
    awk -f ci/tidy/floors.awk "$work/files" "$work/history" ci/fallen.tsv ci/floors.txt \
        ci/mutate.tsv
}

# A patch names an existing target and opens with a sentence.
rule_mutants() {
    files '^ci/(mutants|hunt)/.*\.patch$' | while read -r f; do
        t=${f#ci/*/} t=${t%%/*}
        [ -f "targets/fuzz_$t.c" ] || echo "$f:1: mutants: there is no targets/fuzz_$t.c"
        sed -n 1p "$f" | grep -qE '^[^-+ ].* .*\.$' ||
            echo "$f:1: mutants: the first line says what it breaks"
        grep -qE '^--- a/' "$f" && grep -qE '^\+\+\+ b/' "$f" ||
            echo "$f:1: mutants: no unified diff with a/ and b/"
    done
}

# The page says what is kept of mutants and of coverage.
rule_table() {
    [ ! -f ci/README.md ] || ci/table.sh --check || [ $? = 1 ]
}

[ $# -gt 0 ] || set -- $(grep -oE '^rule_[a-z]+' "$0" | sed 's/rule_//')
for rule in "$@"; do
    "rule_$rule" || echo "ci/tidy.sh:1: $rule: did not run"
done >"$work/breaches"
cat "$work/left"
sort -t : -k 1,1 -k 2,2n -k 3 "$work/breaches" | uniq
[ ! -s "$work/breaches" ]
