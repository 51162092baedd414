# Sourced by the tests of ci/tidy.sh: a small clean tree, and what a test of a rule is.
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
passed=0 failed=0
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t

# list MACRO ENTRY: an X-macro list of one, laid out as clang-format does.
list() {
    printf '%-99s\\\n' "#define $1(X)"
    printf '    X(%s, "a sentence that takes so much room that this list is broken up")\n' "$2"
}

# The clean tree, fresh in $work/tree and the current folder.
tree() {
    cd "$work"
    rm -rf tree
    mkdir -p tree/{ci/mutants/demo,core/base,sim,oracles,targets,corpus/demo/{cases,regress}}
    cd tree
    cp -r "$root/ci/tidy.sh" "$root/ci/tidy" "$root/ci/table.sh" ci/
    cp "$root/.clang-format" .
    cat >core/base/demo.h <<'END'
#include <stdint.h>

int wb_demo_size(void);
END
    cat >core/base/demo.c <<'END'
#include "core/base/demo.h"

#include <string.h>

/* time( and malloc( in a comment */
int wb_demo_size(void)
{
    return "rand("[0] == 0;
}
END
    list WB_ERR_LIST WB_E_DEMO >core/base/err.h
    list INV_DEMO_LIST 'DEM, 001' >oracles/inv_demo.h
    cat >sim/clock.h <<'END'
/* A clock. */
int sim_clock(void);
END
    cat >oracles/ref_demo.h <<'END'
#include "core/base/demo.h"

int ref_demo(void);
END
    cat >oracles/ref_demo.c <<'END'
#include "oracles/ref_demo.h"

int ref_demo(void)
{
    return 1;
}
END
    cat >targets/fuzz_demo.c <<'END'
#include "core/base/demo.h"

void fuzz_demo(void)
{
    FUZZ_CHECK(DEM_001, wb_demo_size());
}
END
    printf '# A case.\n# expect: WB_E_DEMO\n00\n' >corpus/demo/cases/one.hex
    printf '# Broke once.\n# expect: WB_E_DEMO\n01\n' >corpus/demo/regress/old.hex
    printf 'The size is wrong.\n--- a/core/x.c\n+++ b/core/x.c\n' >ci/mutants/demo/size.patch
    printf '# ratchet: untied 1\nR-DEM-001\tMUST\n' >oracles/requirements.tsv
    printf 'core/base/demo.c\t*\t9\t8\t88.8\n' >ci/mutate.tsv
    echo 'core/base/demo.c 100.0 75.0' >ci/floors.txt
    echo '# none' >ci/fallen.tsv
    printf '# A page\n\n| file | mutants |\n' >ci/README.md
    ci/table.sh
    git init -q .
    git add -A
    git commit -qm tree
}

# fires RULE "the line it prints begins with" COMMAND: the command plants the breach.
fires() {
    tree
    eval "$3"
    if out=$(ci/tidy.sh "$1" 2>&1); then
        failed=$((failed + 1))
        echo "test_tidy: $1 let pass: $3"
    elif ! grep -qF "$2" <<<"$out"; then
        failed=$((failed + 1))
        printf 'test_tidy: %s\n  wanted: %s\n  got:    %s\n' "$3" "$2" "$out"
    else
        passed=$((passed + 1))
    fi
}

# passes WORDS COMMAND: what the command does is no breach, and the rules say these words alone.
passes() {
    tree
    eval "$2"
    if out=$(ci/tidy.sh corpus requirements floors 2>&1) && [ "$out" = "$1" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'test_tidy: %s\n  wanted: %s\n  got:    %s\n' "$2" "$1" "$out"
    fi
}
