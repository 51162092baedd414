# Sourced by ci/oss-fuzz/test_local.sh: what is broken, and the rule that must refuse it.
b=ci/oss-fuzz/build.sh t=targets/fuzz_toy.c r=ci/oss-fuzz/run_tests.sh y=ci/oss-fuzz/project.yaml
# at MARK CODE: code into the fuzzer.
at() { sed -i "s|/\*$1\*/|$2|" $t; }

builds() {
    local a="libfuzzer address"
    control instrumented "$a" "flags of its own in place of those handed over" \
        "sed -i 's/\$CC \$CFLAGS/\$CC -O1/' $b"
    for s in address memory undefined; do
        control sanitizer "libfuzzer $s" "objects without the sanitizer $s" \
            "sed -i '15i CFLAGS=-fsanitize=fuzzer-no-link' $b"
    done
    control sanitizer "$a" "a second sanitizer in the build of the first" \
        "{ echo 'int many(int *a, int i) {'
          for i in {1..300}; do echo \"a[\$i] += a[i] + i;\"; done
          echo 'return a[i]; }'; } >>core/base/toy.c &&
         sed -i 's/\$CC \$CFLAGS -c core/\$CC \$CFLAGS -fsanitize=signed-integer-overflow -c core/;
                 s/\$CXX \$CXXFLAGS/& -fsanitize=undefined/' $b"
    control moved "$a" "a target that needs the folder of its build" \
        "at init 'if (access(WHERE \"/toy\", R_OK) != 0) exit(1);' &&
         sed -i 's|\$CC \$CFLAGS|& -DWHERE=\\\\\"\$OUT\\\\\"|' $b"
    control build "$a" "a build that downloads" \
        "echo 'exec 3<>/dev/tcp/127.0.0.1/$port' >>$b &&
         timeout 5 bash -c 'until (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do :; done'"
    control seeds "$a" "a fuzzer without seeds" "sed -i /zip/d $b"
    control seeds "$a" "an empty corpus" "echo ': >\$OUT/toy_seed_corpus.zip' >>$b"
    control names "$a" "a name with a dot" "sed -i 's|OUT/toy\b|OUT/toy.fuzzer|' $b"
    control architecture "$a" "a script" \
        "echo 'install -m 755 \$SRC/build.sh \$OUT/script; # LLVMFuzzerTestOneInput' >>$b"
    control libraries "$a" "a library that the runner lacks" \
        "sed -i 's/ENGINE -o/ENGINE -Wl,--no-as-needed -lbsd -o/' $b"
    control options "$a" "an unknown section" "echo 'echo [libFuzzer] >>\$OUT/toy.options' >>$b"
    control dictionary "$a" "a dictionary that cannot be read" \
        "echo 'echo word >>\$OUT/toy.dict' >>$b"
    control repeat "$a" "a build that works once" "echo 'mkdir \$WORK/once' >>$b"
    control repeat "$a" "a build that comes out otherwise" "echo 'date +%N >\$OUT/when' >>$b"
    control sources "$a" "a build that changes its sources" "echo 'echo >>$t' >>$b"
    control sources "$a" "a build that removes its sources" "echo 'rm Makefile' >>$b"
    control fuzzers "$a" "a build of nothing" "echo 'rm \$OUT/toy' >>$b"
    control build "$a" "a build that fails" "echo false >>$b"
    control covered "libfuzzer coverage" "coverage left out" "sed -i '15i CFLAGS=-O1 CXXFLAGS=' $b"
    control build "centipede address" "a C compiler that links an engine in C++" \
        "sed -i 's/\$CXX \$CXXFLAGS/\$CC \$CFLAGS/' $b"
}

runs() {
    local a="libfuzzer address"
    control starts "$a" "a target that stops at nothing" "at body '{}; if (len == 0) abort();'"
    control starts "afl address" "a target that stops at nothing" "at body '{}; abort();'"
    control limits "$a" "a seed that fails" "at seed 'abort();'"
    control limits "afl address" "a seed that fails" "at seed 'abort();'"
    control limits "$a" "a seed that leaks" \
        "at seed 'static void *volatile p; p = malloc(9); p = 0;'"
    control limits "$a" "a seed that takes long" "at seed 'sleep(9);'"
    control limits "$a" "a seed that takes much memory" \
        "at seed 'unsigned char *volatile p = malloc(3ul << 30); memset(p, 1, 3ul << 30);'"
    control limits "libfuzzer memory" "a seed whose path is by what was never written" \
        "at seed 'unsigned char *volatile p = malloc(9); if (p[3] == 4) abort(); free(p);'"
    control limits "libfuzzer undefined" "a seed that overflows" \
        "at seed 'volatile int i = 2147483647; i = i + 1;'"
    control limits "honggfuzz address" "an answer other than 0" "at seed 'return -1;'"
    control limits "centipede address" "an answer other than 0 and -1" "at seed 'return 1;'"
    control limits "honggfuzz address" "a target that asks the engine to mutate" \
        "at seed 'unsigned char c[9] = {0}; LLVMFuzzerMutate(c, 1, 9);'"
    control limits "centipede address" "a mutator that knows no limit" \
        "sed -i 's/\$CC \$CFLAGS/& -DMUTATES=max+1/' $b"
    control limits "honggfuzz address" "an input that is written to" \
        "at seed '*(unsigned char *)data = 0;'"
}

papers() {
    control yaml tests "an unknown key" "echo 'sanitiser: [address]' >>$y"
    control yaml tests "an image of another system" "sed -i s/ubuntu-24-04/ubuntu-20-04/ $y"
    control yaml tests "no repository" "sed -i /main_repo/d $y"
    control yaml tests "an installation from old lists" \
        "sed -i 's/apt-get update && //' ci/oss-fuzz/Dockerfile"
    control yaml tests "another image for ClusterFuzzLite" \
        "sed -i 's/:ubuntu-24-04/:latest/' .clusterfuzzlite/Dockerfile"
    control licence tests "a file without a licence" "sed -i 2,15d $b"
    control renamed tests "a target that has another name now" \
        "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
         git init -q . && git add -A && git commit -qm one && git mv $t targets/fuzz_new.c &&
         sed -i s/fuzz_toy.c/fuzz_new.c/ $b && git commit -qam two"
    control tests tests "tests that fail" "echo false >>$r"
    control tests tests "tests that need a network" "echo 'exec 3<>/dev/tcp/127.0.0.1/$port' >>$r"
    control tests tests "tests that pass once" "echo 'mkdir \$SRC/once' >>$r"
    control tree tests "tests that change the tree" "echo 'echo >>$t' >>$r"
    control plants tests "tests that run nothing" "sed -i 's|^build/t\$|true|' $r"
}

all() {
    {
        for s in address undefined memory coverage introspector; do sound libfuzzer $s; done
        for e in afl honggfuzz centipede; do sound $e address; done
        sound tests
        runs
    } >"$base/half" &
    papers
    builds
    wait %?half 2>/dev/null || wait $!
    cat "$base/half"
}
