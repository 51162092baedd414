#!/bin/bash
# Sees every rule of ci/tidy.sh fire: a small clean tree passes, and each planted breach is reported
# with its place. Ends with "N passed, N failed".
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

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
    printf '# A page\n\n| file | mutants |\n' >ci/README.md
    ci/table.sh
    git init -q .
    git add -A
    git -c user.name=t -c user.email=t@t commit -qm tree
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

tree
if out=$(ci/tidy.sh 2>&1) && [ -z "$out" ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    printf 'test_tidy: the clean tree does not pass:\n%s\n' "$out"
fi

lines() { printf "$1%.0s" $(seq "$2"); }

fires layers "core/base/demo.h:4: layers: core may not include" \
    "echo '#include \"sim/clock.h\"' >>core/base/demo.h"
fires layers "sim/clock.h:3: layers: sim may not include" \
    "echo '#include \"oracles/ref_demo.h\"' >>sim/clock.h"
fires layers "oracles/ref_demo.c:7: layers: ref may not include" \
    "echo '#include \"sim/clock.h\"' >>oracles/ref_demo.c"
fires layers "core/base/demo.c:10: layers: core may not use <stdio.h>" \
    "echo '#include <stdio.h>' >>core/base/demo.c"
fires layers "targets/fuzz_demo.c:7: layers: fuzz.h is not a path" \
    "echo '#include \"fuzz.h\"' >>targets/fuzz_demo.c"
fires layers "core/base/demo.c:1: layers: the own header" \
    "sed -i '1i #include \"core/base/err.h\"' core/base/demo.c"
fires bans "targets/fuzz_demo.c:7: bans: assert.h" \
    "echo '#include <assert.h>' >>targets/fuzz_demo.c"
fires bans "sim/clock.h:3: bans: no clock" "echo '#include <time.h>' >>sim/clock.h"
fires bans "sim/clock.h:3: bans: no clock" "echo '#include <sys/socket.h>' >>sim/clock.h"
fires bans "core/base/demo.c:10: bans: call" \
    "echo 'int wb_x = strtoul(0, 0, 0);' >>core/base/demo.c"
fires bans "core/base/demo.c:10: bans: call" "echo 'int wb_x = sprintf(0, 0);' >>core/base/demo.c"
fires bans "sim/clock.h:3: bans: a run depends" "echo 'int sim_x = time(0); /* c */' >>sim/clock.h"
fires bans "core/base/demo.c:10: bans: memory" "echo 'void *wb_x = malloc(1);' >>core/base/demo.c"
fires bans "core/base/demo.c:10: bans: no floating" \
    "echo 'const double wb_x = 1;' >>core/base/demo.c"
fires bans "core/base/demo.c:10: bans: no state" "echo 'static int wb_x;' >>core/base/demo.c"
fires bans "core/base/demo.c:10: bans: code that is" \
    "printf '#if %s\n#endif\n' 0 >>core/base/demo.c"
fires bans "oracles/ref_demo.c:7: bans: a model" \
    "echo 'int ref_x = wb_demo_size();' >>oracles/ref_demo.c"
fires names "core/base/demo.h:4: names: size" "echo 'int size(void);' >>core/base/demo.h"
fires names "sim/clock.h:3: names: wb_clock" "echo 'struct sim_x *wb_clock(int a);' >>sim/clock.h"
fires names "core/base/demo.h:4: names: thing" "printf 'struct thing {\n};\n' >>core/base/demo.h"
fires names "core/base/demo.h:4: names: macro LIMIT" "echo '#define LIMIT 3' >>core/base/demo.h"
fires names "core/base/demo.h:4: names: no typedef" "echo 'typedef int wb_int;' >>core/base/demo.h"
fires names "targets/fuzz_demo.c:7: names: helper" "echo 'int helper(void);' >>targets/fuzz_demo.c"
fires sizes "core/base/demo.c:509: sizes" "lines '\n' 500 >>core/base/demo.c"
fires sizes "core/base/demo.h:253: sizes" "lines '\n' 250 >>core/base/demo.h"
fires sizes "targets/fuzz_demo.c:86: sizes" "lines '\n' 80 >>targets/fuzz_demo.c"
fires sizes "core/base/demo.c:11: sizes: a function" \
    "{ printf 'int wb_x(void)\n{\n'; lines ';\n' 70; echo '}'; } >>core/base/demo.c"
fires format "core/base/demo.c:10: format" "echo 'int   wb_x;' >>core/base/demo.c"
fires text "core/base/demo.c:10: text: blanks" "echo 'int wb_x; ' >>core/base/demo.c"
fires text "core/base/demo.c:10: text: an unfinished" "echo '/* TO''DO */' >>core/base/demo.c"
fires text "core/base/demo.c:10: text: more than 100" "lines x 101 >>core/base/demo.c"
fires text "core/base/demo.c:1: text: no newline" "printf 'int wb_x;' >>core/base/demo.c"
fires text "corpus/demo/seeds/big:1: text: more than 256 KiB" \
    "mkdir corpus/demo/seeds; head -c 300000 /dev/zero >corpus/demo/seeds/big"
fires corpus "targets/fuzz_new.c:1: corpus: no file" "cp targets/fuzz_demo.c targets/fuzz_new.c"
fires corpus "targets/fuzz_demo.c:1: corpus: a target without" \
    "sed -i /FUZZ_CHECK/d targets/fuzz_demo.c"
fires corpus "corpus/gone/cases/one.hex:1: corpus: there is no" "cp -r corpus/demo corpus/gone"
fires corpus "corpus/demo/one.hex:1: corpus: belongs" "cp corpus/demo/cases/one.hex corpus/demo/"
fires corpus "corpus/demo/regress/old.hex:1: corpus: a regression" "rm corpus/demo/regress/old.hex"
fires corpus "corpus/demo/regress/old.hex:1: corpus: a regression" \
    "git rm -q corpus/demo/regress/old.hex; git -c user.name=t -c user.email=t@t commit -qm gone"
fires ids "core/base/err.h:2: ids: no corpus file expects WB_E_DEMO" \
    "sed -i /expect/d corpus/demo/*/*.hex"
fires ids "oracles/inv_demo.h:2: ids: no check of DEM_001" \
    "sed -i /FUZZ_CHECK/d targets/fuzz_demo.c"
fires ids "oracles/inv_demo.h:3: ids: DEM_001 was given" "sed -i 2p oracles/inv_demo.h"
fires requirements "oracles/requirements.tsv:1: requirements: the ratchet untied was 1" \
    "sed -i 's/untied 1/untied 2/' oracles/requirements.tsv"
fires requirements "oracles/requirements.tsv:1: requirements: the ratchet untied is gone" \
    "sed -i 1d oracles/requirements.tsv"
fires requirements "oracles/requirements.tsv:1: requirements: R-DEM-001 was given and is gone" \
    "sed -i s/R-DEM-001/R-DEM-002/ oracles/requirements.tsv"
fires mutants "ci/mutants/gone/size.patch:1: mutants: there is no" \
    "cp -r ci/mutants/demo ci/mutants/gone"
fires mutants "ci/mutants/demo/size.patch:1: mutants: the first line" \
    "sed -i 1d ci/mutants/demo/size.patch"
fires mutants "ci/mutants/demo/size.patch:1: mutants: no unified" \
    "sed -i 's|^--- a/|--- |' ci/mutants/demo/size.patch"
fires table "ci/README.md:1: table: ci/table.sh" "sed -i 's/9/10/' ci/mutate.tsv"
fires table "ci/README.md:1: table: ci/table.sh" "sed -i 's/75/80/' ci/floors.txt"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
