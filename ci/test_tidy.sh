#!/bin/bash
# Sees every rule of ci/tidy.sh fire: a small clean tree passes, and each planted breach is reported
# with its place. Ends with "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."
. ci/tidy/demo.sh

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
    "git rm -q corpus/demo/regress/old.hex; git commit -qm gone"
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
